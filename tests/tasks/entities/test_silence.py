"""Damaged and odd responses are scored correctly, or with a note."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import aune
from aune.results.result import Result

TEXT = "Ann Lee met Bob Stone in New York yesterday ."
KEY = [("Ann Lee", "PER"), ("Bob Stone", "PER"), ("New York", "LOC")]


def spans(shift: int = 0, shorter: int = 0) -> list[dict[str, Any]]:
    """The entities of the text with their places, all moved by so much, and ending so much earlier."""
    places = [(TEXT.index(string), string, label) for string, label in KEY]
    return [
        {"start": start + shift, "end": start + len(string) + shift - shorter, "label": label}
        for start, string, label in places
    ]


def jsonl(path: Path, **fields: Any) -> str:
    path.write_text(json.dumps({"id": "d", **fields}) + "\n", encoding="utf-8")
    return str(path)


def score(key: Any, response: Any, **options: Any) -> Result:
    return aune.score("entities", key, response, measures=["f_measure"], **options)


@pytest.mark.parametrize(("shift", "shorter"), [(1, 0), (2, 0), (0, 1)])
def test_offsets_that_cut_words_are_reported(tmp_path: Path, shift: int, shorter: int) -> None:
    key = jsonl(tmp_path / "key.jsonl", text=TEXT, spans=spans())
    response = jsonl(tmp_path / "response.jsonl", text=TEXT, spans=spans(shift, shorter))
    result = score(key, response)
    assert any("begin or end inside a word: are its offsets off by one" in note for note in result.warnings)
    assert not score(key, key).warnings


def test_scripts_without_blanks_cut_no_words(tmp_path: Path) -> None:
    text = "東京都に住む"
    key = jsonl(tmp_path / "key.jsonl", text=text, spans=[{"start": 0, "end": 2, "label": "LOC"}])
    assert not score(key, key).warnings


def test_the_text_of_a_span_is_compared_with_the_document(tmp_path: Path) -> None:
    quoted = [{**span, "text": string} for span, (string, _) in zip(spans(), KEY, strict=True)]
    key = jsonl(tmp_path / "key.jsonl", text=TEXT, spans=quoted)
    assert not score(key, key).warnings
    quoted[0]["text"], quoted[1]["text"] = "Lee", "Bob"
    response = jsonl(tmp_path / "response.jsonl", text=TEXT, spans=quoted)
    [note] = score(key, response).warnings
    assert "2 spans quote other words than the text has at their places (first at line 1)" in note


@pytest.mark.parametrize("lines", [1, 4, 7])
def test_the_missing_share_of_a_truncated_response_is_stated(tmp_path: Path, lines: int) -> None:
    key = tmp_path / "key.conll"
    rows = [f"{word}\t{'B-PER' if word[0].isupper() else 'O'}" for word in TEXT.split()]
    key.write_text("\n".join(rows) + "\n", encoding="utf-8")
    response = tmp_path / "response.conll"
    response.write_text("\n".join(rows[:lines]) + "\n", encoding="utf-8")
    notes = score(str(key), str(response)).warnings
    missing = len(rows) - lines
    share = f"{missing} of the {len(rows)} tokens of the key ({100 * missing / len(rows):.1f} %)"
    assert any(f"the response lacks {share}" in note for note in notes), notes


def test_documents_that_a_response_lacks_are_part_of_the_missing_share(tmp_path: Path) -> None:
    """They were left out: of five sixths of the tokens 2 % were said to be missing."""
    rows = [f"# document_id = {name}\n" + "Ann\tB-pers\t_\nran\tO\t_\n" for name in "abc"]
    key, response = tmp_path / "key.tsv", tmp_path / "response.tsv"
    key.write_text("TOKEN\tNE-COARSE-LIT\tMISC\n" + "".join(rows), encoding="utf-8")
    response.write_text("TOKEN\tNE-COARSE-LIT\tMISC\n" + rows[0].removesuffix("ran\tO\t_\n"), encoding="utf-8")
    notes = score(str(key), str(response)).warnings
    assert any("lacks 5 of the 6 tokens of the key (83.3 %)" in note for note in notes), notes
    response.write_text("TOKEN\tNE-COARSE-LIT\tMISC\n" + "".join(rows).replace("B-pers", "O"), encoding="utf-8")
    assert not any("lacks" in note for note in score(str(key), str(response)).warnings)


def test_labels_that_do_not_count_for_their_case_alone_are_reported() -> None:
    """`among` left them out before anything was said of their case."""
    key, response = [(0, 2, "PER"), (3, 4, "LOC")], [(0, 2, "per"), (3, 4, "LOC")]
    result = score(key, response, among=("key",))
    assert result["f_measure"].main == pytest.approx(2 / 3)
    assert any("left out by" in note and "per (1×)" in note for note in result.warnings), result.warnings
    assert not score(key, response, among=("key",), case="fold").warnings


HIPE = "TOKEN\tNE-COARSE-LIT\tMISC\n# document_id = d\n{}"
HASH = ["Paris\tB-loc\t_", "#\tO\t_", "Lyon\tB-loc\t_"]


def test_rows_whose_token_is_a_hash_are_left_out_as_by_the_scorer(tmp_path: Path) -> None:
    """Runs that left them out were refused, because their texts were shorter than the key's."""
    key, response = tmp_path / "key.tsv", tmp_path / "response.tsv"
    key.write_text(HIPE.format("\n".join(HASH) + "\n"), encoding="utf-8")
    response.write_text(HIPE.format("\n".join([HASH[0], HASH[2]]) + "\n"), encoding="utf-8")
    result = score(str(key), str(response))
    assert result["f_measure"].main == 1.0
    assert any("1 row whose token begins with # left out, as the HIPE scorer does (first at line 4)" in note
               for note in result.warnings)  # fmt: skip


