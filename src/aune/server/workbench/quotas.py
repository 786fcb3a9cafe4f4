"""Quotas for accounts and layers: bytes are counted as they are stored, so that nobody can fill the disk."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import F
from django.db.models.signals import pre_delete
from django.dispatch import receiver

from aune.server.accounts.models import Account
from aune.server.policy import NoRoomError
from aune.server.site import MEGABYTE
from aune.server.workbench.models import Layer

ROW_BYTES = 500  # the overhead of a row in bytes, so that many empty rows count too
LAYER_SHARE = 4
"""A layer may use one part in so many of its author's quota, so that it can still be opened."""


def charge(layer: Layer, size: int) -> None:
    """Count bytes stored for a layer, in the same transaction: if the quota is exceeded, nothing is stored.

    On a single-user server there is no quota. The bytes count for the author of the layer, whoever sent them.
    """
    limit = settings.SITE.room if settings.SITE.accounts else 1 << 60
    layer_row = Layer.objects.filter(pk=layer.pk, size__lte=limit // LAYER_SHARE - size)
    if not layer_row.update(size=F("size") + size):
        raise NoRoomError(
            f"This layer would take more than {_megabytes(limit // LAYER_SHARE)}, as much as the server keeps for one: "
            f"start a new layer, or ask the organisers for more room. {NOTHING_LOST}"
        )
    account = Account.objects.filter(pk=layer.author_id)
    if layer.author_id and not account.filter(kept__lte=limit - size).update(kept=F("kept") + size):
        raise NoRoomError(
            f"Your layers would take more than {_megabytes(limit)}, as much as the server keeps for one account: "
            f"delete those that you need no more, or ask the organisers for more room. {NOTHING_LOST}"
        )


NOTHING_LOST = "What was kept before is kept."


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:,.4g} MB"


@receiver(pre_delete, sender=Layer)
def _release(instance: Layer, **_: Any) -> None:
    """Release the bytes of a deleted layer. Its size is read again, because another request may be writing to it."""
    row = Layer.objects.select_for_update().filter(pk=instance.pk).first()
    if row is not None:
        Account.objects.filter(pk=row.author_id).update(kept=F("kept") - row.size)
