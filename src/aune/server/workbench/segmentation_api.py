"""Corrections of the words and sentences of a plain text, made on the annotation page."""

from __future__ import annotations

from typing import Literal

import msgspec
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from aune.errors import UsageError
from aune.server.accounts.views import person
from aune.server.policy import refusal
from aune.server.workbench import access, layers
from aune.server.workbench.api import answer, decode_body, forget_details
from aune.server.workbench.models import Text
from aune.workbench.files import PLAIN
from aune.workbench.segmentation import Segmentation, join_words, split_word, toggle_sentence


class Correction(msgspec.Struct, forbid_unknown_fields=True):
    """A correction of words or sentences, with positions in characters."""

    operation: Literal["split", "join", "sentence"]
    start: int
    end: int
    words: int
    """The number of words of the text on the page, by which intermediate corrections are detected."""


@require_POST
def correct(request: HttpRequest, text: str) -> HttpResponse:
    """Split a word, join words, or change where a sentence begins, for all layers of a text."""
    account = person(request)
    row = access.text(account, text)
    body = decode_body(request, Correction)
    if isinstance(body, HttpResponse):
        return body
    if not account.is_organiser:
        return refusal(request, 403, "Only organisers correct the words of a text: they are those of all annotators.")
    if row.source.format != PLAIN:
        return refusal(request, 422, "The words of this text are those of its file: only plain texts are corrected.")
    with transaction.atomic():
        Text.objects.select_for_update().defer("content").get(pk=row.pk)
        known = layers.text_content(row.pk)
        if len(known.tokens) != 2 * body.words:
            return refusal(request, 409, "The words of this text were corrected meanwhile: load the page again.")
        try:
            corrected = _apply(Segmentation(list(known.words()), known.sentences), body)
        except UsageError as error:
            return refusal(request, 422, str(error))
        layers.store_segmentation(row.pk, corrected)
    forget_details(row.pk)
    return answer({"words": len(corrected.words)})


def _apply(known: Segmentation, correction: Correction) -> Segmentation:
    if correction.operation == "join":
        return join_words(known, correction.start, correction.end)
    if correction.operation == "sentence":
        return toggle_sentence(known, correction.start)
    places = {correction.start, correction.end}
    inside = [place for place in sorted(places) if any(start < place < end for start, end in known.words)]
    if not inside:
        raise UsageError("Found whole words: select some letters of a word, with Alt.")
    for place in inside:
        known = split_word(known, place)
    return known
