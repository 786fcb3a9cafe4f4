"""Splicers: an unchanged document gives the same bytes, and one edit changes only the markup of what was edited.

What is markup is said here in a second way (`MARKUP`, `BARE`), apart from the readers: a file without its markup stays
the same, and of the pieces of markup only so many change.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aune.contract import registry
from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.tasks.coref.formats._changes import extents
from aune.tasks.coref.model import Document, Mention, Relation, make_document

SAMPLES = [
    path
    for path in sorted((Path(__file__).parent / "samples").iterdir())
    if (path.suffix != ".txt" or not path.with_suffix(".ann").exists())
    and registry.format("coref", path.name.partition("-")[0]).splice
]
PLAIN = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def of(path: Path) -> Format:
    return registry.format("coref", path.name.partition("-")[0])


def read(form: Format, path: Path, data: bytes | None = None) -> list[Document]:
    source = Source(str(path), path.read_bytes() if data is None else data, path)
    documents = list(form.read(source))
    source.raise_problems()
    return documents


def splice(form: Format, path: Path, data: bytes, documents: list[Document]) -> bytes:
    assert form.splice
    return form.splice(Source(str(path), data, path), documents)


def mentions_of(document: Document) -> list[Mention]:
    """The mentions of a document, as a reader would give them."""
    labels = document.labels or [str(number) for number in range(document.chain_count)]
    return [
        Mention(
            parts[0][0], max(end for _, end in parts), labels[int(document.chains[index])],
            head=int(document.heads[index]) if document.heads is not None else -1,
            segments=parts if len(parts) > 1 else (),
            minimum=tuple(document.minima[index].tolist()) if document.minima is not None else None,  # type: ignore[arg-type]
            features={name: column[index] for name, column in document.features.items() if column[index]},
        )
        for index, parts in enumerate(extents(document))
    ]  # fmt: skip


def rebuilt(document: Document, mentions: list[Mention], relations: list[Relation]) -> Document:
    text = ("tokens", "sentences", "positions", "unit", "attributes", "path", "line")
    return make_document(document.id, mentions, relations=relations, **{name: getattr(document, name) for name in text})


def content(document: Document) -> Any:
    """All that a document says, whatever its chains are called."""
    where = extents(document)
    chains: dict[int, list[Any]] = {}
    for extent, chain in zip(where, document.chains.tolist(), strict=True):
        chains.setdefault(chain, []).append(extent)
    names = {number: tuple(sorted(chain)) for number, chain in chains.items()}
    features = {
        (extent, names[chain], name, column[index])
        for index, (extent, chain) in enumerate(zip(where, document.chains.tolist(), strict=True))
        for name, column in document.features.items()
        if column[index] and name != "kind"
    }
    minima = document.minima if document.minima is not None else document.spans
    return {
        "text": (document.id, list(document.tokens or ()), list(document.sentences or ())),
        "chains": sorted(sorted(chain) for chain in chains.values()),
        "features": features,
        "minima": sorted(tuple(least) for least in minima.tolist()),
        "relations": {  # an antecedent that is merged with another one is named once
            (
                kind,
                names[int(document.chains[source])] if kind == "split" else where[source],
                names[int(document.chains[target])],
            )
            for kind, source, target in document.relations
        },
    }


def places(document: Document) -> list[int]:
    """Where mentions can begin; the place after the last is there too."""
    if document.positions is not None and document.unit == "token":
        return document.positions.tolist()
    if document.unit == "name":
        return list(range(12))
    if document.unit == "character":
        return list(range(int(document.positions[-1]) + 1 if document.positions is not None else 20))
    return list(range(len(document.tokens) if document.tokens is not None else int(document.spans.max(initial=1)) + 2))


def span_of(document: Document, first: int, last: int) -> tuple[int, int]:
    where = places(document)
    return where[first], where[last] + 1


@st.composite
def edits(draw: st.DrawFn, document: Document) -> Document:
    """The document after one edit: a mention added, removed, moved to another chain, or with another extent."""
    mentions, relations = mentions_of(document), list(document.relations)
    kinds = ["add"] + (["remove", "move", "extent"] if mentions else [])
    kind = draw(st.sampled_from(kinds))
    where = places(document)
    labels = [*(document.labels or [str(number) for number in range(document.chain_count)]), "new77"]
    if kind in ("add", "extent"):
        first = draw(st.integers(0, len(where) - 1))
        last = draw(st.integers(first, min(len(where) - 1, first + 4)))
        start, end = span_of(document, first, last)
        if kind == "add":
            mentions.append(Mention(start, end, draw(st.sampled_from(labels))))
        else:
            index = draw(st.integers(0, len(mentions) - 1))
            features = {name: value for name, value in mentions[index].features.items() if name != "name"}
            mentions[index] = mentions[index]._replace(
                start=start, end=end, segments=(), minimum=None, head=-1, features=features
            )
    elif kind == "move":
        index = draw(st.integers(0, len(mentions) - 1))
        mentions[index] = mentions[index]._replace(chain=draw(st.sampled_from(labels)))
    else:
        index = draw(st.integers(0, len(mentions) - 1))
        del mentions[index]
        relations = [
            Relation(kind, source - (source > index), target - (target > index))
            for kind, source, target in relations
            if index not in (source, target)
        ]
    return rebuilt(document, mentions, relations)


# A splicer that is described in neither of these has its edits read back, and no more.
MARKUP: dict[str, str] = {
    "conll2012": r"\S+[ \t]*$",
    "corefud": r"(?:Entity|Bridge|SplitAnte)=[^|\s]+",
    "conllua": r"\([^()\s]+\)?|\)",
    "muc": r"(?i)</?COREF[^<>]*>",
    "sacr": r"(?<!\\)\{[-\w]+(?::(?:,?[-\w]+=(?:\"(?:[^\"\\]|\\.)*\"|[^\s,\"]*))+)?\s?|(?<!\\)\}",
    "brat": r"^[TRAM*C#].*\n",
    "partition": r"[^\s,{}]+",
    "jsonlines": r"\[ *\d+ *, *\d+ *\]",
}


def json_bare(text: str) -> Any:
    """The objects of a file without what concerns its mentions."""
    try:
        objects = json.loads(text)
        objects = objects if isinstance(objects, list) else [objects]
    except ValueError:
        objects = [json.loads(line) for line in text.splitlines() if line.strip()]
    mentions = ("clusters", "singletons", "kinds", "heads", "minima", "features", "relations")
    return [list({name: value for name, value in fields.items() if name not in mentions}.items()) for fields in objects]


def corefud_bare(line: str) -> str:
    """A line without mentions and links."""
    before, tab, misc = line.rpartition("\t")
    remaining = (
        [cell for cell in misc.split("|") if not re.match("Entity=|Bridge=|SplitAnte=", cell)] if tab else [line]
    )
    return f"{before}{tab}{'|'.join(remaining) or '_'}"


def conll2012_bare(line: str) -> str:
    """A line without its mentions; an empty last cell is one, too."""
    full = f"{line}_" if line.endswith("VBD\t") else line
    return re.sub(r"[ \t]*(?:[-_]|[(\w][\w()|]*[\w)])?\t?$", "", full)


def conllua_bare(line: str) -> list[str]:
    """The columns beside IDENTITY and BRIDGING."""
    return [line] if line[:1] == "#" else line.split()[:10] + line.split()[12:]


BARE: dict[str, Callable[[str], Any]] = {
    "conll2012": lambda text: list(map(conll2012_bare, text.split("\n"))),
    "corefud": lambda text: list(map(corefud_bare, text.split("\n"))),
    "conllua": lambda text: list(map(conllua_bare, text.split("\n"))),
    "muc": lambda text: re.sub(MARKUP["muc"], "", text),
    "sacr": lambda text: re.sub(MARKUP["sacr"], "", text),
    "brat": lambda text: re.sub(MARKUP["brat"], "", text, flags=re.M),
    "partition": lambda text: [line for line in text.split("\n") if line[:1] == "#"],
    "jsonlines": json_bare,
}  # fmt: skip


def check_confined(form: Format, old: bytes, new: bytes) -> None:
    before, after = (Source("x", data).text for data in (old, new))
    if form.name not in BARE:
        return
    assert BARE[form.name](before) == BARE[form.name](after)
    pieces = [Counter(re.findall(MARKUP[form.name], text, re.M)) for text in (before, after)]
    changed = (pieces[0] - pieces[1]).total() + (pieces[1] - pieces[0]).total()
    assert changed <= 12  # at most four brackets, some with neighbours in their cell, and links that went through it
    assert old[:3] == new[:3] if old[:3] == b"\xef\xbb\xbf" else True
    assert (b"\r\n" in old) == (b"\r\n" in new)


def variants(path: Path) -> dict[str, bytes]:
    plain = path.read_bytes()
    return {"plain": plain, "crlf": plain.replace(b"\n", b"\r\n"), "bom": b"\xef\xbb\xbf" + plain}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("variant", ["plain", "crlf", "bom"])
def test_an_unchanged_document_keeps_its_bytes(path: Path, variant: str) -> None:
    data = variants(path)[variant]
    assert splice(of(path), path, data, read(of(path), path, data)) == data


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@PLAIN
@given(data=st.data())
def test_an_edit_changes_only_its_markup(path: Path, data: Any) -> None:
    form = of(path)
    original = variants(path)[data.draw(st.sampled_from(["plain", "crlf", "bom"]))]
    documents = read(form, path, original)
    number = data.draw(st.integers(0, len(documents) - 1))
    if not places(documents[number]):
        return
    edited = list(documents)
    edited[number] = data.draw(edits(documents[number]))
    try:
        written = splice(form, path, original, edited)
    except UsageError as error:
        assert re.search("cross|cannot", str(error))
        return
    check_confined(form, original, written)
    again = read(form, path, written)
    assert [content(item) for item in again] == [content(item) for item in edited]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_many_edits_are_read_back(path: Path, data: Any) -> None:
    form, original = of(path), path.read_bytes()
    documents = read(form, path, original)
    edited = list(documents)
    for _ in range(data.draw(st.integers(2, 6))):
        number = data.draw(st.integers(0, len(documents) - 1))
        if places(documents[number]):
            edited[number] = data.draw(edits(edited[number]))
    try:
        written = splice(form, path, original, edited)
    except UsageError as error:
        assert re.search("cross|cannot", str(error))
        return
    assert BARE[form.name](original.decode()) == BARE[form.name](written.decode())
    assert [content(item) for item in read(form, path, written)] == [content(item) for item in edited]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_documents_about_another_text_are_refused(path: Path) -> None:
    documents = read(of(path), path)
    other = [make_document("another", [Mention(0, 1, 0)], tokens=["other"])]
    with pytest.raises(UsageError, match="other documents"):
        splice(of(path), path, path.read_bytes(), other)
    if documents[0].tokens:
        changed = [rebuilt(documents[0], [], []), *documents[1:]]
        changed[0].tokens = ["other", *documents[0].tokens]
        with pytest.raises(UsageError, match="another text"):
            splice(of(path), path, path.read_bytes(), changed)


@pytest.mark.parametrize("name", ["litbank/key", "fr-litbank/test.V2.gold", "fr-litbank/test.V2.camembert"])
def test_a_novel_keeps_its_bytes_but_for_one_mention(data: Path, name: str) -> None:
    path = data / "coref" / f"{name}.conll.gz"
    plain = gzip.decompress(path.read_bytes())
    form = registry.format("coref", "conll2012")
    documents = read(form, path, plain)
    assert splice(form, path, plain, documents) == plain
    edited = [rebuilt(documents[0], mentions_of(documents[0])[1:], []), *documents[1:]]
    written = splice(form, path, plain, edited)
    lines = [pair for pair in zip(plain.split(b"\n"), written.split(b"\n"), strict=True) if pair[0] != pair[1]]
    assert 1 <= len(lines) <= 2
    assert [content(item) for item in read(form, path, written)] == [content(item) for item in edited]


def test_a_document_does_not_vanish_with_its_last_chain() -> None:
    form, path = registry.format("coref", "partition"), Path("a.txt")
    with pytest.raises(UsageError, match="without a chain"):
        splice(form, path, b"{1, 2} {3}\n", [make_document("document", [])])
    named = b"# document a\n{1, 2} {3}\n"
    assert [document.id for document in read(form, path, splice(form, path, named, [make_document("a", [])]))] == ["a"]
