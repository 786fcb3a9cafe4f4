"""Side by side with seqeval, nervaluate and conlleval's rules, over structures and over files made at random.

Equal where they are right; where they are not, each difference is an entry with its reason.
"""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.contract.registry import measure
from aune.tasks.entities.model import document_from_columns, documents, make_document
from aune.tasks.entities.tags import decode_tags, tag_numbers
from tests.tasks.entities.conlleval import figures

F = measure("entities.f_measure")
MUC = measure("entities.muc")
Tags = list[list[str]]


def tags(prefixes: str, labels: str = "AB") -> st.SearchStrategy[Tags]:
    """Any sentences of these tags, legal or not."""
    choices = ["O", *(f"{prefix}-{label}" for prefix in prefixes for label in labels)]
    return st.lists(st.lists(st.sampled_from(choices), min_size=6, max_size=6), min_size=1, max_size=3)


def same_length(key: Tags, response: Tags) -> tuple[Tags, Tags]:
    size = min(len(key), len(response))
    return key[:size], response[:size]


def quiet(function: Any, *arguments: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


@given(tags("BI"), tags("BI"))
def test_seqeval_default_is_our_conlleval(key: Tags, response: Tags) -> None:
    seqeval = pytest.importorskip("seqeval.metrics")
    key, response = same_length(key, response)
    report = quiet(seqeval.classification_report, key, response, output_dict=True, zero_division=0)
    score = F(key, response)
    if not score.counts["key"] and not score.counts["response"]:
        return
    micro = report["micro avg"]
    ours = score.precision, score.recall, score.f1
    assert (micro["precision"], micro["recall"], micro["f1-score"]) == pytest.approx(ours)
    for label, values in score.by("label").items():
        rival_value = report[label]
        assert (rival_value["precision"], rival_value["recall"], rival_value["f1-score"]) == pytest.approx(
            tuple(values.values())
        )
    macro = measure("macro(f_measure, by=label)", "entities")(key, response)
    assert report["macro avg"]["f1-score"] == pytest.approx(macro.f1)


SCHEMES = {"IOB1": "BI", "IOB2": "BI", "IOE1": "IE", "IOE2": "IE", "BIOES": "BIES", "BILOU": "BILU"}


@pytest.mark.parametrize("scheme", ["IOB2", "IOE2", "BIOES", "BILOU"])  # in IOB1 and IOE1 seqeval refuses legal tags
def test_seqeval_strict_is_our_discard(scheme: str) -> None:
    schemes = pytest.importorskip("seqeval.scheme")

    @given(tags(SCHEMES[scheme]))
    def check(sentences: Tags) -> None:
        rival_value = getattr(schemes, {"BIOES": "IOBES"}.get(scheme, scheme))
        expected = {
            (index * 6 + entity.start, index * 6 + entity.end, entity.tag)
            for index, sentence in enumerate(schemes.Entities(sentences, rival_value).entities)
            for entity in sentence
        }
        numbers, codes = tag_numbers([tag for sentence in sentences for tag in sentence], 6 * len(sentences))
        starts = documents(sentences)[0].sentences
        assert starts is not None
        found = decode_tags(codes, numbers, starts, scheme, "discard")
        assert set(document_from_columns("d", found.spans, found.labels, found.names).triples()) == expected

    check()


# nervaluate (SemEval 2013): its ends are inclusive, its matching takes the first overlap.


def nervaluate(key: list[Any], response: list[Any], labels: str = "ABC") -> dict[str, Any]:
    evaluator = pytest.importorskip("nervaluate.evaluator")

    def plain(result: list[Any]) -> list[list[dict[str, Any]]]:
        return [[{"label": label, "start": start, "end": end - 1} for start, end, label in result]]

    return evaluator.Evaluator(plain(key), plain(response), tags=list(labels), loader="dict").evaluate()


SCHEMAS = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}


@st.composite
def apart(draw: st.DrawFn) -> tuple[list[Any], list[Any]]:
    """Key and response entities in places of their own, where each meets at most one: no matching to dispute."""
    key, response = [], []
    for place in range(0, 60, 10):
        for side in (key, response):
            if draw(st.booleans()):
                start = place + draw(st.integers(0, 2))
                side.append((start, start + draw(st.integers(3, 5)), draw(st.sampled_from("ABC"))))
    return key, response


