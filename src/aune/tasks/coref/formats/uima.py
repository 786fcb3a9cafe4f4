"""UIMA's CAS with coreference: XMI and JSON, as INCEpTION, WebAnno and DKPro write them.

    <type2:CoreferenceLink xmi:id="7" sofa="1" begin="0" end="3" next="8"/>
    <type2:CoreferenceLink xmi:id="8" sofa="1" begin="8" end="11"/>
    <type2:CoreferenceChain xmi:id="9" first="7"/>

Chains are those of a chain layer; or, where there is none, what the relations of a layer tie together: those named
coref, ident, ana, cata, appos, pred, disc or nothing, while others (bridging) are relations between chains. `layer`
names the layer where several are possible; a layer of spans alone is read as chains of one mention. Features of spans
are features of mentions. Positions are characters; tokens are those of the file, or words, numbers and single signs.
"""

from __future__ import annotations

from collections.abc import Iterator

from aune.contract.format import Format
from aune.reading.source import Source
from aune.syntax.layers import LayerName
from aune.syntax.uima import COREF_ANNOTATOR, is_json_cas, is_xmi, read_layers
from aune.tasks.coref.formats._layers import layer_documents
from aune.tasks.coref.model import Document


def read(source: Source, *, layer: LayerName = "") -> Iterator[Document]:
    yield from layer_documents(source, read_layers(source), layer, unit="character")


def sniff(head: str) -> bool:
    return (is_xmi(head) and COREF_ANNOTATOR.replace(".", "/") not in head) or is_json_cas(head)


FORMAT = Format(read, sniff, suffixes=(".xmi", ".json"))
