"""Responses whose text is not the key's: what is placed, what is not, and that the policies do what they say."""

from __future__ import annotations

import itertools
import runpy
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune import evaluate, score
from aune.contract import registry
from aune.errors import InputError, UsageError
from aune.reading.corpus import read
from aune.tasks.entities.model import Document, Span, StringEntity, make_document
from aune.tasks.entities.realignment import realign_responses

DAMAGE = runpy.run_path(str(Path(__file__).parents[2] / "alignment" / "corruption.py"))
SYSTEMS = ("arcada", "drexel_cci", "flytxt", "mic-cis", "sjtu_adapt", "spinningbytes", "uh_ritual")
WORDS = ["Ann", "met", "Bo", "in", "New", "York", "and", "Bo", "met", "Ann"]
KEY = make_document(
    "d", [Span(0, 1, "PER"), Span(2, 3, "PER"), Span(4, 6, "LOC"), Span(7, 8, "PER")], length=10, words=WORDS.copy
)


def strings(*items: tuple[str, str]) -> Document:
    return replace(make_document("d", []), listed=tuple(StringEntity(string, label) for string, label in items))


def test_strings_in_order() -> None:
    response = strings(("Ann", "PER"), ("Bo", "PER"), ("New York", "LOC"), ("Bo", "PER"))
    assert score("entities", [KEY], [response], measures=["f_measure"])["f_measure"].f1 == 1.0


def test_strings_with_and_without_places_share_the_text() -> None:
    """One that says where it stands leaves the other places to those that do not."""
    key = make_document("d", [Span(0, 1, "PER"), Span(2, 3, "PER")], length=3, words=["Ann", "saw", "Ann"].copy)
    listed = (StringEntity("Ann", "PER"), StringEntity("Ann", "PER", (0, 1)), StringEntity("Ann", "LOC", (0, 1)))
    [(_, laid)], _ = realign_responses(
        [(key, replace(make_document("d", []), listed=listed))], "none", "in-order", "count", "refuse"
    )
    assert sorted(laid.triples()) == [(0, 1, "LOC"), (0, 1, "PER"), (2, 3, "PER")]


def test_lists_by_type_stand_beside_each_other() -> None:
    """One list does not take what lies inside of another's longer string, whichever comes first."""
    words = ["the", "New", "York", "Times", "left", "New", "York"]
    key = make_document("d", [Span(1, 4, "ORG"), Span(5, 7, "LOC")], length=7, words=words.copy)
    listed = (StringEntity("New York", "LOC", group="LOC"), StringEntity("New York Times", "ORG", group="ORG"))
    for order in (listed, listed[::-1]):
        [(_, laid)], _ = realign_responses(
            [(key, replace(make_document("d", []), listed=order))], "none", "in-order", "count", "refuse"
        )
        assert sorted(laid.triples()) == sorted(key.triples())


def test_inventing_costs_unless_ignored() -> None:
    right = (("Ann", "PER"), ("Bo", "PER"), ("New York", "LOC"), ("Bo", "PER"))
    with_invented = strings(*right, ("Eve", "PER"))
    counted = score("entities", [KEY], [with_invented], measures=["f_measure", "unplaced_rate"])
    assert counted["f_measure"].precision == pytest.approx(4 / 5)
    assert counted["unplaced_rate"].unplaced == pytest.approx(1 / 5)
    ignored = score("entities", [KEY], [with_invented], measures=["f_measure"], unplaced="ignore")
    assert ignored["f_measure"].precision == 1.0


@given(
    st.lists(st.tuples(st.sampled_from(["Ann", "Bo", "New York", "Eve"]), st.sampled_from(["PER", "LOC"])), max_size=6),
    st.integers(0, 2),
    st.sampled_from(["count", "ignore"]),
)
def test_every_placement_lies_between_the_bounds(items: list[tuple[str, str]], lost: int, unplaced: str) -> None:
    """What was cut off is given in neither; what has no place is given in both, or in neither."""
    response = replace(strings(*items), lost=lost)
    bounds = score("entities", [KEY], [response], measures=["f_bounds"], place="interval", unplaced=unplaced)[
        "f_bounds"
    ]
    assert {"place:interval", f"unplaced:{unplaced}"} <= {*str(bounds.signature).split("|")}
    options = {"place": "in-order", "unplaced": unplaced, "undefined": "none"}
    f_measure = score("entities", [KEY], [response], measures=["f_measure"], **options)["f_measure"]
    for name in ("precision", "recall", "f1"):
        low, value, high = bounds.values[f"{name}_low"], f_measure.values[name], bounds.values[f"{name}_high"]
        if low is None or value is None:
            assert name != "recall" and not bounds.counts["given"]
        else:
            assert low - 1e-12 <= value <= high + 1e-12
    if unplaced == "count":
        assert bounds.counts["given"] == len(items)


