"""Who sees which layer: one's own always, another's when both are done. What is not yours is not there."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q, QuerySet
from django.http import Http404

from aune.server.accounts.models import Account
from aune.server.workbench.models import Layer, Project, ProjectMember, Text

WORKERS = ("organiser", "annotator")
"""The roles that see texts."""


def visible_layers(account: Account, every: Sequence[Layer]) -> list[Layer]:
    """Those of all layers of one text that somebody sees.

    Whoever has yet to finish what they say of a text sees nobody else's; annotators must have begun, organisers need
    not. Keys that are not done yet are every organiser's.
    """
    own_layers = [layer for layer in every if layer.author_id == account.pk and layer.kind == "annotation"]
    done_flags = [layer.done for layer in own_layers if not layer.withdrawn]
    is_blind = not all(done_flags) or not (done_flags or account.is_organiser) or account.role not in WORKERS
    return [
        layer for layer in every if layer.author_id == account.pk or not (is_blind or _is_in_progress(account, layer))
    ]


def _is_in_progress(account: Account, layer: Layer) -> bool:
    """Whether a layer is still being worked on by somebody whom nobody disturbs; proposals are for organisers."""
    if layer.kind == "proposal":
        return not (layer.done and account.is_organiser)
    return not layer.done and not (account.is_organiser and layer.kind != "annotation")


def can_see(account: Account, layer: Layer) -> bool:
    return layer.author_id == account.pk or layer in visible_layers(
        account, list(Layer.objects.filter(text=layer.text_id))
    )


def can_edit(account: Account, layer: Layer) -> bool:
    """Whether somebody may change a layer: its author, until it is done; keys are every organiser's."""
    return not layer.done and (layer.author_id == account.pk or (layer.kind == "key" and account.is_organiser))


def can_finish(account: Account, layer: Layer) -> bool:
    """Whether somebody says when a layer is done: its author; of keys every organiser. Sent proposals stay sent."""
    if layer.kind == "proposal" and layer.done:
        return False
    return layer.author_id == account.pk or (layer.kind == "key" and account.is_organiser)


def sees_project(account: Account, project: Project) -> bool:
    """Whether somebody sees the texts of a project."""
    if account.is_organiser or account.role not in WORKERS:
        return account.is_organiser
    return project.everyone or project.members.filter(account=account).exists()


def texts(account: Account) -> QuerySet[Text]:
    """The texts that somebody may open: organisers all, annotators those of their projects."""
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
    """The layers of a text that somebody sees."""
    return layers_of_texts(account, [text])[text.pk]


def layers_of_texts(account: Account, texts: Sequence[Text]) -> dict[str, list[Layer]]:
    """The same for many texts at once."""
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
    """A layer that somebody sees; any other is not there."""
    siblings = Layer.objects.filter(text__layers=name)  # all of its text, by which one knows who sees it
    if all(sibling.pk != name for sibling in visible_layers(account, list(siblings))):
        raise Http404
    return Layer.objects.select_related("author", "text", "text__source").defer("text__content").get(pk=name)
