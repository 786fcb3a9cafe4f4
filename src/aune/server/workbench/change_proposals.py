"""A document of a key, opened for an account that proposes changes: the proposal is a layer, and its edits."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from aune.errors import UsageError
from aune.server.accounts.models import Account
from aune.server.workbench import file_exchange, layers
from aune.server.workbench.models import Layer
from aune.workbench.differences import Edit, edits


class Proposal(NamedTuple):
    """A proposed change of a document."""

    before: Any
    after: Any
    """The document before and after the change, as aune's measures read it."""
    edits: list[Edit]
    changed: bytes
    """The whole file with the change."""
    lost: Mapping[str, int]
    """What the format of the file cannot express of the change."""


def open_proposal(
    account: Account,
    name: str,
    data: bytes,
    task: str,
    *,
    document: str = "",
    beside: Mapping[str, bytes] = {},
    typology: str = "",
    purpose: str = "",
    back: str = "",
) -> Layer:
    """The layer in which an account proposes to change a document of a file: a new one, or its unsent one.

    The file is not listed among the texts. `purpose` identifies what the proposal is for; `back` is the page to return
    to, in which `{layer}` is replaced by the id of the layer.
    """
    if back and not back.startswith("/campaign/"):
        raise UsageError(f"found the page {back!r} to come back to, expected one under /campaign/")
    file = file_exchange.IncomingFile(
        name, io.BytesIO(data), {ending: io.BytesIO(content) for ending, content in beside.items()}
    )
    read = file_exchange.read_file(file, task, typology, listed=False)
    names = [text.name for text in read.known.texts.order_by("number")] if read.known else None
    number = _document_number(name, document, names or [text.name for text in read.heading.texts])
    source, _ = file_exchange.store_reading(read, None)
    text = source.texts.get(number=number)
    unsent = text.layers.filter(author=account, kind="proposal", purpose=purpose, done=False).first()
    if unsent is not None:
        return unsent
    base = text.layers.get(kind="imported")
    state = layers.head(base).state
    made = layers.create_layer(text, f"proposal of {account.name}", "proposal", account, state, purpose=purpose)
    made.back = back.replace("{layer}", made.pk)
    made.save(update_fields=["back"])
    return made


def _document_number(file: str, document: str, names: Sequence[str]) -> int:
    """The index of a document in a file; its name may be empty if the file contains only one."""
    if document in names:
        return names.index(document)
    if len(names) == 1 and not document:
        return 0
    listed = [*map(repr, names[:5]), *["…"] * (len(names) > 5)]
    raise UsageError(f"{file}: found no document {document!r}, expected one of {', '.join(listed)}")


def read_proposal(layer: Layer) -> Proposal:
    """The change that a layer proposes."""
    words, source = layers.text_content(layer.text_id), layer.text.source
    state = layers.head(layer).state
    before, after = file_exchange.stored_versions(source, layer.text, state)
    conversion = file_exchange.export_source(source, {layer.text_id: state}, untouched=True)
    return Proposal(before, after, edits(words, layers.state_at(layer, 0), state), conversion.data, conversion.lost)
