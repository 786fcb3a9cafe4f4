"""Who sees which layer: one's own always, another's when both are done. What is not yours is not there."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404

from aune.server.accounts.models import Account
from aune.server.workbench.models import Layer, Text


def is_blind(account: Account, text: Text) -> bool:
    """Whether somebody has yet to finish what they say of a text, or to begin: organisers need not begin."""
    mine = [layer.done for layer in text.layers.filter(author=account, kind="annotation")]
    return not all(mine) or not (mine or account.is_organiser)


def sees(account: Account, layer: Layer) -> bool:
    if layer.author_id == account.pk:
        return True
    if account.role not in ("organiser", "annotator") or is_blind(account, layer.text):
        return False
    return layer.done or (account.is_organiser and layer.kind != "annotation")


def edits(account: Account, layer: Layer) -> bool:
    """Whether somebody may change a layer: its author, until it is done; keys are every organiser's."""
    return not layer.done and (layer.author_id == account.pk or (layer.kind == "key" and account.is_organiser))


def texts(account: Account) -> QuerySet[Text]:
    """The texts that somebody may open."""
    if account.role not in ("organiser", "annotator"):
        return Text.objects.none()
    return Text.objects.defer("content").select_related("source").order_by("source__made", "source_id", "number")


def layers(account: Account, text: Text) -> list[Layer]:
    """The layers of a text that somebody sees."""
    every = text.layers.select_related("author", "text").defer("text__content").order_by("made")
    return [layer for layer in every if sees(account, layer)]


def text(account: Account, name: str) -> Text:
    found = texts(account).filter(pk=name).first()
    if found is None:
        raise Http404
    return found


def layer(account: Account, name: str) -> Layer:
    """A layer that somebody sees; any other is not there."""
    found = (
        Layer.objects.select_related("author", "text", "text__source").defer("text__content").filter(pk=name).first()
    )
    if found is None or not sees(account, found):
        raise Http404
    return found
