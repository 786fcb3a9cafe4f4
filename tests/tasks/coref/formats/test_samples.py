"""What holds for every format: samples are recognised and read, and come back from a conversion."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from aune.contract import registry
from aune.contract.format import Format
from aune.errors import InputError, UsageError
from aune.reading.source import Source
from aune.tasks.coref.losses import CONTENT_NAMES, content_counts
from aune.tasks.coref.model import Document, Mention, make_document, token_spans

SAMPLES = [
    path
    for path in sorted((Path(__file__).parent / "samples").iterdir())
    if path.suffix != ".txt" or not path.with_suffix(".ann").exists()
]
FORMATS = [form for form in registry.formats("coref") if form.write]


def read(form: Format, path: Path) -> list[Document]:
    source = Source(str(path), path.read_bytes(), path)
    documents = list(form.read(source))
    source.raise_problems()
    return documents


def own(path: Path) -> Format:
    return registry.format("coref", path.name.partition("-")[0])


def again(form: Format, documents: list[Document]) -> list[Document]:
    assert form.write
    source = Source(f"{documents[0].id}.x", "".join(form.write(documents)).encode())
    result = list(form.read(source))
    source.raise_problems()
    return result


def clusters(document: Document) -> list[list[tuple[int, ...]]]:
    """The chains in token numbers, each in order."""
    chains: dict[int, list[tuple[int, ...]]] = {}
    for span, number in zip(token_spans(document).tolist(), document.chains.tolist(), strict=True):
        chains.setdefault(number, []).append(tuple(span))
    return sorted(map(sorted, chains.values()))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("change", ["bom", "crlf", "blanks"])
def test_samples_survive_what_editors_do(path: Path, change: str) -> None:
    plain = path.read_bytes()
    changed = {"bom": b"\xef\xbb\xbf" + plain, "crlf": plain.replace(b"\n", b"\r\n"), "blanks": plain + b"\n\n"}[change]
    source = Source(str(path), changed, path)
    documents = list(own(path).read(source))
    source.raise_problems()
    assert own(path).sniff(source.head)
    for before, after in zip(read(own(path), path), documents, strict=True):
        assert (before.id, clusters(before), before.tokens) == (after.id, clusters(after), after.tokens)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@pytest.mark.parametrize("data", [b"", b"\n", b" \n\t\n", b"\x00\x01\x02\xfe", bytes(range(256)), b"\xff\xfe\x00"])
def test_nothing_and_garbage(form: Format, data: bytes) -> None:
    source = Source("x", data)
    try:
        assert not form.sniff(source.head)
        documents = list(form.read(source))
        source.raise_problems()
    except InputError:
        return
    assert sum(map(len, documents)) == 0
    assert documents == [] or form.beside  # where the text is in a file beside, an empty one is a text without mentions


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_format_says_what_it_carries_and_documents_itself(form: Format) -> None:
    assert form.carries <= set(CONTENT_NAMES)
    assert ": " in form.documentation.split("\n")[0], "expected the name of the format, a colon, and what it is"
    assert form.suffixes


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_conversion_keeps_the_chains_and_what_the_format_carries(path: Path, form: Format) -> None:
    for before in read(own(path), path):
        try:
            [after] = again(form, [before])
        except UsageError as error:
            assert before.unit != "token" or re.search(r"cross|cannot", str(error)), "a refusal gives its reason"
            continue
        if form.beside and after.tokens is None:
            assert sorted(map(len, clusters(after))) == sorted(map(len, clusters(before)))
        elif after.unit != "name":
            assert clusters(after) == clusters(before)
        contents, remaining = content_counts([before]), content_counts([after])
        placed = (
            {"tokens", "sentences"} if before.tokens is None or not before.tokens or before.sentences is None else set()
        )
        for name in form.carries - placed - {"heads"}:
            assert remaining.get(name, 0) == contents.get(name, 0), name
        if "heads" in form.carries:  # CorefUD gives heads to mentions of one word
            assert remaining.get("heads", 0) >= contents.get("heads", 0)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_documents_without_tokens_get_placeholders(form: Format) -> None:
    before = make_document("a", [Mention(1, 3, 0), Mention(4, 5, 0)])
    [after] = again(form, [before])
    if not form.beside:
        assert clusters(after) == clusters(before)


@pytest.mark.parametrize("name", ["conll2012", "conllua", "corefud", "muc", "sacr", "brat"])
def test_names_and_characters_are_no_tokens(name: str) -> None:
    write = registry.format("coref", name).write
    assert write
    named = make_document("a", [Mention(2**50, 2**50 + 1, 0)])
    with pytest.raises(UsageError, match="places its mentions by name and has no tokens"):
        list(write([named]))
    if name != "brat":
        placed = make_document("a", [Mention(5, 9, 0)], unit="character")
        with pytest.raises(UsageError, match="places its mentions by character"):
            list(write([placed]))


@pytest.mark.parametrize("name", ["conll2012", "conllua", "corefud", "muc", "sacr"])
def test_crossing_mentions_are_refused_where_they_would_nest(name: str) -> None:
    write = registry.format("coref", name).write
    assert write
    crossing = make_document("a", [Mention(0, 3, 0), Mention(1, 4, 0)], tokens=list("abcd"))
    with pytest.raises(UsageError, match="cross"):
        list(write([crossing]))


def test_losses_count_what_a_rich_document_holds() -> None:
    path = Path(__file__).parent / "samples" / "corefud-empty-nodes.conllu"
    assert content_counts(read(own(path), path)) == {
        "tokens": 11, "sentences": 3, "kinds": 3, "features": 5, "heads": 6, "discontinuous": 1, "relations": 3,
        "singletons": 1, "spans": 6, "attributes": 1, "empty nodes": 2,
    }  # fmt: skip


def test_columns_have_the_length_of_the_mentions() -> None:
    for path in SAMPLES:
        for result in read(own(path), path):
            assert all(len(column) == len(result) for column in result.features.values())
            assert result.lines is None or len(result.lines) == len(result)
            assert np.all(result.spans[:, 0] < result.spans[:, 1])
