"""Comments and flags on passages of a text, open or resolved, and the reasons of adjudicators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.policy import NoRoomError, refusal
from aune.server.workbench import access, layers, projects
from aune.server.workbench.api import answer, decode_body
from aune.server.workbench.models import Comment, Layer
from aune.workbench.model import Event

MAX_COMMENTS = 500  # of one author on one text
MAX_CHARACTERS = 4_000
PAGE_SIZE = 100  # comments on one page of a project
MAX_REASONS = 500


class NewComment(msgspec.Struct, forbid_unknown_fields=True):
    """A comment on a passage, or an answer to a comment."""

    start: int
    end: int
    body: str
    flag: bool = False
    answers: str = ""
    """The comment that is answered."""


class Resolution(msgspec.Struct, forbid_unknown_fields=True):
    """Whether a discussion is resolved."""

    resolved: bool


def visible_comments(account: Account, rows: Sequence[Comment]) -> list[Comment]:
    """The comments that an account may see, according to the setting of the project.

    Authors see their own threads; organisers see all. Others see the threads on layers that they may see
    (`layers`), all (`team`), or none (`leaders`).
    """
    if account.is_organiser:
        return list(rows)
    own_threads = {row.answers_id or row.pk for row in rows if row.author_id == account.pk}
    texts = {row.text_id: row.text for row in rows}
    layers_by_text = access.layers_of_texts(account, list(texts.values()))
    seen = {layer.pk for visible in layers_by_text.values() for layer in visible}
    by_id = {row.pk: row for row in rows}

    def is_visible(row: Comment) -> bool:
        first = by_id.get(row.answers_id or row.pk, row)
        audience = row.text.source.project.discussion if row.text.source.project else "layers"
        is_shared = audience == "team" or (audience == "layers" and first.layer_id in seen)
        return first.pk in own_threads or is_shared

    return [row for row in rows if is_visible(row)]


def comment_data(row: Comment, account: Account) -> dict[str, Any]:
    return {
        "id": row.pk, "answers": row.answers_id, "start": row.start, "end": row.end, "body": row.body,
        "flag": row.is_flag, "author": row.author.name, "own": row.author_id == account.pk, "made": row.made,
        "resolved": row.resolved is not None, "resolver": row.resolver.name if row.resolver else "",
        "layer": row.layer_id if row.layer and access.can_see(account, row.layer) else None,
    }  # fmt: skip


@require_http_methods(["GET", "POST"])
def comments(request: HttpRequest, layer: str) -> HttpResponse:
    """The discussion of a layer's text, with the reasons in visible keys (GET); or a new comment on it (POST)."""
    account = person(request)
    row = access.layer(account, layer)
    if row.kind == "proposal" or account.role not in access.WORKERS:
        raise Http404
    if request.method == "POST":
        added = decode_body(request, NewComment)
        if isinstance(added, HttpResponse):
            return added
        problem = _problem(row, added)
        if problem:
            return refusal(request, 422, problem)
        return answer(comment_data(_add(account, row, added), account), 201)
    rows = Comment.objects.filter(text=row.text_id).select_related(
        "author", "resolver", "layer", "text", "text__source__project"
    )
    listed = [comment_data(comment, account) for comment in visible_comments(account, list(rows.order_by("made")))]
    return answer({"comments": listed, "reasons": _reasons(account, row)})


def _problem(layer: Layer, added: NewComment) -> str:
    """Why a comment is refused; empty if it is acceptable."""
    length = len(layers.text_content(layer.text_id).characters)
    if not 0 <= added.start <= added.end <= length:
        return f"Found the passage {added.start} to {added.end}, expected one between 0 and {length}."
    if not 0 < len(added.body.strip()) <= MAX_CHARACTERS:
        return f"Found {len(added.body):,} characters, expected 1 to {MAX_CHARACTERS:,}."
    return ""


def _add(account: Account, layer: Layer, added: NewComment) -> Comment:
    if Comment.objects.filter(author=account, text=layer.text_id).count() >= MAX_COMMENTS:
        raise NoRoomError(f"You have {MAX_COMMENTS} comments on this text: more are not kept.")
    first = None
    if added.answers:
        first = Comment.objects.filter(pk=added.answers, text=layer.text_id, answers=None).first()
        if first is None or not visible_comments(account, [first]):
            raise Http404
    return Comment.objects.create(
        text_id=layer.text_id, layer=first.layer if first else layer, author=account, answers=first,
        start=first.start if first else added.start, end=first.end if first else added.end,
        body=added.body.strip(), is_flag=added.flag and first is None,
    )  # fmt: skip


