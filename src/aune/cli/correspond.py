"""`aune correspond`: which key chain is which response chain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aune.cli._inputs import File, keywords
from aune.cli._output import OutputFile, put_text, warn


def correspond(
    key: File,
    response: File,
    /,
    *,
    output: OutputFile = None,
    key_format: str | None = None,
    response_format: str | None = None,
    **options: str,
) -> None:
    """Show which chains of a coreference key and response denote the same referent, and what follows from it.

    The correspondence is that of the measure coref.denotation. The expression that stands for a referent comes first
    in its chains; every other expression is a denotation assignment: correct, incorrect, spurious or missing. Further
    options are those of the measure, of the coref task and of its formats.

    Parameters
    ----------
    key
        The chains that are expected.
    response
        The chains that a system gave.
    output
        A file for the text; standard output otherwise.
    key_format
        The format of the key, when it should not be recognised from the content.
    response_format
        The format of the response.
    """
    from aune.core.evaluation import evaluate

    given = keywords(options)
    result = evaluate(
        "coref", key, {"response": response}, measures=["denotation"], key_format=key_format,
        response_format=response_format, **given,
    )  # fmt: skip
    warn(result.warnings)
    put_text("".join(f"{line}\n" for line in lines(result["denotation"].details)), output)


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
