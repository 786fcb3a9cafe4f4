"""A document of a key opened for somebody who wants it changed: what they propose is a layer, and its edits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from aune.core.errors import UsageError
from aune.server.accounts.models import Account
from aune.server.workbench import layers, opening
from aune.server.workbench.models import Layer, Text
from aune.workbench.differences import Edit, edits


class Proposed(NamedTuple):
    """What somebody proposes."""

    before: Any
    after: Any
    """The document as the key has it and as it should be, as aune's measures read it."""
    edits: list[Edit]
    changed: bytes
    """The whole file with what is proposed."""
    lost: Mapping[str, int]
    """What the file does not hold of it."""


def proposal(
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
    """The layer in which somebody proposes to change a document of a file: a new one, or the one not yet sent.

    Nobody finds the file among the texts. `purpose` says what it is for; `back` is the page to come back
    to, in which `{layer}` stands for the layer.
    """
    if back and not back.startswith("/campaign/"):
        raise UsageError(f"found the page {back!r} to come back to, expected one under /campaign/")
    file = opening.File(name, data, dict(beside))
    source, _ = opening.opened(file, None, task, typology, listed=False)
    texts = list(source.texts.order_by("number"))
    text = texts[0] if not document and len(texts) == 1 else next((one for one in texts if one.name == document), None)
    if text is None:
        raise UsageError(f"{name}: found no document {document!r}, expected one of {', '.join(_names(texts))}")
    begun = text.layers.filter(author=account, kind="proposal", purpose=purpose, done=False).first()
    if begun is not None:
        return begun
    base = text.layers.get(kind="imported")
    state = layers.head(base).state
    made = layers.began(text, f"proposal of {account.name}", "proposal", account, state, purpose=purpose)
    made.back = back.replace("{layer}", made.pk)
    made.save(update_fields=["back"])
    return made


def _names(texts: list[Text]) -> list[str]:
    return [repr(text.name) for text in texts[:5]] + (["…"] if len(texts) > 5 else [])


def proposed(layer: Layer) -> Proposed:
    """What a layer proposes."""
    words, source = layers.words_of(layer.text_id), layer.text.source
    state = layers.head(layer).state
    before, after = opening.documents(source, layer.text, state)
    whole = opening.with_states(source, {layer.text_id: state}, untouched=True)
    return Proposed(before, after, edits(words, layers.state_at(layer, 0), state), whole.data, whole.lost)
