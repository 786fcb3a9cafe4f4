"""Signatures: printed, parsed, the same again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.contract import registry
from aune.contract.options import Option, convert_value, format_value
from aune.contract.signature import Signature, expand_signature, parse_signature, signature
from aune.errors import UsageError
from aune.statistics.intervals import with_intervals

NASTY = st.text(
    alphabet=st.one_of(st.sampled_from("|:%|:%2537ACac,=\n\t é−"), st.characters(codec="utf-8")), max_size=12
)


@settings(max_examples=60)
@given(NASTY, st.dictionaries(NASTY.filter(lambda name: name != "v"), NASTY, max_size=4))
def test_round_trip(measure: str, options: dict[str, str]) -> None:
    before = Signature(measure, options, "0.2.0")
    assert parse_signature(str(before)) == before
    assert "\n" not in str(before), "a signature is one line"


def test_looks_like_this() -> None:
    [result] = aune.score("coref", [{1, 2}], [{1, 2}], measures=["b_cubed"], convention="partition", only=())
    assert str(result.signature) == (
        "coref.b_cubed|match:exact|zeros:linear|singletons:keep|duplicates:error|kinds:format|only:-|relations:identity"
        "|mentions:complete|weights:mention|over:all"
        f"|undefined:one|v:{aune.__version__}"
    )


def test_options_are_shown_as_text() -> None:
    result = signature("x", {"a": True, "b": 0.5, "c": ("p", "q"), "d": None, "e": ()}, "1")
    assert str(result) == "x|a:yes|b:0.5|c:p,q|d:none|e:-|v:1"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, bool),
        (False, bool),
        (0.1 + 0.2, float),
        (1e-300, float),
        (7, int),
        (("a", "b"), tuple[str, ...]),
        ((), tuple[str, ...]),
        ((0.5, 1.0), tuple[float, ...]),
        (None, float | None),
        (0.5, float | None),
        ("one", Literal["zero", "one"]),
    ],
)
def test_values_read_back(value: object, kind: object) -> None:
    assert convert_value(format_value(value), kind) == value


def test_what_is_no_signature() -> None:
    with pytest.raises(UsageError) as error:
        parse_signature("coref.muc|match")
    assert str(error.value) == "signature field 'match': expected name:value"
    with pytest.raises(UsageError) as error:
        parse_signature("coref.muc|match:exact")
    assert str(error.value) == "signature 'coref.muc|match:exact': expected a version field v:… at the end"


def test_options_fixed_in_the_name_are_not_repeated() -> None:
    [result] = aune.score("coref", [{1, 2}], [{1, 2}], measures=["b_cubed(weights=chain)"])
    text = str(result.signature)
    assert text.startswith("coref.b_cubed(weights=chain)|") and text.count("weights") == 1
    assert (
        aune.score("coref", [{1, 2}], [{1, 2}], measures=[parse_signature(text).measure])[
            parse_signature(text).measure
        ].f1
        == 1
    )


def test_option_with_help() -> None:
    option = Option("beta", 1.0, Annotated[float, "weight"], "weight")
    assert option.name == "beta" and option.choices == ()


# The short one


EXAMPLES = {
    "coref": ("key.conll", "neural.conll"),
    "entities": ("key.conll", "rules.conll"),
    "speech": ("key.jsonl", "north.jsonl"),
    "tagging": ("key.tsv", "lexicon.tsv"),
}


@pytest.mark.parametrize("task", EXAMPLES)
def test_the_short_one_parses_back_and_says_all(task: str, examples: Path) -> None:
    """For every measure that can be scored, under every convention, with files and with plain Python."""
    key, response = (str(examples / task / name) for name in EXAMPLES[task])
    for convention in registry.task(task).comparing.conventions or (None,):
        names = [
            measure.short
            for measure in registry.measures(task)
            if not measure.requires and "model" not in measure.options
        ]
        names = [name for name in names if name not in ("severity", "per", "cp_wer", "tcp_wer", "bridging")]
        for item in aune.score(task, key, response, measures=names, convention=convention):
            short = parse_signature(str(item.signature.short))
            assert short == item.signature.short and len(str(short)) < len(str(item.signature))
            assert expand_signature(short) == item.signature, "the order of options is that of the long one or another"


def test_the_short_one_keeps_what_differs() -> None:
    [result] = aune.score("coref", [{1, 2}], [{1, 2}], measures=["muc"], undefined="one")
    assert str(result.signature.short) == f"coref.muc|undefined:one|d:{result.signature.digest}|v:{aune.__version__}"
    documents = {name: [{1, 2}, {3, 4}] for name in "abc"}
    drawn = with_intervals(aune.score("coref", documents, documents, measures=["macro(muc, by=document)"]), draws=50)
    short = drawn.scores[0].signature.short
    assert (
        short.options["rough"] == "yes" and expand_signature(parse_signature(str(short))) == drawn.scores[0].signature
    )


def test_defaults_that_changed_are_noticed() -> None:
    [result] = aune.score("coref", [{1, 2}], [{1, 2}], measures=["muc"])
    other = result.signature._replace(options={**result.signature.options, "match": "head"})
    assert other.digest != result.signature.digest
    stale = parse_signature(str(result.signature.short).replace(result.signature.digest, "00000000"))
    with pytest.raises(UsageError, match="the defaults of this version"):
        expand_signature(stale)


def test_a_signature_imports_nothing() -> None:
    arguments = Signature("mine:LINKS", {"a": "b"}, "0.2.0")
    assert arguments.short.options == {"a": "b", "d": arguments.digest}
    assert "mine" not in sys.modules


@pytest.mark.parametrize(
    "name", ["over(coref.b_cubed,same_string)", "tagging.fleiss", "coref.muc coref.lea", "", "a)b("]
)
def test_what_is_no_measure_has_a_short_signature_too(name: str) -> None:
    arguments = Signature(name, {"annotators": "3"}, "0.2.0")
    assert (
        arguments.short.options == {"annotators": "3", "d": arguments.digest}
        and parse_signature(str(arguments.short)) == arguments.short
    )


def test_json_holds_both() -> None:
    [item] = aune.score("coref", [{1, 2}], [{1, 2}], measures=["muc"]).to_dict()["scores"]
    assert expand_signature(parse_signature(item["short"])) == parse_signature(item["signature"])
