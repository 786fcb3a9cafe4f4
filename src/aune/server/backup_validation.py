"""Validation of rows from a backup before they are restored: whoever forges rows can also compute their digests.

First, each row alone must be valid for its table, and everything encoded in it must be readable. Then the rows are
checked together: the files that they name exist, and every layer is the result of its events.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Sum
from django.db.models.functions import Coalesce

from aune.campaign.campaign import Campaign
from aune.contract import registry
from aune.errors import UsageError
from aune.server.accounts.models import ROLES, Account, Attempt, Invitation, Key, Token
from aune.server.campaign.models import Membership
from aune.server.workbench import file_exchange
from aune.server.workbench.layers import event_of, inverse_of
from aune.server.workbench.models import Event, Layer, Snapshot, Source, Text
from aune.server.workbench.sandbox_tasks import text_name
from aune.typologies.typology import SHIPPED_TYPOLOGIES
from aune.workbench import layer as log
from aune.workbench.events import state_problems
from aune.workbench.files import PLAIN, TASKS
from aune.workbench.model import State
from aune.workbench.model import Text as Words
from aune.workbench.schemas import LABEL_SETS

DIGEST = re.compile(r"[0-9a-f]{64}")


class InvalidRow(NamedTuple):
    """A row and its problem."""

    row: models.Model
    problem: str


def row_problem(row: models.Model) -> str:
    """The problem of a row considered alone; empty if the row is valid for its table."""
    try:
        return next(chain(_field_problems(row), RULES.get(type(row), _no_problems)(row)), "")
    except (msgspec.DecodeError, TypeError, ValueError, RecursionError) as error:
        return f"found what cannot be read ({error})"


def _field_problems(row: models.Model) -> Iterator[str]:
    """Field values that the database would accept but the server never writes."""
    for field in row._meta.concrete_fields:
        value = getattr(row, field.attname)
        if value is None:
            continue
        try:
            field.run_validators(value)
        except ValidationError as error:
            yield f"found {value!r:.60} as {field.name} ({' '.join(error.messages)})"
        if isinstance(value, str) and "\0" in value:
            yield f"found a NUL character in {field.name}"
        if field.choices and value not in dict(field.flatchoices):
            yield f"found {value!r:.60} as {field.name}, expected one of {', '.join(dict(field.flatchoices))}"


def _no_problems(row: models.Model) -> Iterator[str]:
    return iter(())


def _account(row: Account) -> Iterator[str]:
    if not row.name.isprintable() or not row.name or row.name != Account.objects.normalise_name(row.name):
        yield f"found the name {row.name!r:.60}, expected letters"


def _secret(row: Invitation | Token | Key) -> Iterator[str]:
    if not DIGEST.fullmatch(row.digest):
        yield f"found {row.digest!r:.60}, expected the digest of a secret"
    if isinstance(row, Invitation) and row.role not in ROLES:
        yield f"found the role {row.role!r}, expected one of {', '.join(ROLES)}"


def _attempt(row: Attempt) -> Iterator[str]:
    if not DIGEST.fullmatch(row.subject):
        yield f"found {row.subject!r:.60}, expected the digest of who guessed"


def _source(row: Source) -> Iterator[str]:
    beside = msgspec.convert(row.beside, dict[str, str])
    options = msgspec.convert(row.options, dict[str, str])
    msgspec.convert(row.warnings, list[str])
    if not all(map(DIGEST.fullmatch, (row.digest, *beside.values()))):
        yield "found no digest of a file"
    if row.task not in TASKS:
        yield f"found the task {row.task!r}, expected one of {', '.join(TASKS)}"
    elif row.format not in {PLAIN, *(form.name for form in registry.formats(row.task))}:
        yield f"found the format {row.format!r}, which {row.task} does not have"
    if options not in ({}, *({"typology": name} for name in SHIPPED_TYPOLOGIES)):
        yield f"found the options {options!r:.60}, expected the name of a typology"
    path = PurePosixPath(row.name)
    if path.name in ("", "..") or not {*beside} <= {*file_exchange.COMPANION_ENDINGS.get(path.suffix, ())}:
        yield f"found the name {row.name!r:.60} with {[*beside]!r:.60} beside it, expected that of a file"


def _text(row: Text) -> Iterator[str]:
    words = _words(row)
    ends = [0, *words.tokens, len(words.characters)]
    if len(words.tokens) % 2 or ends != sorted(ends) or row.words != len(words.tokens) // 2:
        yield "found words that do not follow each other in the text"
    starts = [*words.sentences, row.words]
    if starts != sorted(starts) or min(starts) < 0:
        yield "found sentences that do not follow each other in the text"
    if (
        row.name != text_name(words)
        or row.task != words.task
        or words.typology not in ("", *LABEL_SETS.get(words.task, ()))
    ):
        yield "found another name, task or typology than its text has"


def _words(row: Text) -> Words:
    return msgspec.json.decode(bytes(row.content), type=Words)


def _layer(row: Layer) -> Iterator[str]:
    msgspec.convert(row.made_from, list[str])
    if row.back and not row.back.startswith("/campaign/"):
        yield f"found the page {row.back!r:.60} to come back to, expected one under /campaign/"
    if row.first_done is not None and row.first_done > row.version:
        yield f"found it done at version {row.first_done}, expected {row.version} at most"


def _event(row: Event) -> Iterator[str]:
    event = event_of(row)
    inverse_of(row)
    if (row.identity, row.undoes, row.redoes) != (event.id, event.undoes, event.redoes):
        yield "found another event in it than it says"


def _snapshot(row: Snapshot) -> Iterator[str]:
    _state(row)
    return _no_problems(row)


def _state(row: Snapshot) -> State:
    return msgspec.json.decode(bytes(row.state), type=State)


RULES: Mapping[type[models.Model], Callable[[Any], Iterator[str]]] = {
    Account: _account, Invitation: _secret, Token: _secret, Key: _secret, Attempt: _attempt, Source: _source,
    Text: _text, Layer: _layer, Event: _event, Snapshot: _snapshot,
}  # fmt: skip


def site_problems(files: Path, campaign: Campaign | None) -> Iterator[InvalidRow]:
    """The problems of the rows of a site as a whole, where each row alone is valid."""
    for source in Source.objects.iterator():
        missing = [
            digest for digest in (source.digest, *source.beside.values()) if not (files / digest[:2] / digest).is_file()
        ]
        if missing:
            yield InvalidRow(source, f"found no file {missing[0][:16]}…, expected it among the files of the site")
    for text in Text.objects.select_related("source").iterator():
        if text.task != text.source.task:
            yield InvalidRow(text, f"found a text of {text.task} in a file of {text.source.task}")
        words = _words(text)
        for row in text.layers.all():
            yield from layer_problems(words, row)
    for account in Account.objects.annotate(own=Coalesce(Sum("layers__size"), 0)).exclude(kept=F("own")):
        yield InvalidRow(account, f"found {account.kept} bytes kept, expected the sum of its layers")
    teams = campaign.state.teams if campaign else {}
    for member in Membership.objects.exclude(team__in=[*teams]).iterator():
        yield InvalidRow(member, f"found the team {member.team!r}, which the campaign does not have")


def layer_problems(words: Words, row: Layer) -> Iterator[InvalidRow]:
    """The problems of a layer whose rows differ from what its events produce."""
    snapshots = {stored.version: stored for stored in row.snapshots.all()}
    if 0 not in snapshots:
        yield InvalidRow(row, "found no state that it began with")
        return
    start = _state(snapshots[0])
    if problems := state_problems(words, start):
        yield InvalidRow(snapshots[0], problems[0])
        return
    rebuilt = log.Layer(words, start)
    for event in row.events.order_by("version"):
        try:
            rebuilt.add(event_of(event))
        except UsageError as error:
            yield InvalidRow(event, str(error))
            return
        if event.version != rebuilt.version or inverse_of(event) != rebuilt.steps[-1].inverse:
            yield InvalidRow(event, "found a step that the events before it do not lead to")
            return
    if rebuilt.version != row.version:
        yield InvalidRow(row, f"found version {row.version}, expected {rebuilt.version}, as its events make it")
    for version, snapshot in snapshots.items():
        if version > rebuilt.version or rebuilt.at(version) != _state(snapshot):
            yield InvalidRow(snapshot, "found another state than its events make")
