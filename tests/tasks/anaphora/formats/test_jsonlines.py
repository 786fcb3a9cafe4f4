"""JSON lines of anaphors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aune.reading.source import Source
from aune.tasks.anaphora.formats.jsonlines import read, splice, write
from aune.tasks.anaphora.model import Anaphor, make_document

SAMPLE = Path(__file__).parent / "samples" / "jsonlines-two.jsonl"


def test_what_is_written_is_read_again() -> None:
    before = list(read(Source("x", SAMPLE.read_bytes())))
    after = list(read(Source("x", "".join(write(before)).encode())))
    plain = [[anaphor._replace(line=0) for anaphor in item.anaphors] for item in before]
    assert [[anaphor._replace(line=0) for anaphor in item.anaphors] for item in after] == plain
    assert [item.chains for item in after] == [item.chains for item in before]


def test_an_edit_touches_one_anaphor() -> None:
    text = SAMPLE.read_text()
    first, second = read(Source("x", text.encode()))
    anaphors = [first.anaphors[0], Anaphor("it", ("3-4",))]
    edited = make_document(first.id, anaphors, chains=[["3-4", "12", "20"]], kinds=first.kinds)
    written = splice(Source("x", text.encode()), [edited, second]).decode()
    expected = text.replace('{"anaphor": "it", "antecedent": null}', '{"anaphor": "it", "antecedents": ["3-4"]}')
    assert written == expected.replace('[["3-4", "12", "20"]]', '[["3-4", "7", "12", "20", "it"]]')


def test_an_anaphor_is_added_and_removed() -> None:
    text = SAMPLE.read_text()
    first, second = read(Source("x", text.encode()))
    edited = replace(second, anaphors=(Anaphor("he", ("Ann",)),), chains={"Ann": 0, "he": 0})
    written = splice(Source("x", text.encode()), [first, edited]).decode()
    assert written == text.replace('"anaphors": []', '"anaphors": [{"anaphor": "he", "antecedents": ["Ann"]}]')
    assert splice(Source("x", written.encode()), [first, second]).decode() == text
