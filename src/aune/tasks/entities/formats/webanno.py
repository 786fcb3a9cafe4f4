"""WebAnno TSV 3, as INCEpTION and WebAnno write it.

    #FORMAT=WebAnno TSV 3.3
    #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value

    #Text=Laurent Blanc joue
    1-1	0-7	Laurent	*[1]	pers.ind[1]
    1-2	8-13	Blanc	*[1]	pers.ind[1]

The label is the `value` of the layer NamedEntity where there is one, else the last feature of the first layer of spans;
`--feature` names another. Cells hold labels joined by `|`, each with the number of its annotation in brackets when it
covers several tokens or shares them; `_` is none, `*` an annotation without a value. Annotations of parts of tokens
count for the whole token.

Carries tokens, sentences and nesting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from aune.contract.format import Format
from aune.errors import Remedy
from aune.reading.source import Source
from aune.syntax.columns import column_of
from aune.tasks.entities.model import Document, Span, make_document
from aune.typologies.typology import TypologyName

Feature: TypeAlias = Annotated[str, "the feature with the labels; none: the value of NamedEntity"]
ROW = re.compile(r"(\d+)-(\d+)(\.\d+)?")
LABEL = re.compile(r"(.*?)(?:\[(\d+)\])?")
ESCAPED = re.compile(r"\\(.)")


def read(source: Source, *, feature: Feature = "", typology: TypologyName = "") -> Iterator[Document]:
    features = _features(source.text)
    place = _place(source, features, feature)
    if place is None:
        return
    words: list[str] = []
    sentences: list[int] = []
    spans: dict[str, Span] = {}  # by the numbers of annotations, where they have one
    last = ""
    for number, line in source.lines():
        if line.startswith("#") or not line.strip():
            continue
        cells = line.split("\t")
        row = ROW.fullmatch(cells[0])
        if row is None or len(cells) < 3:
            source.add_problem(
                "line.malformed",
                number,
                1,
                found=f"{line[:40]!r}",
                expected="such as '1-1⇥0-7⇥word' with tabs for ⇥",
                remedies=["mend the line"],
            )
            continue
        if row[3] is None:
            if row[1] != last:
                sentences.append(len(words))
                last = row[1]
            words.append(cells[2])
        here = max(len(words) - 1, 0)
        for label in _labels(cells[3 + place].strip() if len(cells) > 3 + place else "_"):
            name = label.number or f"alone {len(spans)}"
            begun = spans.setdefault(
                name, Span(here, here, label.text, line=number, column=column_of(cells, 3 + place))
            )
            spans[name] = begun._replace(end=here + 1)
    yield make_document(
        source.stem, spans.values(), length=len(words), words=words.copy,
        sentences=np.asarray(sentences or [0], np.int64), typology=typology, path=source.name,
    )  # fmt: skip


class Label(NamedTuple):
    """One annotation in a cell."""

    text: str
    number: str


def _features(text: str) -> list[tuple[str, str]]:
    """(layer, feature) of every annotation column."""
    features: list[tuple[str, str]] = []
    for line in text.split("\n"):
        if line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")):
            layer, *names = line.partition("=")[2].strip().split("|")
            kind = layer.rpartition(".")[2] if line.startswith("#T_SP=") else ""
            features += [(kind, name) for name in names]
        elif line and not line.startswith("#"):
            break
    return features


def _place(source: Source, features: list[tuple[str, str]], wanted: str) -> int | None:
    """The number of the annotation column with the labels."""
    spans = [(number, layer, name) for number, (layer, name) in enumerate(features) if layer]
    if wanted:
        named = [number for number, layer, name in spans if wanted in (name, f"{layer}.{name}", layer)]
    else:
        value_columns = [number for number, layer, name in spans if layer == "NamedEntity" and name == "value"]
        named = value_columns or [number for number, layer, _ in spans if layer == spans[0][1]][-1:]
    if named:
        return named[0]
    known = ", ".join(f"{layer}.{name}" for _, layer, name in spans)
    if known:
        source.add_problem(
            "column.unknown", 1, 1,
            found=f"no feature {wanted!r}", expected=f"one of {known}",
            remedies=[Remedy("choose", (("feature", "FEATURE"),))],
        )  # fmt: skip
    else:
        source.add_problem(
            "layer.missing",
            1,
            1,
            found="no layer of spans",
            expected="a line #T_SP=… in the header",
            remedies=["export such a layer"],
        )
    return None


def _labels(cell: str) -> list[Label]:
    if cell in ("_", ""):
        return []
    labels = []
    for part in re.split(r"(?<!\\)\|", cell):
        match = LABEL.fullmatch(part)
        text, number = (match[1], match[2] or "") if match else (part, "")
        labels.append(Label(ESCAPED.sub(r"\1", text) or "*", number))
    return labels


def sniff(head: str) -> bool:
    return head.startswith("#FORMAT=WebAnno TSV 3")


FORMAT = Format(read, sniff, carries=frozenset({"tokens", "sentences", "nesting"}), suffixes=(".tsv",))
