"""`aune coref correspond`: which key chain is which response chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from cyclopts import Parameter

from aune.cli._inputs import File, keywords
from aune.cli._output import OutputFile, OutputFormat, chosen_format, put_json, put_rows, put_text, warn

Pairing: TypeAlias = Literal["denotation", "core", "exclusive_core", "ceaf", "groups"]

MEASURES = {"denotation": "denotation", "groups": "denotation_groups"}
"""The measures whose options some pairings take; the others take those of XC."""


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

    --with shows the pairs of another idea of correspondence: the cores or exclusive cores of key chains, the pairs of
    CEAFe, or the groups of chains that the experimental measure coref.denotation_groups puts together (--width chains
    at most for each). --by chain shows what each chain shares with those of the other side, its core, and the links
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
        How tables are shown: table, json, csv, tsv, markdown or latex; the denotation's pairs are text, or json.
    output
        A file for the text; standard output otherwise.
    key_format
        The format of the key, when it should not be recognised from the content.
    response_format
        The format of the response.
    """
    from aune.errors import UsageError, make_visible
    from aune.evaluation.pipeline import run_evaluation

    measure = MEASURES.get(pairing, "exclusive_core") if by == "pair" else "exclusive_core"
    chosen = chosen_format(format, output)
    if measure == "denotation" and chosen not in ("table", "json"):
        raise UsageError(f"the denotation's pairs are text or json, not {chosen}: --with core and others have tables")
    evaluation = run_evaluation(
        "coref", key, {"response": response}, measures=[measure],
        key_format=key_format, response_format=response_format, keep=True, **keywords(options),
    )  # fmt: skip
    warn(evaluation.result.warnings)
    scored = evaluation.result[measure]
    if measure == "denotation":
        if chosen == "json":
            put_json(scored.details, output)
            return
        put_text("".join(f"{make_visible(line)}\n" for line in lines(scored.details)), output)
        return
    comparisons = evaluation.comparisons["response"]
    rows = [row._asdict() for comparison in comparisons for row in _rows(comparison, by, pairing, scored.options)]
    put_rows(rows, f"coref: {key}: {response}", format, output)


def _rows(comparison: Any, by: str, pairing: str, options: Mapping[str, Any]) -> Iterator[Any]:
    from aune.contract.options import select_options
    from aune.tasks.coref.projections import chain_rows, mention_rows, pair_rows

    if by == "pair":
        return pair_rows(comparison, pairing, **select_options(pair_rows, options))
    rows = mention_rows if by == "mention" else chain_rows
    return rows(comparison, **select_options(rows, options))


def lines(details: dict[str, Any]) -> Iterator[str]:
    """The correspondence in words, as in figure 3 of the paper."""
    for document in details["documents"]:
        yield f"# {document['document']}"
        for pair in document["pairs"]:
            sides = (_chain(pair[side], pair["representative"]) for side in ("key", "response"))
            yield " ⇔ ".join(sides) + (f"   ({pair['similarity']:.2f})" if pair["similarity"] else "")
        for assignment in document["assignments"]:
            if assignment["verdict"] != "correct":
                explanation = " but ".join(
                    f"{side}: {assignment['expression']} denotes {assignment[side]}"
                    for side in ("key", "response")
                    if assignment[side]
                )
                yield f"{assignment['verdict']}: {explanation}"
        correct = sum(assignment["verdict"] == "correct" for assignment in document["assignments"])
        yield f"correct: {correct} of {len(document['assignments'])} assignments"


def _chain(members: list[str], first: str) -> str:
    """A chain in braces, its representative first."""
    return "{" + ", ".join(sorted(members, key=lambda member: member != first)) + "}" if members else "∅"
