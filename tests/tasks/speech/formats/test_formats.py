"""What holds for every format of transcripts."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import aune
from aune.contract import registry
from aune.contract.options import options_of
from aune.reading.corpus import read
from aune.tasks.speech.alignment.networks import OptionalWord, Tree, first_wording, has_choices
from aune.tasks.speech.model import (
    Document,
    Entity,
    Recording,
    Utterance,
    check,
    content_counts,
    describe,
    documents,
    utterances,
)
from tests.tasks.formats import read as read_text
from tests.tasks.formats import write_text

TASK = registry.task("speech")
FORMATS = {form.name: form for form in registry.formats("speech")}
SAMPLES = sorted((Path(__file__).parent / "samples").iterdir())
every_format = pytest.mark.parametrize("form", FORMATS)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_compressed_files_with_other_line_ends(path: Path, tmp_path: Path) -> None:
    form = path.name.partition("-")[0]
    (tmp_path / "file.gz").write_bytes(gzip.compress(path.read_bytes().replace(b"\n", b"\r\n")))
    corpus = read(TASK, tmp_path / "file.gz")
    expected = read_text("speech", form, path.read_text())
    assert corpus.format == form
    assert [list(utterance.words) for utterance in utterances(corpus.documents)] == [
        list(utterance.words) for utterance in utterances(expected)
    ]


def test_entities_in_tags() -> None:
    text = "we met <PER>Ann <X> Lee </X></PER> in <LOC> new york </LOC>"
    wanted = (Entity(3, 4, "X"), Entity(2, 4, "PER"), Entity(5, 7, "LOC"))
    for form, line in (("lines", text), ("kaldi", f"u1 {text}"), ("trn", f"{text} (u1)")):
        assert read_text("speech", form, line, markup="inline")[0].entities == wanted
    assert read_text("speech", "lines", "<LOC> paris </LOC>")[0].words == ["<LOC>", "paris", "</LOC>"]


def test_ids_are_matched_whatever_the_order(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("u1 a b\nu2 c d\nu3 e\n")
    (tmp_path / "response").write_text("u3 e\nu9 x\nu1 a b\n")
    paths = str(tmp_path / "key"), str(tmp_path / "response")
    result = aune.score("speech", *paths, measures=["wer"])
    assert result["wer"].counts == {"correct": 3, "substitutions": 0, "deletions": 2, "insertions": 0}
    assert any(
        "1 utterance (u2) of the key missing (33 % of its 3 utterances), scored as empty" in note
        for note in result.warnings
    )
    assert any("1 utterance (u9) not in the key, ignored" in note for note in result.warnings)
    assert "|missing:empty|extra:ignore|" in str(result["wer"].signature)
    assert aune.score("speech", *paths, measures=["wer"], missing="skip")["wer"].wer == 0.0
    assert aune.score("speech", *paths, measures=["wer"], extra="count")["wer"].counts["insertions"] == 1


def test_names_once(tmp_path: Path) -> None:
    (tmp_path / "twice").write_text("u1 a\nu1 b\n")
    with pytest.raises(aune.InputError, match="found document 'u1' a second time"):
        read(TASK, tmp_path / "twice", "kaldi")


PIECES = st.sampled_from(
    ["a", "b", " ", "\n", "(", ")", "{", "}", "/", "@", ";", "\\", "<", ">", "</A>", "<A>", '"', ",", "\t", "[", "]",
     ":", "0", "1.5", "-", "f A 0 1 ", "f A s 0 1 ", '{"text": ', '"words"', "id,text\n", "\0", "é", "<ALT>",
     "<ALT_BEGIN>", "nan", "inf", "null"]
)  # fmt: skip


@every_format
@given(text=st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=60))
def test_what_is_read_has_words_with_letters(form: str, text: str) -> None:
    for options in ({}, {"markup": "inline"}) if "markup" in options_of(FORMATS[form].read) else ({},):
        try:
            result = read_text("speech", form, text, **options)
        except aune.InputError:
            continue
        for utterance in utterances(result):
            assert isinstance(utterance, Utterance) and all(isinstance(word, str) and word for word in utterance.words)
        assert check(result) == []


# Writing: whatever the words and names, what is written comes back, or is refused, or its loss is said.

WORDS = st.sampled_from(
    ["a", "b", "new york", "(uh)", "(", "a)", "{", "}", "/", "a/b", "@", ";", "a;b", ";;", "\\;", "<unk>", "<o,f0>",
     "<ALT>", "é", "\u2028x", "\xa0", "", "0.5", '"', ",", "\t"]
)  # fmt: skip
NAMES = st.sampled_from(["u1", "spk-2", "f/a", "F/A", "two words", "(x)", "", ";;c", "é", "3", "a\tb", '"q"', "\u2028"])
PLAIN = st.lists(st.sampled_from(["a", "b", "c;d"]), max_size=3)
TREES: st.SearchStrategy[Tree] = st.lists(
    st.sampled_from(["a", "@", OptionalWord("m"), "/"]) | st.lists(PLAIN, min_size=1, max_size=3),
    min_size=1,
    max_size=3,
)  # type: ignore[assignment]
TIMES = st.sampled_from([(0.0, 1.5), (1.5, 3.0), (3.25, 4.5)])


@st.composite
def single(draw: st.DrawFn) -> Utterance:
    tree = draw(st.none() | TREES)
    tree = tree if tree and has_choices(tree) else None
    words = first_wording(tree) if tree else draw(st.lists(WORDS, max_size=3) | PLAIN)
    items = tree if tree else words
    fields = draw(st.dictionaries(st.sampled_from(["speaker", "document", "genre", "text"]), st.sampled_from("ab\t")))
    times = [(float(place), place + 0.5) for place in range(len(items))] if draw(st.booleans()) else None
    entities = (Entity(0, 1, "X"),) if words and draw(st.booleans()) else ()
    span = draw(st.none() | TIMES)
    return Utterance(draw(NAMES), words, fields, entities, times, tree, span)


@st.composite
def recording(draw: st.DrawFn) -> Recording:
    spans = draw(st.lists(TIMES, min_size=1, max_size=3, unique=True))
    parts = [
        Utterance(f"f/a/{begin}-{end}", draw(PLAIN), {"document": "f", "channel": "A", "speaker": "s", "labels": ""},
                  span=(begin, end), ignored=draw(st.booleans()))
        for begin, end in sorted(spans)
    ]  # fmt: skip
    return Recording("f/a", tuple(part._replace(text=[] if part.ignored else part.text) for part in parts))


CORPORA = st.lists(single(), min_size=1, max_size=3, unique_by=lambda document: document.id.lower()) | st.lists(
    recording(), min_size=1, max_size=1
)


def contents_of(result: list[Document], lost: set[str], sessions: bool) -> list[Any]:
    """What documents hold, without what is said to be lost; `sessions`: as one text each."""
    if sessions:
        several = "alternatives" not in lost
        texts = [
            [item for part in utterances([entry]) for item in (several and part.tree) or part.words] for entry in result
        ]
        names = [document.id.lower() if "capitals in names" in lost else document.id for document in result]
        return sorted(zip(names, texts, strict=True))
    rows = []
    for number, utterance in enumerate(utterances(result)):
        remaining = {
            name: value for name, value in utterance.attributes.items() if value and name in ("speaker", "genre")
        }
        rows.append([
            number if "names" in lost else utterance.id.lower() if "capitals in names" in lost else utterance.id,
            utterance.tree if utterance.tree and "alternatives" not in lost else list(utterance.words),
            () if "entities" in lost else utterance.entities,
            None if "fields" in lost else remaining.get("genre"),
        ])  # fmt: skip
    return rows


@pytest.mark.parametrize("form", [name for name, form in FORMATS.items() if form.write])
@given(corpus=CORPORA)
@example(corpus=[Utterance("f/a", ["a"], {}, (), [(0.0, 0.5), (1.0, 1.5)], ["a", [[]]])])
def test_what_is_written_comes_back(form: str, corpus: list[Document]) -> None:
    lost = {what for what, count in content_counts(corpus).items() if count and what not in FORMATS[form].carries}
    lost |= {"names"} if form == "lines" else set()  # segments are named by their times, which are lost
    try:
        text = write_text("speech", form, corpus)
    except aune.UsageError:
        return
    again = read_text("speech", form, text)
    if form in ("rttm", "subtitles", "textgrid"):  # speakers and files are the documents there
        words = [
            sorted(word for utterance in utterances(documents) for word in utterance.words)
            for documents in (again, corpus)
        ]
        assert words[0] == words[1]
        return
    sessions = form in ("seglst", "ctm")
    assert contents_of(again, lost, sessions) == contents_of(corpus, lost, sessions)


def test_describe_and_check() -> None:
    profile = describe(read_text("speech", "stm", "f1 A ann 0 1 good morning\nf1 A bob 1 2 the end\n"))
    assert profile["utterances"] == 2 and profile["words"] == 4 and profile["speakers"] == 2
    bad = documents({"u": {"text": "a b", "entities": [(1, 3, "X")], "times": [(1, 0), (0, 1)]}})
    assert [str(problem) for problem in check(bad)] == [
        "u:1:1: found entity 'X' over words 1 to 3, expected a span within the 2 words of utterance 'u': mend it",
        "u:1:1: found word 1 of 'u' from 1.0 to 0.0, expected it to end after its start: mend the times",
    ]
    with pytest.raises(aune.UsageError, match="expected a span within the 2 words"):
        aune.score("speech", {"u": {"text": "a b", "entities": [(1, 3, "X")]}}, {"u": "a"})
