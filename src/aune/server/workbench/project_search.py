"""Search for words, labels and chains in the texts of a project, in the layers that the account may see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.policy import refusal
from aune.server.workbench import access, layers, projects
from aune.server.workbench.models import Layer, Project, Text
from aune.workbench.model import State
from aune.workbench.model import Text as Words
from aune.workbench.search import Hit, find_chains, find_labels, find_words

MAX_HITS = 200  # on one page
MAX_QUERY = 200  # characters
PLACES = {"words": "words of texts", "labels": "labels and features", "chains": "chains"}
FINDERS: Mapping[str, Callable[[Words, State, str], Iterator[Hit]]] = {"labels": find_labels, "chains": find_chains}


class FoundText(NamedTuple):
    """A hit with its text, and the layer in which it is shown; None if the account may see no layer of the text."""

    text: Text
    layer: Layer | None
    hit: Hit


@require_GET
def search(request: HttpRequest, project: str) -> HttpResponse:
    """The search page; each hit links to its place."""
    account = person(request)
    row = projects.visible_project(account, project)
    query, place = request.GET.get("q", "").strip(), request.GET.get("in", "words")
    if place not in PLACES or len(query) > MAX_QUERY:
        return refusal(request, 422, f"Expected at most {MAX_QUERY} characters, in {', '.join(PLACES)}.")
    hits = list(islice(_hits(account, row, query, place), MAX_HITS + 1)) if query else []
    context = {
        "project": row, "asked": query, "place": place, "places": PLACES, "hits": hits[:MAX_HITS],
        "is_more": len(hits) > MAX_HITS, "most": MAX_HITS,
    }  # fmt: skip
    return render(request, "project_search.html", context)


def _hits(account: Account, project: Project, query: str, place: str) -> Iterator[FoundText]:
    """The hits, text by text; labels and chains are searched in every visible layer."""
    texts = list(access.texts(account).filter(source__project=project))
    seen = access.layers_of_texts(account, texts)
    for text in texts:
        words = layers.text_content(text.pk)
        if place == "words":
            layer = _shown_layer(account, seen[text.pk])
            yield from (FoundText(text, layer, hit) for hit in find_words(words, query))
            continue
        for layer in seen[text.pk]:
            yield from (FoundText(text, layer, hit) for hit in FINDERS[place](words, layers.head(layer).state, query))


def _shown_layer(account: Account, seen: list[Layer]) -> Layer | None:
    """The layer in which a hit in a text is shown: the account's newest own one, or else any visible one."""
    own_layers = [layer for layer in seen if layer.author_id == account.pk and layer.kind == "annotation"]
    return next(iter([*reversed(own_layers), *seen]), None)
