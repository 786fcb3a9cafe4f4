"""A conversion reads back what it wrote, and counts what did not come back."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.contract import registry
from aune.errors import UsageError
from aune.reading.conversion import convert_documents, count_losses, splice_documents
from aune.reading.source import Source
from aune.tasks.coref.model import Mention, make_document

COREF = registry.task("coref")
RICH = make_document(
    "d",
    [Mention(0, 2, "Ann", head=1), Mention(2, 3, "Ann", features={"gender": "f"})],
    tokens=["Ann", "Lee met", "her"],
)


def test_what_a_format_has_no_place_for_is_counted() -> None:
    assert convert_documents(COREF, registry.format("coref", "conll2012"), [RICH]).lost == {
        "chain names": 1,
        "features": 1,
        "heads": 1,
    }
    lossy = convert_documents(COREF, registry.format("coref", "partition"), [RICH]).lost
    assert lossy == {"tokens": 3, "features": 1, "heads": 1, "chain names": 1}


def test_blanks_inside_tokens_are_kept_or_said_to_be_lost() -> None:
    assert "tokens" not in convert_documents(COREF, registry.format("coref", "corefud"), [RICH]).lost
    assert convert_documents(COREF, registry.format("coref", "sacr"), [RICH]).lost["tokens"] == 1


def test_names_that_a_file_gives_are_said_to_be_lost() -> None:
    conversion = convert_documents(COREF, registry.format("coref", "brat"), [RICH], "other.ann")
    assert conversion.lost["document names"] == 1
    assert conversion.beside == {".txt": b"Ann Lee met her"}


def test_documents_that_vanish_are_counted() -> None:
    assert count_losses(COREF, [RICH, make_document("e", [])], [RICH]) == {"documents": 1}


def test_a_splice_keeps_what_stands_beside(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann \t saw her")
    (tmp_path / "a.ann").write_text("T1\tPer 0 3\tAnn\n")
    form = registry.format("coref", "brat")
    source = Source(str(tmp_path / "a.ann"), (tmp_path / "a.ann").read_bytes(), tmp_path / "a.ann")
    [before] = form.read(source)
    conversion = splice_documents(COREF, form, source, [before])
    assert (conversion.data, conversion.beside, conversion.lost) == (
        b"T1\tPer 0 3\tAnn\n",
        {".txt": b"Ann \t saw her"},
        {},
    )


def test_formats_that_are_only_read_are_refused() -> None:
    with pytest.raises(UsageError, match="is only read"):
        convert_documents(COREF, registry.format("anaphora", "coref"), [RICH])
    with pytest.raises(UsageError, match="has no way to put"):
        splice_documents(COREF, registry.format("anaphora", "coref"), Source("a", b""), [])
