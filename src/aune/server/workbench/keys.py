"""A finished key for use elsewhere: its file, the files of its annotators, and their agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from aune.errors import AuneError, UsageError
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.policy import refusal
from aune.server.workbench import adjudication_api, file_exchange, layers
from aune.server.workbench.api import answer
from aune.server.workbench.models import Layer
from aune.server.workbench.pages import exported_name
from aune.workbench.agreement import Agreement, pooled_agreement
from aune.workbench.comparison import PLAIN, Conventions
from aune.workbench.model import State


class KeyFile(NamedTuple):
    """A key as a file, with information about how it was made."""

    name: str
    task: str
    format: str
    data: bytes
    beside: Mapping[str, bytes]
    """The companion files, by suffix."""
    lost: Mapping[str, int]
    """What the format of the file cannot express of the key."""
    layers: Mapping[str, tuple[str, bytes]]
    """The layer of each annotator as a file in the same format: its name and its bytes."""
    agreement: Agreement
    """The agreement of the annotators when each was first done, before any discussion; over all texts of the file."""
    undecided: Mapping[str, int]
    """The number of open questions, by text."""
    decisions: int


def available_keys(reader: Account) -> list[Layer]:
    """The keys that an organiser may take over, newest first."""
    if not reader.is_organiser:
        return []
    keys = Layer.objects.filter(kind="key", text__source__listed=True).exclude(made_from=[])
    return list(keys.select_related("author", "text", "text__source").defer("text__content").order_by("-made"))


def key_file(
    layer: Layer, reader: Account, to: str = "", *, partial: bool = False, conventions: Conventions = PLAIN
) -> KeyFile:
    """The file of a key. For the other texts of the file, keys with the same name and author are required.

    With `partial`, texts without such a key are written without annotation. The conventions apply to the agreement of
    the annotators.
    """
    source = layer.text.source
    texts = list(source.texts.order_by("number").defer("content"))
    keys = {text.pk: text.layers.filter(name=layer.name, author=layer.author_id, kind="key").first() for text in texts}
    keys[layer.text_id] = layer
    if (lacking := [text.name for text in texts if keys[text.pk] is None]) and not partial:
        raise UsageError(f"{source.name}: found no key {layer.name!r} of {', '.join(lacking[:5])}: make it first")
    keys_made = {text.pk: key for text in texts if (key := keys[text.pk]) is not None}
    sources = {text: adjudication_api.source_layers(reader, key) for text, key in keys_made.items()}
    standing = {text: adjudication_api.key_progress(reader, key) for text, key in keys_made.items()}
    form = to or source.format
    conversion = file_exchange.export_source(
        source, {key.text_id: layers.head(key).state for key in keys_made.values()}, to
    )
    return KeyFile(
        name=exported_name(layer, form),
        task=source.task,
        format=form,
        data=conversion.data,
        beside=conversion.beside,
        lost=conversion.lost,
        layers=_annotator_files(layer, sources, form),
        agreement=pooled_agreement(
            [(layers.text_content(text), _initial_states(rows)) for text, rows in sources.items()], conventions
        ),
        undecided={
            keys_made[text].text.name: sum(adjudication.open.values()) for text, (_, adjudication) in standing.items()
        },
        decisions=sum(len(adjudication.decisions) for _, adjudication in standing.values()),
    )


def _initial_states(rows: Sequence[Layer]) -> dict[str, State]:
    """The states of layers before any discussion, by annotator."""
    return {name: layers.state_when_first_done(row) for name, row in layers.layers_by_name(rows).items()}


def _annotator_files(layer: Layer, sources: Mapping[str, Sequence[Layer]], form: str) -> dict[str, tuple[str, bytes]]:
    """The file of each annotator, with the layers of all texts that have a key."""
    states: dict[str, dict[str, State]] = {}
    for text, rows in sources.items():
        for name, row in layers.layers_by_name(rows).items():
            states.setdefault(name, {})[text] = layers.head(row).state
    name = exported_name(layer, form)
    source = layer.text.source
    return {
        annotator: (name, file_exchange.export_source(source, by_text, form).data)
        for annotator, by_text in states.items()
    }


@require_GET
def key(request: HttpRequest, layer: str) -> HttpResponse:
    """The information about a key as JSON; its file is exported separately."""
    account = person(request)
    row = adjudication_api.key_layer(account, layer)
    if not account.is_organiser:
        return refusal(request, 403, "Only organisers take keys.")
    try:
        exported = key_file(row, account, request.GET.get("format", ""), partial="partial" in request.GET)
    except AuneError as error:
        return refusal(request, 422, str(error))
    content = {
        "name": exported.name,
        "task": exported.task,
        "format": exported.format,
        "size": len(exported.data),
        "lost": exported.lost,
        "layers": list(exported.layers),
        "agreement": exported.agreement,
        "undecided": exported.undecided,
        "decisions": exported.decisions,
    }
    return answer(content)