@given(apart())
def test_nervaluate_where_nothing_is_ambiguous(sides: tuple[list[Any], list[Any]]) -> None:
    if not sides[0] or not sides[1]:
        return
    rival_overall = nervaluate(*sides)["overall"]
    for ours, name in SCHEMAS.items():
        counts = MUC(*sides, schema=ours).counts
        other = rival_overall[name]
        assert counts == {
            "correct": other.correct, "incorrect": other.incorrect, "partial": other.partial,
            "missing": other.missed, "spurious": other.spurious,
        }  # fmt: skip


def test_the_order_of_the_response() -> None:
    """key {B[4,6)}, response {A[3,5), B[4,6)}: one strict match, in any order."""
    key, response = [(4, 6, "B")], [(3, 5, "A"), (4, 6, "B")]
    first, second = (nervaluate(key, entry)["overall"]["strict"].correct for entry in (response, response[::-1]))
    assert (first, second) == (0, 1)  # the first overlap takes the key entity away
    for item in (response, response[::-1]):
        assert MUC(key, item).counts == {"correct": 1, "incorrect": 0, "partial": 0, "missing": 0, "spurious": 1}


def test_greedy_matching_loses_pairs() -> None:
    """The first response entity takes the key entity that the second one needs."""
    key, response = [(0, 4, "A"), (4, 8, "A")], [(1, 5, "A"), (0, 1, "A")]
    assert nervaluate(key, response)["overall"]["ent_type"].correct == 1
    assert MUC(key, response, schema="type").counts["correct"] == 2


def test_neighbours_do_not_overlap() -> None:
    """Ends are exclusive here: [0, 2) and [2, 4) share nothing. With inclusive ends read as exclusive they would."""
    assert MUC([(0, 2, "A")], [(2, 4, "A")], schema="partial").counts["missing"] == 1


def test_types_only_in_the_response_count() -> None:
    """nervaluate leaves out labels that it was not told of; for us what should not be there is spurious."""
    key, response = [(0, 2, "A")], [(0, 2, "A"), (5, 6, "X")]
    assert nervaluate(key, response, "A")["overall"]["strict"].precision == 1.0
    assert MUC(key, response).precision == 0.5
    assert F(key, response).by("label")["X"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0}


def test_confusions_stay_confusions_per_label() -> None:
    """nervaluate scores each label apart, so that a wrong label is a miss and a spurious one: nothing adds up."""
    key, response = [(0, 2, "A"), (5, 6, "B")], [(0, 2, "B"), (5, 6, "B")]
    rival_value = nervaluate(key, response, "AB")
    assert rival_value["overall"]["strict"].incorrect == 1
    assert [rival_value["entities"][label]["strict"].incorrect for label in "AB"] == [0, 0]
    ours = MUC(key, response)
    assert sum(counts["incorrect"] for counts in ours.counts_by("label").values()) == ours.counts["incorrect"] == 1


def test_conlleval_rules_by_hand() -> None:
    """What conlleval makes of every odd sequence."""
    cases = {
        ("I-A", "I-A", "O"): [(0, 2, "A")],  # an orphan starts an entity
        ("B-A", "I-B", "O"): [(0, 1, "A"), (1, 2, "B")],  # another label starts another entity
        ("B-A", "B-A", "I-A"): [(0, 1, "A"), (1, 3, "A")],
        ("I-A", "B-A", "O"): [(0, 1, "A"), (1, 2, "A")],
        ("S-A", "S-A", "E-A"): [(0, 1, "A"), (1, 2, "A"), (2, 3, "A")],
        ("B-A", "E-A", "I-A"): [(0, 2, "A"), (2, 3, "A")],
        ("O", "I-A", "E-A"): [(1, 3, "A")],
    }
    for given_tags, spans in cases.items():
        assert documents([list(given_tags)])[0].triples() == spans


def test_documents_can_be_empty() -> None:
    assert make_document("d", []).triples() == []
    assert F({"d": []}, {"d": []}).counts["key"] == 0


# Files: what should not matter is varied.


