"""Files that are no transcripts, recognised by how they begin, so that they are never scored as if they were."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from aune.errors import Remedy
from aune.files import parse_json
from aune.reading.source import Source
from aune.syntax.numbers import parse_number

RTTM_TYPES = frozenset(
    {"SPEAKER", "SPKR-INFO", "LEXEME", "NON-LEX", "NON-SPEECH", "SEGMENT", "NOSCORE", "NO_RT_METADATA", "FILLER",
     "EDIT", "IP", "SU", "CB", "A/P"}
)  # fmt: skip
XML_NAMES = {
    "ANNOTATION_DOCUMENT": "an ELAN file", "Trans": "a Transcriber file", "basic-transcription": "an EXMARaLDA file",
    "html": "an HTML page", "TEI": "a TEI file",
}  # fmt: skip
BEGINNINGS = (
    (re.compile(r'File type = "oo|"?ooTextFile|ooBinaryFile'), "a Praat TextGrid"),
    (re.compile(r"@(?:UTF8|Begin)\b"), "a CHAT transcript"),
    (re.compile(r"#!MLF!#"), "an HTK label file"),
    (re.compile(r"\[Script Info\]"), "SubStation subtitles"),
    (re.compile(r"\d+:\d\d:\d\d\.\d+,\d+:\d\d:\d\d\.\d+\s*(?:\n|$)"), "SBV subtitles"),
    (re.compile(r"%PDF-|\{\\rtf"), "a PDF or RTF document"),
    (
        re.compile(r"#\s?begin document\b|# (?:newdoc\b|(?:sent_id|global\.\w+|text|generator) ?=)"),
        "annotated words (CoNLL)",
    ),
    (re.compile(r"#(?:title|textid|textmetadata|tokentype|part):"), "a text of SACR"),
    (
        re.compile(r"<#root>|<[\w:.-]+(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"\n]*\"|'[^'\n]*'))+\s*/?>[ \t\r]*(?:\n|$)"),
        "an XML file",
    ),
    (
        re.compile(
            r"DUMP OF SYSTEM ALIGNMENT|NIST_TEXT_ALIGNMENT|SYSTEM SUMMARY PERCENTAGES|SEGMENTATION REPORT FOR|"
            r"sc_stats:|[ =\n]*(?:DETAILED OVERALL|SENTENCE LEVEL) REPORT FOR|,-{20,}[.]"
        ),
        "a report of sclite",
    ),
    (re.compile(r'(?:;;.*\n|\s)*\* name "'), "rules for words that are the same (GLM)"),
)
XML = re.compile(r"(?:<\?xml\b[^>]*>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<([\w:.-]+)", re.DOTALL)
JSON = re.compile(r'\{\s*"|\[\s*\{')
RECOGNISER_FIELDS = (
    "segments", "words", "utterances", "results", "monologues", "recognizedPhrases", "combinedRecognizedPhrases",
    "word_segments", "chunks", "transcription", "result", "channels", "items",
    "NBest", "phrases", "combinedPhrases",
)  # fmt: skip
"""Fields of what recognisers write about one recording, in which lists of objects stand."""
RECOGNISER_SIGNS = re.compile(
    rf'"(?:{"|".join(RECOGNISER_FIELDS)})"\s*:\s*\[\s*\{{|"RecognitionStatus"\s*:\s*"|"response"\s*:\s*\{{'
)
SEGMENT_LIST = re.compile(
    r'\[\s*\{(?:\s*"(?:id|seek)"\s*:\s*\d+\s*,)*\s*"(?:start|end)"\s*:\s*[\d.]+\s*,[^{}]*"text"\s*:'
)
SEGMENT_NAMES = re.compile(r'"(?:session_id|label|labels|spans|audio\w*)"\s*:')
"""How a list of a recogniser's segments begins, and what others have in theirs."""
RECOGNISER_JSON = "the JSON of a recogniser"
READERS = {
    RECOGNISER_JSON: "recogniser_json", "a Praat TextGrid": "textgrid", "an ELAN file": "elan",
    "speaker segments in RTTM": "rttm", "SBV subtitles": "subtitles",
}  # fmt: skip
"""The format that reads a kind of file."""
MOST_LINES = 50  # that are looked at


def refuse_foreign(source: Source) -> bool:
    """Whether a file is of another kind than transcripts; this is then reported as a problem."""
    if source.is_piece and source.documents_before:
        return False  # only the beginning shows it
    kind = foreign_kind(source.head)
    if kind:
        _report_kind(source, kind)
    return bool(kind)


def refuse_columns(source: Source) -> bool:
    """Whether every line has as many columns, three or more between tabs, as tables of words have; this is reported."""
    if source.is_piece and source.documents_before:
        return False
    lines = [line for line in source.head.split("\n")[: MOST_LINES + 1][:-1] if line.strip()]
    columns = {line.count("\t") for line in lines}
    if len(columns) == 1 and min(columns) > 1:
        _report_kind(source, "a table of words")
        return True
    return False


