"""Visibility of layers: authors always see their own, and others' when both are done. Hidden objects give a 404."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q, QuerySet
from django.http import Http404

from aune.server.accounts.models import Account
from aune.server.workbench.models import Layer, Project, ProjectMember, Text

WORKERS = ("organiser", "annotator")
"""The roles that may see texts."""


def visible_layers(account: Account, every: Sequence[Layer]) -> list[Layer]:
    """The layers of one text that an account may see; `every` are all its layers.

    An account with an unfinished annotation of the text sees no layer of others. Annotators must have an annotation to
    see other layers, organisers need not. Organisers also see unfinished keys.
    """
    own_layers = [layer for layer in every if layer.author_id == account.pk and layer.kind == "annotation"]
    done_flags = [layer.done for layer in own_layers if not layer.withdrawn]
    is_blind = not all(done_flags) or not (done_flags or account.is_organiser) or account.role not in WORKERS
    return [
        layer for layer in every if layer.author_id == account.pk or not (is_blind or _is_in_progress(account, layer))
    ]


def _is_in_progress(account: Account, layer: Layer) -> bool:
    """Whether a layer is hidden because its author still works on it; only organisers see proposals, once sent."""
    if layer.kind == "proposal":
        return not (layer.done and account.is_organiser)
    return not layer.done and not (account.is_organiser and layer.kind != "annotation")


def can_see(account: Account, layer: Layer) -> bool:
    return layer.author_id == account.pk or layer in visible_layers(
        account, list(Layer.objects.filter(text=layer.text_id))
    )


def can_edit(account: Account, layer: Layer) -> bool:
    """Whether an account may change a layer: its author, until it is done; keys also every organiser."""
    return not layer.done and (layer.author_id == account.pk or (layer.kind == "key" and account.is_organiser))


def can_finish(account: Account, layer: Layer) -> bool:
    """Whether an account may mark a layer as done: its author; keys also every organiser. Sent proposals stay sent."""
    if layer.kind == "proposal" and layer.done:
        return False
    return layer.author_id == account.pk or (layer.kind == "key" and account.is_organiser)


def sees_project(account: Account, project: Project) -> bool:
    """Whether an account may see the texts of a project."""
    if account.is_organiser or account.role not in WORKERS:
        return account.is_organiser
    return project.everyone or project.members.filter(account=account).exists()


def texts(account: Account) -> QuerySet[Text]:
    """The texts that an account may open: for organisers all, for annotators those of their projects."""
    if account.role not in WORKERS:
        return Text.objects.none()
    listed = Text.objects.filter(source__listed=True)
    if not account.is_organiser:
        own_projects = ProjectMember.objects.filter(account=account).values("project")
        listed = listed.filter(
            Q(source__project=None) | Q(source__project__everyone=True) | Q(source__project__in=own_projects)
        )
    return listed.defer("content").select_related("source").order_by("source__made", "source_id", "number")


def layers(account: Account, text: Text) -> list[Layer]:
    """The layers of a text that an account may see."""
    return layers_of_texts(account, [text])[text.pk]


def layers_of_texts(account: Account, texts: Sequence[Text]) -> dict[str, list[Layer]]:
    """The layers of many texts that an account may see, by text."""
    rows = Layer.objects.filter(text__in=[text.pk for text in texts]).select_related("author", "text")
    every: dict[str, list[Layer]] = {text.pk: [] for text in texts}
    for layer in rows.defer("text__content").order_by("made"):
        every[layer.text_id].append(layer)
    return {name: visible_layers(account, text_layers) for name, text_layers in every.items()}


def text(account: Account, name: str) -> Text:
    row = texts(account).filter(pk=name).first()
    if row is None:
        raise Http404
    return row


def layer(account: Account, name: str) -> Layer:
    """A layer that the account may see; any other gives a 404."""
    siblings = Layer.objects.filter(text__layers=name)  # visibility depends on all layers of the text
    if all(sibling.pk != name for sibling in visible_layers(account, list(siblings))):
        raise Http404
    return Layer.objects.select_related("author", "text", "text__source").defer("text__content").get(pk=name)