def _reasons(account: Account, layer: Layer) -> list[dict[str, Any]]:
    """The reasons that adjudicators gave in the visible keys of a text."""
    reasons: list[dict[str, Any]] = []
    for key in access.layers(account, layer.text):
        if key.kind != "key":
            continue
        for row in key.events.order_by("-version").select_related("author")[:MAX_REASONS]:
            event = layers.event_of(row)
            if event.reason:
                start, end = _place(key, event)
                author = row.author.name if row.author else ""
                reasons.append(
                    {"start": start, "end": end, "body": event.reason, "author": author, "made": row.at,
                     "operation": event.operation, "key": key.name}
                )  # fmt: skip
    return reasons


def _place(key: Layer, event: Event) -> tuple[int, int]:
    """The passage of a decision: that of its first mention, or else the start of the text."""
    state = layers.head(key).state
    for table, name, record in event.changes:
        parts = record["parts"] if table == "mentions" and record else ()
        if parts or (table == "mentions" and name in state.mentions):
            parts = parts or state.mentions[name].parts
            return parts[0][0], parts[-1][1]
    numbers = [int(part) for about in event.about for part in about.replace("-", " ").split() if part.isdecimal()]
    return (numbers[0], numbers[1]) if len(numbers) > 1 else (0, 0)


@require_POST
def resolve(request: HttpRequest, comment: str) -> HttpResponse:
    """Resolve a discussion or reopen it: its author, the author of the layer, or an organiser may do this."""
    account = person(request)
    row = Comment.objects.filter(pk=comment, answers=None).select_related("text", "text__source__project").first()
    if row is None or account.role not in access.WORKERS or not visible_comments(account, [row]):
        raise Http404
    body = decode_body(request, Resolution)
    if isinstance(body, HttpResponse):
        return body
    is_concerned = account.pk in (row.author_id, row.layer.author_id if row.layer else None)
    if not (is_concerned or account.is_organiser):
        return refusal(request, 403, "Its author, the annotator of the layer or an organiser resolves a comment.")
    Comment.objects.filter(pk=row.pk).update(
        resolved=timezone.now() if body.resolved else None, resolver=account if body.resolved else None
    )
    row.refresh_from_db()
    return answer(comment_data(row, account))


@require_GET
def page(request: HttpRequest, project: str) -> HttpResponse:
    """The open or the resolved discussions of a project; each links to its place."""
    account = person(request)
    row = projects.visible_project(account, project)
    is_open = request.GET.get("of", "open") == "open"
    texts = access.texts(account).filter(source__project=row).values("pk")
    rows = Comment.objects.filter(text__in=texts).select_related(
        "author", "resolver", "layer", "text", "text__source__project"
    )
    seen = visible_comments(account, list(rows.order_by("-made")))
    answers: dict[str, list[Comment]] = {}
    for comment in reversed(seen):
        if comment.answers_id:
            answers.setdefault(comment.answers_id, []).append(comment)
    first = [comment for comment in seen if not comment.answers_id and (comment.resolved is None) == is_open]
    shown = Paginator(first, PAGE_SIZE).get_page(request.GET.get("page"))
    threads = [_thread(account, comment, answers.get(comment.pk, [])) for comment in shown]
    context = {"project": row, "threads": threads, "page": shown, "is_open": is_open}
    return render(request, "project_discussion.html", context)


def _thread(account: Account, comment: Comment, answers: Sequence[Comment]) -> dict[str, Any]:
    """A comment with its answers, the words that it is about, and a link to its place."""
    words = layers.text_content(comment.text_id).characters[comment.start : comment.end]
    layer = comment.layer if comment.layer and access.can_see(account, comment.layer) else None
    address = f"/layer/{layer.pk}/#at-{comment.start}" if layer else f"/text/{comment.text_id}/"
    return {"comment": comment, "answers": answers, "words": words[:200], "address": address}