class Dress(NamedTuple):
    """How a file is written."""

    separator: str
    line_end: str
    comments: bool
    blank_lines: int
    blanks_after: bool
    last_line_end: bool


DRESSES = st.builds(
    Dress, st.sampled_from(["\t", " ", "   "]), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.integers(1, 3),
    st.booleans(), st.booleans(),
)  # fmt: skip


def write_text(sentences: Tags, dress: Dress) -> bytes:
    lines: list[str] = []
    for number, tags_ in enumerate(sentences):
        lines += [f"# sentence {number}"] if dress.comments else []
        lines += [f"w{number}x{place}{dress.separator}{tag}" for place, tag in enumerate(tags_)]
        lines += [""] * dress.blank_lines
    end = " " * dress.blanks_after + dress.line_end
    text = end.join(lines)
    return (text if not dress.last_line_end else text + dress.line_end).encode()


def score_sides(folder: Path, key: bytes, response: bytes, name: str = "conll", **options: Any) -> aune.Result:
    (folder / f"key.{name}").write_bytes(key)
    (folder / f"response.{name}").write_bytes(response)
    files = str(folder / f"key.{name}"), str(folder / f"response.{name}")
    measures = ["f_measure", "token_accuracy", "muc"]
    return aune.score("entities", *files, measures=measures, **options)


@given(tags("BI"), tags("BI"), DRESSES, DRESSES, st.booleans())
def test_conlleval_and_seqeval_over_files(
    tmp_path_factory: pytest.TempPathFactory, key: Tags, response: Tags, dress: Dress, other: Dress, lower: bool
) -> None:
    """Tags legal or not, separators, line ends, blanks, comments, blank lines; labels in another case, folded."""
    seqeval = pytest.importorskip("seqeval.metrics")
    key, response = same_length(key, response)
    cased = [[tag[:2] + tag[2:].lower() if lower else tag for tag in sentence] for sentence in response]
    files = write_text(key, dress), write_text(cased, other)
    found = score_sides(tmp_path_factory.mktemp("conll"), *files, case="fold")
    expected = figures(key, response)
    counts = found["f_measure"].counts
    assert (counts["key_correct"], counts["key"], counts["response"]) == expected[:3]
    assert list(found["token_accuracy"].counts.values()) == list(expected[3:])
    if expected.key_chunks and expected.response_chunks:
        rival_value = quiet(seqeval.f1_score, key, response, zero_division=0)
        assert found["f_measure"].f1 == pytest.approx(rival_value)
    assert quiet(seqeval.accuracy_score, key, response) == pytest.approx(found["token_accuracy"].accuracy)


@given(apart(), st.randoms())
def test_nervaluate_over_files_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, pair: tuple[list[Any], list[Any]], rng: random.Random
) -> None:
    if not pair[0] or not pair[1]:
        return
    rival_strict = nervaluate(*pair)["overall"]["strict"]
    sides = []
    for spans in pair:
        mixed = rng.sample(spans, len(spans))
        record = {"id": "d", "tokens": ["x"] * 70, "spans": [list(span) for span in mixed]}
        sides.append(json.dumps(record, indent=None if rng.random() < 0.5 else 0).replace("\n", " ").encode() + b"\n")
    counts = score_sides(tmp_path_factory.mktemp("json"), *sides, name="jsonl")["muc"].counts
    assert counts == {
        "correct": rival_strict.correct, "incorrect": rival_strict.incorrect, "partial": rival_strict.partial,
        "missing": rival_strict.missed, "spurious": rival_strict.spurious,
    }  # fmt: skip


DIFFERENCES: dict[str, tuple[list[Any], list[Any], int, int]] = {
    "an entity that is there twice counts once here and twice there": (
        [(0, 2, "A")], [(0, 2, "A"), (0, 2, "A")], 0, 1,
    ),
    "labels that the evaluator was not told of are spurious here and left out there": (
        [(0, 2, "A")], [(0, 2, "A"), (5, 6, "X")], 1, 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("reason", DIFFERENCES)
def test_documented_differences(reason: str) -> None:
    key, response, here, place = DIFFERENCES[reason]
    assert MUC(key, response).counts["spurious"] == here
    assert nervaluate(key, response, "A")["overall"]["strict"].spurious == place
