"""The SGML of MUC-6 and MUC-7."""

from __future__ import annotations

from pathlib import Path

from aune.contract import registry
from tests.tasks.formats import read as read_text

SAMPLES = Path(__file__).parent / "samples"
TASK = registry.task("entities")


def test_names_types_and_alternatives() -> None:
    text = '<DOC><DOCID> a1 </DOCID>\nMr. <ENAMEX TYPE="LOCATION|ORGANIZATION">Reading</ENAMEX>\n</DOC>\n'
    (document,) = read_text("entities", "muc_sgml", text)
    assert document.id == "a1" and [label for _, _, label in document.triples()] == ["LOCATION"]
    assert [[span.label for span in spans] for spans in document.others[0]] == [["ORGANIZATION"]]


def test_optional_entities_may_be_missing() -> None:
    text = '<DOC><ENAMEX TYPE="PERSON" STATUS="OPT">Ann</ENAMEX> and <ENAMEX TYPE="PERSON">Eve</ENAMEX></DOC>'
    (document,) = read_text("entities", "muc_sgml", text)
    assert document.others == {0: ((),)}


def test_documents_without_text_stay_documents() -> None:
    text = "<DOC id=a></DOC><DOC id=b>x</DOC>"
    assert [item.length for item in read_text("entities", "muc_sgml", text)] == [0, 1]
