"""`aune coref correspond`: which key chain is which response chain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from cyclopts import Parameter

from aune.cli._inputs import File, keywords
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_json, put_tables, put_text, warn

Pairing: TypeAlias = Literal["denotation", "core", "exclusive_core", "ceaf", "groups"]


def correspond(
    key: File,
    response: File,
    /,
    *,
    by: Literal["pair", "chain", "mention"] = "pair",
    pairing: Annotated[Pairing, Parameter(name=["--with"])] = "denotation",
    format: OutputFormat = None,
    output: OutputFile = None,
    key_format: str | None = None,
    response_format: str | None = None,
    **options: str,
) -> None:
    """Show which chains of a coreference key and response denote the same referent, and what follows from it.

    The correspondence is that of the measure coref.denotation. The expression that stands for a referent comes first
    in its chains; every other expression is a denotation assignment: correct, incorrect, spurious or missing. Further
    options are those of the measure, of the coref task and of its formats.

    --with shows the pairs of another idea of correspondence: the cores or exclusive cores of key chains, or the pairs
    of CEAFe; --with groups, which is experimental, the smallest groups of key chains and of response chains that hold
    the same mentions. --by chain shows what each chain shares with those of the other side, its core, and the links
    and mentions lost by MUC and C; --by mention the recall and precision that B³ gives each mention.

    Parameters
    ----------
    key
        The chains that are expected.
    response
        The chains that a system gave.
    by
        What a line is about: a pair of chains, a chain, or a mention.
    pairing
        How chains correspond: denotation, core, exclusive_core, ceaf or groups.
    format
        How tables are shown (all but the denotation's pairs): table, json, csv, tsv, markdown or latex.
    output
        A file for the text; standard output otherwise.
    key_format
        The format of the key, when it should not be recognised from the content.
    response_format
        The format of the response.
    """
    from aune.core.evaluation import evaluated

    given = keywords(options)
    told = by == "pair" and pairing == "denotation"
    found = evaluated(
        "coref", key, {"response": response}, measures=["denotation" if told else "exclusive_core"],
        key_format=key_format, response_format=response_format, keep=True, **given,
    )  # fmt: skip
    result = found.result
    warn(result.warnings)
    if not told:
        chosen = chosen_format(format, output)
        rows = [
            row for one in found.comparisons["response"] for row in _rows(one, by, pairing, given.get("taken", "next"))
        ]
        _put_rows(rows, f"coref: {key}: {response}", chosen, output)
        return
    put_text("".join(f"{line}\n" for line in lines(result["denotation"].details)), output)


def _rows(comparison: Any, by: str, pairing: str, taken: str) -> Iterator[Any]:
    from aune.tasks.coref import projections

    if by == "mention":
        return projections.by_mention(comparison)
    if by == "chain":
        return projections.by_chain(comparison, taken)
    return projections.pairings(comparison, pairing, taken)


def _put_rows(rows: list[Any], title: str, chosen: str, output: Path | None) -> None:
    from aune.reports.tabular import Table, one_line

    if chosen == "json":
        put_json({"schema": 1, "rows": [row._asdict() for row in rows]}, output)
        return
    header = tuple(name.replace("_", " ") for name in rows[0]._fields) if rows else ()
    cells = [tuple(one_line(_cell(value)) for value in row) for row in rows]
    put_tables(Table(title, header, cells, names=2), chosen, output)


def _cell(value: Any) -> str:
    if isinstance(value, tuple):
        return "+".join(map(str, value))
    return f"{100 * value:.2f}" if isinstance(value, float) else str(value) or "∅"


def lines(details: dict[str, Any]) -> Iterator[str]:
    """The correspondence in words, as in figure 3 of the paper."""
    for document in details["documents"]:
        yield f"# {document['document']}"
        for pair in document["pairs"]:
            sides = (_chain(pair[side], pair["representative"]) for side in ("key", "response"))
            yield " ⇔ ".join(sides) + (f"   ({pair['similarity']:.2f})" if pair["similarity"] else "")
        for one in document["assignments"]:
            if one["verdict"] != "correct":
                said = " but ".join(
                    f"{side}: {one['expression']} denotes {one[side]}" for side in ("key", "response") if one[side]
                )
                yield f"{one['verdict']}: {said}"
        correct = sum(one["verdict"] == "correct" for one in document["assignments"])
        yield f"correct: {correct} of {len(document['assignments'])} assignments"


def _chain(members: list[str], first: str) -> str:
    """A chain in braces, its representative first."""
    return "{" + ", ".join(sorted(members, key=lambda member: member != first)) + "}" if members else "∅"