@pytest.mark.parametrize(
    ("convention", "label", "f1"),
    [("hipe", "prod", 1.0), ("hipe@2020", "prod", 2 / 3), ("hipe@2020", "work", 1.0), ("hipe@2022", "work", 2 / 3),
     ("optimal", "odd", 2 / 3), ("hipe@2022", "odd", 1.0)],
)  # fmt: skip
def test_labels_of_the_campaigns(convention: str, label: str, f1: float) -> None:
    """A response entity counts when its label is in the key or in the campaign's file of labels."""
    result = aune.score("entities", [(0, 1, "PERS")], [(0, 1, "pers"), (3, 4, label)], measures=["f_measure"],
                        convention=convention, case="fold")  # fmt: skip
    assert result["f_measure"].f1 == pytest.approx(f1)


def answers(path: Path, answer: str) -> str:
    path.write_text(json.dumps({"id": "d", "answer": answer}) + "\n", encoding="utf-8")
    return str(path)


def test_numbers_that_point_at_another_spelling_are_kept(tmp_path: Path) -> None:
    words = ["Manure", "is", "not", "manure", "."]
    items = [{"start": 0, "end": 1, "label": "L"}, {"start": 3, "end": 4, "label": "L"}]
    key = jsonl(tmp_path / "key.jsonl", tokens=words, spans=items)
    response = answers(tmp_path / "answers.jsonl", "[['manure','L',0,0],['manure','L',3,3]]")
    assert score(key, response)["f_measure"].f1 == 1.0


def test_token_numbers_on_a_key_that_has_only_text(tmp_path: Path) -> None:
    text = "Bob saw Bob , and Bob saw Ann ."
    key = jsonl(tmp_path / "key.jsonl", text=text, spans=[{"start": 18, "end": 21, "label": "PER"}])
    for first, last in ((5, 5), (5, 6)):
        response = answers(tmp_path / "answers.jsonl", f"[['Bob','PER',{first},{last}]]")
        assert score(key, response)["f_measure"].f1 == 1.0


@pytest.mark.parametrize("label", ["O", "none", "None", "NONE", "n/a", "no entity", "not an entity", "null"])
@pytest.mark.parametrize("form", ["json", "types", "lines"])
def test_labels_that_mean_none_are_no_entities(tmp_path: Path, label: str, form: str) -> None:
    key = jsonl(tmp_path / "key.jsonl", text=TEXT, spans=spans()[:1])
    texts = {
        "json": json.dumps([{"text": "Ann Lee", "label": "PER"}, {"text": "Bob", "label": label}]),
        "types": json.dumps({"PER": ["Ann Lee"], label: ["Bob"]}),
        "lines": f"- Ann Lee (PER)\n- Bob ({label})\n",
    }
    result = score(key, answers(tmp_path / "answers.jsonl", texts[form]))
    assert result["f_measure"].f1 == 1.0
    assert any("1 answer with items whose label means none" in note for note in result.warnings)


@pytest.mark.parametrize("answer", ['{"Ann Lee": "PER", "New York": "LOC"}', '{"PER": "Ann Lee", "LOC": "New York"}',
                                    '{"Ann Lee": "per", "New York": "place"}'])  # fmt: skip
def test_an_object_of_strings_and_labels_is_settled_by_the_key(tmp_path: Path, answer: str) -> None:
    key = jsonl(tmp_path / "key.jsonl", text=TEXT, spans=[spans()[0], spans()[2]])
    result = score(key, answers(tmp_path / "answers.jsonl", answer), case="fold", rename=("place=loc",))
    assert result["f_measure"].f1 == 1.0
