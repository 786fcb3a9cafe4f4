"""Every format: what is read, that it is recognised, that it comes back when written, and what is said of bad files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.core import registry
from aune.core.corpus import Source, read
from aune.core.recognition import chosen_format
from aune.tasks.speech.alignment.networks import Maybe
from aune.tasks.speech.model import Entity, Recording, Utterance, check, describe, documents, utterances
from aune.tasks.speech.streaming import streamed

TASK = registry.task("speech")
FORMATS = {form.name: form for form in registry.formats("speech")}


def found(text: str, form: str, **options: Any) -> list[Any]:
    source = Source("file", text.encode())
    documents = list(FORMATS[form].read(source, **options))
    source.finish()
    return documents


def texts(documents: list[Any]) -> list[tuple[str, str]]:
    return [(one.id, " ".join(one.words)) for one in utterances(documents)]


EXAMPLES = {
    "trn": ";; comment\ngood morning (spk1_1)\n\n(spk1_2)\nthe end (spk2-3)\n",
    "kaldi": "spk1-1 good morning\nspk1-2\nspk2-3 the end\n",
    "lines": "good morning\n\nthe end\n",
    "manifest": '{"id": "u1", "text": "good morning", "speaker": "ann"}\n{"audio_filepath": "b.wav", "text": ""}\n',
    "seglst": '[{"session_id": "s", "speaker": "a", "start_time": 1.5, "end_time": 2, "words": "the end"},\n'
    ' {"session_id": "s", "speaker": "b", "start_time": 0, "end_time": 1, "words": "good morning"}]',
    "table": 'id,speaker,text\nu1,ann,good morning\nu2,bob,"well, yes"\n',
    "stm": ";; c\nf1 A ann 0.0 1.5 <o,f0> good morning\nf1 A ann 1.5 3 the end\nf1 B bob 0 1 hello\n",
    "ctm": "f1 A 0.05 0.24 good 0.9\nf1 A 0.4 0.2 morning\nf1 B 0 1 hello\n",
}
READ = {
    "trn": [("spk1_1", "good morning"), ("spk1_2", ""), ("spk2-3", "the end")],
    "kaldi": [("spk1-1", "good morning"), ("spk1-2", ""), ("spk2-3", "the end")],
    "lines": [("1", "good morning"), ("2", ""), ("3", "the end")],
    "manifest": [("u1", "good morning"), ("b.wav", "")],
    "seglst": [("s", "good morning the end")],
    "table": [("u1", "good morning"), ("u2", "well, yes")],
    "stm": [("f1/a/0.0-1.5", "good morning"), ("f1/a/1.5-3", "the end"), ("f1/b/0-1", "hello")],
    "ctm": [("f1/a", "good morning"), ("f1/b", "hello")],
}


@pytest.mark.parametrize("form", FORMATS)
def test_reads_and_recognises(form: str, tmp_path: Path) -> None:
    assert texts(found(EXAMPLES[form], form)) == READ[form]
    assert chosen_format(list(FORMATS.values()), "x", EXAMPLES[form]) == (FORMATS[form], [])
    (tmp_path / "file.gz").write_bytes(gzip.compress(EXAMPLES[form].replace("\n", "\r\n").encode()))
    corpus = read(TASK, tmp_path / "file.gz")
    assert corpus.format == form and texts(corpus.documents) == READ[form]


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "seglst"])
def test_what_is_written_comes_back(form: str) -> None:
    write = FORMATS[form].write
    assert write is not None
    before = found(EXAMPLES[form], form)
    assert [text for _, text in texts(found("".join(write(before)), form))] == [text for _, text in texts(before)]


def test_attributes() -> None:
    assert found(EXAMPLES["trn"], "trn")[0].attributes == {"speaker": "spk1"}
    assert found("a (4T0C01)\n", "trn", ids="wsj")[0].attributes == {"speaker": "4t0"}
    assert found(EXAMPLES["manifest"], "manifest")[0].attributes == {"speaker": "ann"}
    assert found(EXAMPLES["table"], "table")[1].attributes == {"speaker": "bob"}
    recording = found(EXAMPLES["stm"], "stm")[0]
    assert isinstance(recording, Recording) and recording.utterances[0].span == (0.0, 1.5)
    assert recording.utterances[0].attributes["labels"] == "o,f0"
    assert found(EXAMPLES["seglst"], "seglst", group="speaker")[0].attributes == {"document": "s", "speaker": "a"}
    assert found(EXAMPLES["ctm"], "ctm")[0].times == [(0.05, pytest.approx(0.29)), (0.4, pytest.approx(0.6))]


def test_fields_by_name() -> None:
    line = '{"uid": 7, "raw": "a b", "clean": "a", "story": "s", "n": 1.5, "deep": {"x": 1}}\n'
    one = found(line, "manifest", text_field=("raw",), id_field=("uid",))[0]
    assert (one.id, one.text, one.attributes["document"], one.attributes["n"]) == ("7", "a b", "s", "1.5")
    assert "deep" not in one.attributes and one.attributes["clean"] == "a"
    assert found("name\tsaid\nx\ta b\n", "table", text_field=("said",), id_field=("name",))[0].words == ["a", "b"]


def test_entities_in_tags_and_in_spans() -> None:
    text = "we met <PER>Ann <X> Lee </X></PER> in <LOC> new york </LOC>"
    wanted = (Entity(3, 4, "X"), Entity(2, 4, "PER"), Entity(5, 7, "LOC"))
    for form, line in (("lines", text), ("kaldi", f"u1 {text}"), ("trn", f"{text} (u1)")):
        assert found(line, form, markup="inline")[0].entities == wanted
    assert found("<LOC> paris </LOC>", "lines")[0].words == ["<LOC>", "paris", "</LOC>"]
    record = {"id": "u", "words": ["new", "york"], "entities": [[0, 2, "LOC"], {"start": 1, "end": 2, "label": "X"}]}
    one = found(json.dumps(record | {"times": [[0, 1], [1, 2.5]]}), "manifest")[0]
    assert one.entities == (Entity(0, 2, "LOC"), Entity(1, 2, "X")) and one.times == [(0.0, 1.0), (1.0, 2.5)]


def test_choices() -> None:
    one = found("a { b / c d / @ } (e) f;tag g\\;h (u)", "trn")[0]
    assert one.tree == ["a", [["b"], ["c", "d"], ["@"]], "e", "f", "g;h"] and isinstance(one.tree[2], Maybe)
    assert list(one.words) == ["a", "b", "e", "f", "g;h"]
    assert found("a (e) (u)", "trn", optional=False)[0].words == ["a", "(e)"]
    ctm = "f A 0 1 a\nf A * * <ALT_BEGIN>\nf A 1 1 b\nf A * * <ALT>\nf A 1 2 c\nf A * * <ALT_END>\nf A 3 1 d\n"
    one = found(ctm, "ctm")[0]
    assert one.tree == ["a", [["b"], ["c"]], "d"] and one.times == [(0, 1), (1, 3), (3, 4)]


def test_ids_are_matched_whatever_the_order(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("u1 a b\nu2 c d\nu3 e\n")
    (tmp_path / "response").write_text("u3 e\nu9 x\nu1 a b\n")
    paths = str(tmp_path / "key"), str(tmp_path / "response")
    result = aune.score("speech", *paths, measures=["wer"])
    assert result["wer"].counts == {"correct": 3, "substitutions": 0, "deletions": 2, "insertions": 0}
    assert any("1 document (u2) of the key missing, scored as empty" in note for note in result.warnings)
    assert any("1 document (u9) not in the key, ignored" in note for note in result.warnings)
    assert "|missing:empty|extra:ignore|" in str(result["wer"].signature)
    assert aune.score("speech", *paths, measures=["wer"], missing="skip")["wer"].wer == 0.0
    assert aune.score("speech", *paths, measures=["wer"], extra="count")["wer"].counts["insertions"] == 1


MALFORMED = [
    ("trn", "good morning", {},
     "1:13: found 'good morning', expected the utterance's name in parentheses at the end: add (name)"),
    ("trn", "a ()", {}, "1:3: found (), expected the utterance's name: write it in the parentheses"),
    ("trn", "a { b (u)", {}, "1:1: found '{', expected a '}' after it: mend the braces"),
    ("trn", "a } b (u)", {}, "1:1: found '}', expected a '{' before it: mend the braces"),
    ("lines", "a </PER>", {"markup": "inline"},
     "1:3: found </PER>, expected <PER> before it and nothing left open between: mend the tags"),
    ("manifest", '{"words": ["a", ""]}', {},
     "1:1: found a list in 'words', expected a string or a list of words: mend the field"),
    ("manifest", "{", {},
     "1:1: found no JSON (Input data was truncated), expected an object on each line: mend the line"),
    ("manifest", "[1]", {}, "1:1: found a list, expected an object: write {…} on each line"),
    ("manifest", '{"id": 1}', {"text_field": ("text", "words")},
     "1:1: found no text, expected a field text, words: name it with --text-field"),
    ("manifest", '{"text": 3}', {},
     "1:1: found a number in 'text', expected a string or a list of words: mend the field"),
    ("manifest", '{"text": "a", "entities": [[0, 2, "X"]]}', {},
     '1:1: found the entity [0, 2, "X"], expected [start, end, type] within the 1 words: mend the entity'),
    ("manifest", '{"text": "a", "times": [[0, 1], [1, 2]]}', {},
     "1:1: found 2 times that should be [begin, end], expected one for each of the 1 words: mend them"),
    ("seglst", "{}", {}, "1:1: found no list, expected [{…}, …] with a segment in each pair of braces: mend the file"),
    ("seglst", '[{"words": "a"}]', {},
     "1:1: found segment 1 without a session_id or words, expected an object with session_id and words: mend it"),
    ("table", "a,b\n1,2", {"text_field": ("text",)},
     "1:1: found the columns ['a', 'b'], expected one of text: name it with --text-field"),
    ("table", "id,text\nu1,well, yes", {},
     "2:1: found 3 columns, expected the 2 of the header: quote text that has commas"),
    ("stm", "f A ann 0", {},
     "1:1: found 4 columns, expected recording, channel, speaker, begin and end, then the text: add what is missing"),
    ("stm", "f A ann x 1 a", {},
     "1:1: found 'x', expected a time in seconds: check the columns (recording, channel, speaker, begin and end)"),
    ("stm", "f A ann 2 1 a", {}, "1:1: found a segment from 2 to 1, expected it to end after its start: mend it"),
    ("ctm", "f A 0 1", {}, "1:1: found 4 columns, expected recording, channel, begin, duration and word: add them"),
    ("ctm", "f A 0 -1 a", {},
     "1:1: found the times '0' and '-1', expected a begin and a duration in seconds: mend them"),
    ("ctm", "f A * * <ALT>", {}, "1:1: found <ALT>, expected <ALT_BEGIN> before it: mend the alternatives"),
    ("ctm", "f A * * <ALT_BEGIN>", {}, "1:1: found <ALT_BEGIN> in f/a, expected <ALT_END> after it: close it"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "text", "options", "message"), MALFORMED)
def test_bad_files_are_told_what_is_wrong(form: str, text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(aune.InputError) as caught:
        found(text, form, **options)
    assert str(caught.value) == f"file:{message}"


def test_all_problems_at_once_and_names_once(tmp_path: Path) -> None:
    with pytest.raises(aune.InputError) as caught:
        found("a\nb\nc (u)\n", "trn")
    assert len(caught.value.problems) == 2
    (tmp_path / "twice").write_text("u1 a\nu1 b\n")
    with pytest.raises(aune.InputError, match="found document 'u1' a second time"):
        read(TASK, tmp_path / "twice", "kaldi")


PIECES = st.sampled_from(
    ["a", "b", " ", "\n", "(", ")", "{", "}", "/", "@", ";", "\\", "<", ">", "</A>", "<A>", '"', ",", "\t", "[", "]",
     ":", "0", "1.5", "-", "f A 0 1 ", "f A s 0 1 ", '{"text": ', '"words"', "id,text\n", "\0", "é", "<ALT>",
     "<ALT_BEGIN>", "nan", "inf", "null"]
)  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=80)
@given(st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=60))
def test_readers_raise_nothing_but_input_errors(form: str, text: str) -> None:
    for options in ({}, {"markup": "inline"}):
        known = {
            name: value
            for name, value in options.items()
            if form in ("trn", "stm", "kaldi", "lines", "manifest", "table")
        }
        try:
            documents = found(text, form, **known)
        except aune.InputError:
            continue
        for one in utterances(documents):
            assert isinstance(one, Utterance) and all(isinstance(word, str) and word for word in one.words)
        assert check(documents) == []
    FORMATS[form].sniff(text)


def test_describe_and_check() -> None:
    profile = describe(found(EXAMPLES["stm"], "stm"))
    assert profile["utterances"] == 3 and profile["words"] == 5 and profile["speakers"] == 2
    bad = documents({"u": {"text": "a b", "entities": [(1, 3, "X")], "times": [(1, 0), (0, 1)]}})
    assert [str(problem) for problem in check(bad)] == [
        "u:1:1: found entity 'X' over words 1 to 3, expected a span within the 2 words of utterance 'u': mend it",
        "u:1:1: found word 1 of 'u' from 1.0 to 0.0, expected it to end after its start: mend the times",
    ]
    with pytest.raises(aune.UsageError, match="expected a span within the 2 words"):
        aune.score("speech", {"u": {"text": "a b", "entities": [(1, 3, "X")]}}, {"u": "a"})


def test_one_manifest_can_hold_both_sides(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    both = {"text": "we met in new york", "pred_text": "we met new york", "entities": [[3, 5, "LOC"]]}
    path.write_text(json.dumps({"audio_filepath": "a.wav", **both, "times": [[0, 1]] * 5}) + "\n")
    sides = {"text_field": "text", "response_text_field": "pred_text"}
    result = aune.score("speech", path, path, measures=["wer", "ne_wer"], **sides)
    assert result["wer"].counts == {"correct": 4, "substitutions": 0, "deletions": 1, "insertions": 0}
    assert result["ne_wer"].ne_wer == 0.0
    signed = result["wer"].signature.options
    assert (signed["text_field"], signed["response_text_field"]) == ("text", "pred_text")
    again = aune.score("speech", path, path, measures=["wer"], **{name: signed[name] for name in sides})
    assert again["wer"].signature == result["wer"].signature
    stream = streamed(path, path, format="manifest", measures=["wer"], **sides)
    assert stream["wer"].counts == result["wer"].counts
    with pytest.raises(aune.UsageError, match="did you mean 'response_text_field'"):
        aune.score("speech", path, path, response_text_fild="pred_text")


def test_an_option_of_the_response_s_format_alone_is_signed(tmp_path: Path) -> None:
    path = tmp_path / "response.jsonl"
    path.write_text('{"id": "u", "mine": "a b"}\n')
    found = aune.score("speech", {"u": "a b"}, path, measures=["wer"], text_field="mine")["wer"]
    assert found.wer == 0.0 and found.signature.options["text_field"] == "mine"


def test_a_name_says_more_than_plain_lines(tmp_path: Path) -> None:
    bad = tmp_path / "bad.trn"
    bad.write_text("good morning\nthe end (u-1)\n")
    with pytest.raises(aune.InputError, match=r"bad.trn:1:13: found 'good morning', expected the utterance's name"):
        aune.score("speech", bad, bad)


def test_a_file_of_blank_lines_is_empty_transcripts(tmp_path: Path) -> None:
    key, response = tmp_path / "key", tmp_path / "response"
    key.write_text("\n\n")
    response.write_text("a b\n\n")
    result = aune.score("speech", key, response, measures=["wer", "sentence_error"])
    assert result["wer"].wer is None and result["wer"].counts["insertions"] == 2
    assert result["sentence_error"].counts == {"wrong": 1, "utterances": 2}


def test_entities_beside_alternatives_are_told_not_read() -> None:
    source = Source("file", b"in <LOC> new { york / yorke } </LOC> <unk> (u-1)\n")
    (one,) = FORMATS["trn"].read(source, markup="inline")
    assert list(one.words) == ["in", "new", "york", "<unk>"] and one.entities == ()
    assert source.warnings == ["file: line 1: entities left out, since the utterance has several wordings"]
