"""WebAnno TSV 3, as INCEpTION and WebAnno write it.

    #FORMAT=WebAnno TSV 3.3
    #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value

    #Text=Laurent Blanc joue
    1-1	0-7	Laurent	*[1]	pers.ind[1]
    1-2	8-13	Blanc	*[1]	pers.ind[1]

The label is the `value` of the layer NamedEntity where there is one, else the feature of the first layer of spans whose
name says that it is a label, or its last; a warning names it, and `--feature` chooses another. Cells hold labels joined
by `|`, each with the number of its annotation in brackets when it covers several tokens or shares them; `_` is none,
`*` an annotation without a value, which is labelled by its layer. Annotations of parts of tokens count for the whole
token. Other layers, relations, chains and slots are counted and not read. Written is the layer NamedEntity, one
document per file; a text without tokens is cut into words, and where spans begin and end.

Carries tokens, sentences and nesting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.webanno_tsv import MAGIC, escape, read_layers, write_sentences
from aune.tasks.entities.formats._layers import Feature, layer_documents
from aune.tasks.entities.formats._writing import over_words, refuse, sentence_starts, tokens_of
from aune.tasks.entities.model import Document, spans_of
from aune.typologies.typology import TypologyName

LAYER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"


def read(source: Source, *, feature: Feature = "", typology: TypologyName = "") -> Iterator[Document]:
    yield from layer_documents(source, read_layers(source), feature, typology, unit="token")


def sniff(head: str) -> bool:
    return head.startswith(MAGIC)


def write(documents: Iterable[Document]) -> Iterator[str]:
    for index, document in enumerate(documents):
        if index:
            raise UsageError("webanno holds one document per file, and there are several: convert them to a folder")
        document = over_words(document, "webanno")
        words = tokens_of(document, "webanno")
        cells: list[list[str]] = [[] for _ in words]
        for number, span in enumerate(spans_of(document), 1):
            if not span.label.strip():
                refuse("webanno", "an entity without a label", document)
            for place in range(span.start, span.end):
                cells[place].append(f"{escape(span.label)}[{number}]")
        yield f"#FORMAT=WebAnno TSV 3.3\n#T_SP={LAYER}|value\n\n"
        rows = [["|".join(items) or "_"] for items in cells]
        starts = sorted(sentence_starts(document))
        yield from write_sentences(words, starts, rows, "webanno", f"document {document.id!r}")


FORMAT = Format(read, sniff, write, carries=frozenset({"tokens", "sentences", "nesting"}), suffixes=(".tsv",))