def refuse_recogniser_json(source: Source) -> bool:
    """Whether a file is one JSON object about a whole recording; this is then reported as a problem."""
    if is_one_recording(source.head):
        _report_kind(source, RECOGNISER_JSON)
        return True
    return False


def is_one_recording(head: str) -> bool:
    """Whether a file begins as one JSON object about a whole recording, and not as several records.

    >>> is_one_recording('{"text": "a", "segments": [{"text": "a"}]}'), is_one_recording('{"id": "u1", "text": "a"}')
    (True, False)
    """
    start = head.lstrip("\ufeff \t\r\n")
    if start.startswith("["):
        return SEGMENT_LIST.match(start) is not None and SEGMENT_NAMES.search(start) is None
    first, _, rest = start.partition("\n")
    if not start.startswith("{") or (first.rstrip().endswith("}") and rest.strip()):
        return False
    return RECOGNISER_SIGNS.search(start) is not None


def _report_kind(source: Source, kind: str) -> None:
    remedy: Remedy | str = "write its texts as transcripts, such as JSON lines with `id` and `text`"
    if kind in READERS:
        remedy = Remedy("name its format", (("input_format", READERS[kind]),))
    source.add_problem(
        "file.no-transcripts", 1, 1, found=f"what looks like {kind}", expected="transcripts", remedies=[remedy]
    )


def foreign_kind(head: str) -> str:
    """What a file that is no transcript looks like by its beginning; '' where nothing says so.

    >>> foreign_kind("SPEAKER a 1 0.5 1.25 <NA> <NA> ann <NA> <NA>"), foreign_kind("u1 rec 0.5 1.75")
    ('speaker segments in RTTM', 'segments of Kaldi')
    >>> foreign_kind("[laughter] good morning"), foreign_kind("<LOC> york </LOC> is far")
    ('', '')
    """
    start = head.lstrip("\ufeff \t\r\n")
    for pattern, kind in BEGINNINGS:
        if pattern.match(start):
            return kind
    if start.startswith(("<?xml", "<!DOCTYPE", "<html", "<TEI", *(f"<{name}" for name in XML_NAMES))):
        name = XML.match(start)
        return XML_NAMES.get(name[1], "an XML file") if name else "an XML file"
    if JSON.match(start):
        return RECOGNISER_JSON if _is_recogniser_json(head) else "JSON"
    rows = [line.split() for line in head.split("\n")[:MOST_LINES] if line.strip() and not line.startswith(";;")]
    return next((kind for kind, matches in TABLES if rows and all(map(matches, rows))), "")


def _is_recogniser_json(text: str) -> bool:
    try:
        record = parse_json(text)
    except ValueError:
        return False
    return isinstance(record, dict) and any(map(_has_objects, map(record.get, RECOGNISER_FIELDS)))


def _has_objects(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_objects, value.values()))
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _is_rttm(row: Sequence[str]) -> bool:
    return len(row) >= 8 and row[0] in RTTM_TYPES and parse_number(row[3]) is not None


def _is_segment(row: Sequence[str]) -> bool:
    return len(row) == 4 and all(parse_number(part) is not None for part in row[2:]) and parse_number(row[1]) is None


def _is_duration(row: Sequence[str]) -> bool:
    return len(row) == 2 and re.fullmatch(r"\d+\.\d+", row[1]) is not None


def _is_speaker_map(row: Sequence[str]) -> bool:
    """An utterance and its speaker, or a speaker and its utterances, in names of three letters or more."""
    speaker, *names = sorted(row, key=len)
    return len(row) > 1 and len(speaker) > 2 and bool(re.search(r"\d", speaker)) and all(
        name.startswith((f"{speaker}-", f"{speaker}_")) for name in names
    )  # fmt: skip


def _is_recording(row: Sequence[str]) -> bool:
    return len(row) > 1 and (row[-1] == "|" or (len(row) == 2 and row[1].endswith((".wav", ".flac", ".sph", ".mp3"))))


def _is_gender(row: Sequence[str]) -> bool:
    return len(row) == 2 and row[1] in ("m", "f") and bool(re.search(r"\d", row[0]))


TABLES: tuple[tuple[str, Callable[[Sequence[str]], bool]], ...] = (
    ("speaker segments in RTTM", _is_rttm),
    ("segments of Kaldi", _is_segment),
    ("durations of Kaldi (utt2dur)", _is_duration),
    ("speakers of Kaldi (utt2spk or spk2utt)", _is_speaker_map),
    ("recordings of Kaldi (wav.scp)", _is_recording),
    ("genders of Kaldi (spk2gender)", _is_gender),
)
"""Tables without a heading, with what each of their rows is."""
