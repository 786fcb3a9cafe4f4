"""Files of other kinds are never taken for transcripts."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import aune

FOREIGN = {
    "kaldi/mini_librispeech/segments": "segments of Kaldi", "kaldi/mini_librispeech/utt2spk": "speakers of Kaldi",
    "kaldi/mini_librispeech/spk2utt": "speakers of Kaldi", "kaldi/mini_librispeech/utt2dur": "durations of Kaldi",
    "kaldi/mini_librispeech/wav.scp": "recordings of Kaldi", "kaldi/mini_librispeech/spk2gender": "genders of Kaldi",
    "tei/L00001.xml": "XML file", "tei/gerdracor.Evander_Act1_Scene1.part.xml": "XML file",
    "conll2003/skillspan_tech_test.conll.gz": "a table of words",
    "conll2012/Evander_Act1.part.xml.ndtw.0.CoNLL2012.conll.gz": "annotated words",
    "corefud/GUM_news_nasa.conllu": "annotated words", "crac-text/gum_2docs.back.conllu": "annotated words",
    "sacr/aesop.sacr": "a text of SACR",
}  # fmt: skip
READ = {
    "rttm/ES2011a.rttm": "speaker segments in RTTM", "textgrid/mary_longfile.TextGrid": "a Praat TextGrid",
    "elan/sample_2.7.eaf.gz": "an ELAN file", "whisper-json/whisper_timestamped.json": "the JSON of a recogniser",
    "cloud-asr-json/azure.json": "the JSON of a recogniser", "subtitles/sample.sbv": "SBV subtitles",
}  # fmt: skip
"""Files that have a format of their own."""


def copy_of(data: Path, name: str, path: Path) -> Path:
    """The plain copy of an export, under another name."""
    export = data / "exports" / name
    if not export.exists():
        pytest.skip(f"{export} is absent: the exports are in ../shared/data")
    content = export.read_bytes()
    path.write_bytes(gzip.decompress(content) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("ending", ["", ".txt"])
def test_what_tools_export_is_refused_by_its_kind(name: str, ending: str, data: Path, tmp_path: Path) -> None:
    path = copy_of(data, name, tmp_path / (Path(name).name.removesuffix(".gz") + ending))
    with pytest.raises(aune.InputError) as refusal:
        aune.score("speech", str(path), str(path))
    [problem] = set(refusal.value.problems)
    assert problem.code == "file.no-transcripts"
    assert FOREIGN[name] in problem.found


@pytest.mark.parametrize("name", READ)
def test_what_has_a_format_of_its_own_is_not_read_in_another(name: str, data: Path, tmp_path: Path) -> None:
    path = copy_of(data, name, tmp_path / "file")
    with pytest.raises(
        aune.InputError, match=f"found what looks like {READ[name]}.*recogniser_json|rttm|textgrid|elan|subtitles"
    ):
        aune.score("speech", str(path), str(path), key_format="lines", response_format="lines")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('<?xml version="1.0"?>\n<root>\n<p>hello</p>\n</root>\n', "an XML file"),
        ("<!DOCTYPE html>\n<html><body>hello</body></html>\n", "an HTML page"),
        ("SPEAKER a 1 0.5 1.25 <NA> <NA> ann <NA> <NA>\n", "speaker segments in RTTM"),
        ("@UTF8\n@Begin\n*CHI:\thello .\n@End\n", "a CHAT transcript"),
        ("u1 rec 0.5 1.75\nu2 rec 2 3\n", "segments of Kaldi"),
        ('{"text": "a",\n "segments": [{"id": 0, "text": "a"}]}\n', "the JSON of a recogniser"),
        ('[\n {"label": "0"}\n]\n', "JSON"),
        ("#begin document (d); part 000\nd 0 0 the - -\n#end document\n", "annotated words"),
    ],
)
@pytest.mark.parametrize("form", ["lines", "kaldi"])
def test_naming_a_format_does_not_make_a_transcript_of_it(text: str, kind: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / "key.txt"
    path.write_text(text)
    with pytest.raises(aune.InputError, match=f"found what looks like {kind}"):
        aune.score("speech", str(path), str(path), key_format=form, response_format=form)


@pytest.mark.parametrize(
    "text",
    [
        "[laughter] good morning\n",
        "<LOC> york </LOC> is far\n",
        "{ um / uh } been\n",
        "10.5\n",
        "spk1 spk1\n",
        "# one\n",
        "a\tb\n",
    ],
)
def test_transcripts_that_look_a_little_like_other_files_are_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "key.txt"
    path.write_text(text)
    assert aune.score("speech", str(path), str(path))["wer"].main == 0


def test_tables_of_words_are_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "key.txt"
    path.write_text("Ann\tB-PER\tx\nran\tO\ty\n\nHe\tO\tx\n")
    with pytest.raises(aune.InputError, match="found what looks like a table of words"):
        aune.score("speech", str(path), str(path), key_format="lines", response_format="lines")


def test_a_record_with_segments_and_a_neighbour_is_a_manifest(tmp_path: Path) -> None:
    path = tmp_path / "key.jsonl"
    record = '{"id": "u%d", "text": "a b", "segments": [{"text": "a"}]}\n'
    path.write_text(record % 1 + record % 2)
    assert aune.score("speech", str(path), str(path))["wer"].main == 0


SCLITE = {
    '<SYSTEM title="a.ctm" format="2.4">\n<SPEAKER id="100">\nC,"so",so:C,"good",good\n': "an XML file",
    "\n\n\t\tDUMP OF SYSTEM ALIGNMENT STRUCTURE\n\nSystem name:   a.hyp\n": "a report of sclite",
    f"{'=' * 79}\n\n{' ' * 21}SENTENCE LEVEL REPORT FOR THE SYSTEM:\n   Name: a.hyp\n": "a report of sclite",
    f"{' ' * 20}SYSTEM SUMMARY PERCENTAGES by SPEAKER\n": "a report of sclite",
    f",{'-' * 60}.\n| System: a.ctm |\n": "a report of sclite",
    ';; Global rules\n* name "et94_3.glm"\n[AMERICA] => [america] / [ ] __ [ ]\n': "rules for words",
}


@pytest.mark.parametrize("content", SCLITE)
def test_what_sclite_writes_is_no_transcript(content: str, tmp_path: Path) -> None:
    """Its alignments, reports and rules were scored as plain lines."""
    (tmp_path / "a.txt").write_text(content)
    with pytest.raises(aune.InputError, match=SCLITE[content]):
        aune.score("speech", str(tmp_path / "a.txt"), str(tmp_path / "a.txt"))


@pytest.mark.parametrize("line", ["<LOC> york </LOC> is far", '<ne type="LOC"> york </ne> is far', "== so", ",- well"])
def test_markup_in_a_transcript_is_no_sign_of_another_kind(line: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{line}\nand so on\n")
    assert aune.score("speech", str(tmp_path / "a.txt"), str(tmp_path / "a.txt"))["wer"].main == 0
