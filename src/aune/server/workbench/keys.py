"""A key that was made here, to be used elsewhere: its file, those of its annotators, how far they agreed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from aune.core.errors import AuneError, UsageError
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.policy import refused
from aune.server.workbench import adjudicating, layers, opening
from aune.server.workbench.api import answer
from aune.server.workbench.models import Layer
from aune.server.workbench.pages import exported_name
from aune.workbench.agreement import Agreement, pooled
from aune.workbench.model import State


class KeyFile(NamedTuple):
    """A key as a file, and how it was made."""

    name: str
    task: str
    format: str
    data: bytes
    beside: Mapping[str, bytes]
    """What stands beside the file, by ending."""
    lost: Mapping[str, int]
    """What the file does not hold of the key."""
    layers: Mapping[str, tuple[str, bytes]]
    """What each annotator said, as a file of the same kind: its name and its bytes."""
    agreement: Agreement
    """How far the annotators agreed when each was done first, before any discussion; over all texts of the file."""
    undecided: Mapping[str, int]
    """The questions that are open, by text."""
    decisions: int


def keys_of(reader: Account) -> list[Layer]:
    """The keys that an organiser may take, the newest first."""
    if not reader.is_organiser:
        return []
    keys = Layer.objects.filter(kind="key", text__source__listed=True).exclude(made_from=[])
    return list(keys.select_related("author", "text", "text__source").defer("text__content").order_by("-made"))


def key_file(layer: Layer, reader: Account, to: str = "", *, partial: bool = False) -> KeyFile:
    """The file of a key; of its other texts the keys of the same name and author, which must be there.

    With `partial`, texts without such a key are in the file without annotation.
    """
    source = layer.text.source
    texts = list(source.texts.order_by("number").defer("content"))
    keys = {text.pk: text.layers.filter(name=layer.name, author=layer.author_id, kind="key").first() for text in texts}
    keys[layer.text_id] = layer
    if (lacking := [text.name for text in texts if keys[text.pk] is None]) and not partial:
        raise UsageError(f"{source.name}: found no key {layer.name!r} of {', '.join(lacking[:5])}: make it first")
    made = {text.pk: key for text in texts if (key := keys[text.pk]) is not None}
    said = {text: adjudicating.sources_of(reader, key) for text, key in made.items()}
    standing = {text: adjudicating.standing_of(reader, key) for text, key in made.items()}
    form = to or source.format
    everything = opening.with_states(source, {key.text_id: layers.head(key).state for key in made.values()}, to)
    return KeyFile(
        name=exported_name(layer, form), task=source.task, format=form, data=everything.data,
        beside=everything.beside, lost=everything.lost, layers=_annotators(layer, said, form),
        agreement=pooled([(layers.words_of(text), _first_said(rows)) for text, rows in said.items()]),
        undecided={made[text].text.name: sum(found.open.values()) for text, (_, found) in standing.items()},
        decisions=sum(len(found.decisions) for _, found in standing.values()),
    )  # fmt: skip


def _first_said(rows: Sequence[Layer]) -> dict[str, State]:
    """What layers said before any discussion, by their annotators."""
    return {
        name: layers.state_at(row, row.version if row.first_done is None else row.first_done)
        for name, row in layers.named(rows).items()
    }


def _annotators(layer: Layer, said: Mapping[str, Sequence[Layer]], form: str) -> dict[str, tuple[str, bytes]]:
    """The file of each annotator: what each says of every text of which there is a key."""
    states: dict[str, dict[str, State]] = {}
    for text, rows in said.items():
        for name, row in layers.named(rows).items():
            states.setdefault(name, {})[text] = layers.head(row).state
    name = exported_name(layer, form)
    source = layer.text.source
    return {annotator: (name, opening.with_states(source, by_text, form).data) for annotator, by_text in states.items()}


@require_GET
def key(request: HttpRequest, layer: str) -> HttpResponse:
    """What there is to know of a key but its bytes, which are exported."""
    account = person(request)
    row = adjudicating.key_of(account, layer)
    if not account.is_organiser:
        return refused(request, 403, "Only organisers take keys.")
    try:
        found = key_file(row, account, request.GET.get("format", ""), partial="partial" in request.GET)
    except AuneError as error:
        return refused(request, 422, str(error))
    told = {
        "name": found.name, "task": found.task, "format": found.format, "size": len(found.data), "lost": found.lost,
        "layers": list(found.layers), "agreement": found.agreement, "undecided": found.undecided,
        "decisions": found.decisions,
    }  # fmt: skip
    return answer(told)