def test_an_interval_is_no_score() -> None:
    with pytest.raises(UsageError, match="use -m f_bounds"):
        score("entities", [KEY], [strings(("Ann", "PER"))], measures=["f_measure"], place="interval")


def test_another_text_is_refused_or_unplaced() -> None:
    other = ["call", "me", "Ishmael", "some", "years", "ago", "never", "mind", "how", "long"]
    response = make_document("d", [Span(2, 3, "PER")], length=len(other), words=other.copy)
    with pytest.raises(InputError, match="found another text than the key's"):
        score("entities", [KEY], [response], realign="words")
    result = score("entities", [KEY], [response], realign="words", other_text="unplaced", measures=["unplaced_rate"])
    assert result["unplaced_rate"].unplaced == 1.0


def test_another_text_without_entities_is_another_text() -> None:
    """A refusal in prose gives nothing, and is no answer without entities."""
    other = ["I", "am", "sorry", ",", "that", "is", "not", "for", "me", "to", "say"]
    response = make_document("d", [], length=len(other), words=other.copy)
    with pytest.raises(InputError, match="found another text than the key's"):
        score("entities", [KEY], [response], realign="words")
    result = score("entities", [KEY], [response], realign="words", other_text="unplaced")
    assert any("of the key's words" in warning for warning in result.warnings)


def test_the_same_text_scores_the_same_to_the_bit(data: Path) -> None:
    folder = data / "entities" / "wnut17"
    gold, system = str(folder / "gold.conll"), str(folder / "uh_ritual.conll")
    plain, laid = (score("entities", gold, system, realign=how)["f_measure"].values for how in ("none", "words"))
    assert plain == laid


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_rewritten_text_changes_no_score(data: Path, system: str) -> None:
    """Other quotes, other accents, no capitals, other tokens."""
    folder = data / "entities" / "wnut17"
    task = registry.task("entities")
    [gold] = read(task, folder / "gold.conll").documents
    [found] = read(task, folder / f"{system}.conll").documents
    same_text = replace(found, words=gold.words)
    edges = {edge for start, end, _ in found.triples() for edge in (start, end)}
    tokens, begins = DAMAGE["retokenise_text"](DAMAGE["rewritten"](list(gold.tokens or ())), edges)
    spans = [Span(begins[start], begins[end], label) for start, end, label in found.triples()]
    rewritten = make_document(found.id, spans, length=len(tokens), words=tokens.copy)
    expected = score("entities", [gold], [same_text], measures=["f_measure", "ser"])
    result = score("entities", [gold], [rewritten], measures=["f_measure", "ser"], realign="words")
    assert [it.values for it in result] == [it.values for it in expected]


@cache
def sentences_of(path: Path) -> list[tuple[list[str], list[Span]]]:
    """The sentences of WNUT-17's key with the entities of a file."""
    task = registry.task("entities")
    [gold], [result] = (read(task, it).documents for it in (path.with_name("gold.conll"), path))
    assert gold.sentences is not None
    tokens, cut = list(gold.tokens or ()), []
    for start, end in itertools.pairwise([*gold.sentences.tolist(), gold.length]):
        spans = [Span(a - start, b - start, label) for a, b, label in result.triples() if start <= a and b <= end]
        cut.append((tokens[start:end], sorted(spans)))
    return cut


@pytest.mark.parametrize("system", SYSTEMS)
def test_strings_of_real_systems_score_what_their_spans_do(data: Path, system: str) -> None:
    """The spans of each sentence as a list of strings: within a tenth of a point, and the bounds hold it."""
    folder = data / "entities" / "wnut17"
    keys, as_spans, as_strings = [], [], []
    cut = zip(sentences_of(folder / "gold.conll"), sentences_of(folder / f"{system}.conll"), strict=True)
    for number, ((words, key), (_, outcome)) in enumerate(cut):
        keys.append(make_document(str(number), key, length=len(words), words=words.copy))
        listed = tuple(StringEntity(" ".join(words[it.start : it.end]), it.label) for it in outcome)
        as_spans.append(make_document(str(number), outcome, length=len(words), words=words.copy))
        as_strings.append(replace(make_document(str(number), []), listed=listed))
    truth = score("entities", keys, as_spans, measures=["f_measure"])["f_measure"].f1
    result = score("entities", keys, as_strings, measures=["f_measure"])["f_measure"].f1
    bounds = score("entities", keys, as_strings, measures=["f_bounds"], place="interval")["f_bounds"]
    assert abs(100 * truth - 100 * result) <= 0.1
    assert bounds.f1_low <= truth <= bounds.f1_high


def test_systems_with_and_without_realignment_have_other_signatures() -> None:
    response = make_document("d", [Span(0, 1, "PER")], length=10, words=WORDS.copy)
    plain, laid = (evaluate("entities", [KEY], {"a": [response]}, realign=how) for how in ("none", "words"))
    assert "realign" not in str(plain["f_measure"].signature)
    assert "realign:words" in str(laid["f_measure"].signature)
