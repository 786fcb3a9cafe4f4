"""The unfinished texts of an annotator."""

from __future__ import annotations

from typing import NamedTuple

from django.utils import timezone

from aune.server.accounts.models import Account
from aune.server.workbench.models import Layer
from aune.workbench.progress import Work, order_open_work


def work_of(row: Layer, annotator: str) -> Work:
    return Work(
        layer=row.pk, text=row.text_id, annotator=annotator, is_begun=row.version > 0, is_done=row.done,
        mentions=row.mentions or 0, seconds=row.seconds, changed=row.changed, due=row.due,
    )  # fmt: skip


class OpenText(NamedTuple):
    """A text assigned to an annotator and not yet finished."""

    layer: Layer
    is_begun: bool
    is_overdue: bool


def open_texts(account: Account) -> list[OpenText]:
    """The unfinished texts of an annotator, the one to continue with first."""
    rows = Layer.objects.filter(author=account, kind="annotation", done=False, withdrawn=False)
    listed = rows.filter(text__source__listed=True).select_related("text", "text__source__project")
    by_name = {row.pk: row for row in listed.defer("text__content").order_by("made")}
    today = timezone.now().date()
    work = order_open_work(work_of(row, account.name) for row in by_name.values())
    return [OpenText(by_name[item.layer], item.is_begun, item.is_overdue(today)) for item in work]
