"""Pages that study layers: statistics, agreement, resolvers, skeletons, and two layers side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import Any
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from aune.core import registry
from aune.core.errors import AuneError
from aune.reports.tabular import number
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.policy import refused, whole_number
from aune.server.workbench import access, analysis, layers, opening
from aune.server.workbench.models import Layer, Text
from aune.server.workbench.pages import download, moved
from aune.workbench.agreement import agreement
from aune.workbench.comparison import Score
from aune.workbench.resolution import resolved, resolvers
from aune.workbench.skeletons import answered, sgml
from aune.workbench.statistics import Profile, corpus, cut_out, profile
from aune.workbench.statistics import passages as cut

COLUMNS = 20  # texts in one table
MOST_AGREEING = 20  # layers in one: each pair of them is compared
PLAIN = (
    ("words", "words"), ("sentences", "sentences"), ("mentions", "mentions |E|"), ("chains", "chains |P|"),
    ("rate", "|E| / |P|"), ("ungrouped", "in no chain yet"), ("zeros", "zeros"), ("discontinuous", "in several parts"),
)  # fmt: skip


@require_GET
def compare(request: HttpRequest, layer: str, other: str) -> HttpResponse:
    """Two layers side by side: the module asks for all that there is to draw."""
    account = person(request)
    try:
        key, response = analysis.pair_of(account, layer, other)
    except AuneError as error:
        return refused(request, 422, str(error))
    both = (key.layer.pk, response.layer.pk)
    others = [one for one in access.layers(account, key.layer.text) if one.pk not in both]
    return render(
        request,
        "compare.html",
        {"text": key.layer.text, "key": key, "response": response, "sides": (layer, other), "others": others},
    )


@require_GET
def chosen_pair(request: HttpRequest, text: str) -> HttpResponse:
    """The page of the two layers that a form names, each at a version, or the response as the resolver at a step."""
    sides = []
    step = request.GET.get("step", "").strip()
    moments = (
        request.GET.get("key_at", "").strip(),
        f"step{step}" if step else request.GET.get("response_at", "").strip(),
    )
    for side, at in zip(("key", "response"), moments, strict=True):
        layer = access.layer(person(request), request.GET.get(side, ""))
        sides.append(f"{layer.pk}@{quote(at, safe='')}" if at else layer.pk)
    return redirect("/compare/{}/{}/".format(*sides))


@require_GET
def statistics(request: HttpRequest) -> HttpResponse:
    """Several texts in columns, each with the layer that says most: a key, else what its file says, else any."""
    account = person(request)
    asked = request.GET.getlist("text")
    texts = [text for text in access.texts(account) if not asked or text.pk in asked]
    columns = list(islice(_columns(account, texts, request), COLUMNS))
    shown = {
        "rows": rows([column for _, column in columns]) if columns else [],
        "columns": [layer for layer, _ in columns],
        "texts": access.texts(account),
        "asked": asked,
        "by_rule": "by_rule" in request.GET,
        "left": max(0, len(texts) - len(columns)),
    }
    return render(request, "statistics.html", shown)


def _columns(account: Account, texts: Sequence[Text], request: HttpRequest) -> Any:
    for text in texts:
        layer = best(access.layers(account, text))
        if layer is not None:
            state = layers.head(layer).state
            yield layer, profile(layers.words_of(text.pk), state, by_rule="by_rule" in request.GET)


def best(seen: Sequence[Layer]) -> Layer | None:
    """The layer that stands for a text."""
    wanted = ("key", "imported", "annotation", "system")
    return min(seen, key=lambda layer: wanted.index(layer.kind), default=None)


def rows(profiles: Sequence[Profile]) -> list[tuple[str, list[str]]]:
    """Table 4: a row for each thing counted, a column for each text, and one for all of them."""
    every = [*profiles, corpus(profiles)] if len(profiles) > 1 else list(profiles)
    found = [(name, [_shown(getattr(one, field)) for one in every]) for field, name in PLAIN]
    for group, heading in (("kinds", "{}"), ("sizes", "chains of {}"), ("labels", "{}"), ("relations", "relation {}")):
        names = dict.fromkeys(name for one in every for name in getattr(one, group))
        found += [(heading.format(name), [_shown(getattr(one, group).get(name, 0)) for one in every]) for name in names]
    return found


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else f"{value:,}"


@require_GET
def text_statistics(request: HttpRequest, text: str) -> HttpResponse:
    """The layers of one text in columns."""
    account = person(request)
    row = access.text(account, text)
    seen = access.layers(account, row)[:COLUMNS]
    words = layers.words_of(row.pk)
    profiles = [profile(words, layers.head(layer).state) for layer in seen]
    found = [(name, values[: len(seen)]) for name, values in rows(profiles)] if profiles else []
    columns = list(layers.named(seen))
    return part(request, "profile.html", "Statistics", row, {"rows": found, "columns": columns})


@require_GET
def text_agreement(request: HttpRequest, text: str) -> HttpResponse:
    """How far layers agree, as they are and as they were when each was done first."""
    account = person(request)
    row = access.text(account, text)
    asked = request.GET.getlist("layer")
    seen = [layer for layer in access.layers(account, row) if layer.pk in asked or not asked]
    if not asked:
        seen = [layer for layer in seen if layer.kind == "annotation"]
    if len(seen) < 2:
        return refused(request, 422, "Agreement needs two layers or more: choose them.")
    if len(seen) > MOST_AGREEING:
        return refused(
            request, 422, f"Found {len(seen)} layers, expected at most {MOST_AGREEING}: choose some of them."
        )
    words, named = layers.words_of(row.pk), layers.named(seen)
    moments = {"now": {name: layers.head(layer).state for name, layer in named.items()}}
    if any(layer.first_done not in (None, layer.version) for layer in seen):
        moments["before discussion"] = {
            name: layers.state_at(layer, layer.version if layer.first_done is None else layer.first_done)
            for name, layer in named.items()
        }
    try:
        tables = {moment: agreed(agreement(words, states)) for moment, states in moments.items()}
    except AuneError as error:
        return refused(request, 422, str(error))
    return part(request, "agreement.html", "Agreement", row, {"tables": tables})


def part(request: HttpRequest, template: str, heading: str, text: Text, said: Mapping[str, Any]) -> HttpResponse:
    """A part of the page of a text; without JavaScript, a page of its own."""
    if request.headers.get("HX-Request"):
        return render(request, template, dict(said))
    return render(request, "part.html", {**said, "part": template, "part_heading": heading, "text": text})


def agreed(found: Any) -> dict[str, Any]:
    """A table of pairs, a row for each measure; and agreement beyond chance."""
    pairs = [f"{pair.first} – {pair.second}" for pair in found.pairs]
    measures = [score.short for score in found.pairs[0].scores]
    chance = [{one.short: _shown(one.values.get(one.main)) for one in scores} for scores in found.chance.values()]
    return {
        "pairs": pairs,
        "rows": [
            (short, [main_value(pair.scores[place]) for pair in found.pairs]) for place, short in enumerate(measures)
        ],
        "beyond": list(found.chance),
        "chance": [(short, [values.get(short, "–") for values in chance]) for short in dict.fromkeys(chain(*chance))],
    }


def main_value(score: Score) -> str:
    """The value of a measure that people quote, as reports print it."""
    return number(score.values.get(score.main), registry.measure(score.measure), 2)


@require_GET
def resolve(request: HttpRequest, layer: str) -> HttpResponse:
    """Resolvers to run on the marked mentions, and the activation resolver to step through."""
    row = access.layer(person(request), layer)
    mentions = len(layers.head(row).state.mentions)
    return render(request, "resolve.html", {"layer": row, "resolvers": resolvers(), "mentions": mentions})


@require_POST
def run(request: HttpRequest, layer: str) -> HttpResponse:
    """What a resolver says of the mentions of a layer, as a layer."""
    account = person(request)
    row = access.layer(account, layer)
    known = resolvers()
    name = request.POST.get("resolver", "")
    if name not in known or row.text.task != "coref":
        return refused(request, 422, f"Found the resolver {name!r}, expected one of {', '.join(known)}.")
    options = {option: request.POST[option] for option in known[name] if request.POST.get(option)}
    try:
        state = resolved(layers.words_of(row.text_id), layers.head(row).state, name, **typed(options))
    except AuneError as error:
        return refused(request, 422, str(error))
    made = layers.began(row.text, f"{name} on {row.name}", "system", account, state)
    return moved(request, f"/compare/{row.pk}/{made.pk}/")


def typed(options: Mapping[str, str]) -> dict[str, Any]:
    """Numbers as numbers: forms know words only."""
    return {name: value if (found := whole_number(value)) is None else found for name, value in options.items()}


@require_GET
def skeleton(request: HttpRequest) -> HttpResponse:
    """Fictive mentions, a key and a response typed by hand, and what every measure says: the module does it."""
    person(request)
    return render(request, "skeleton.html")


@require_POST
def skeleton_export(request: HttpRequest) -> HttpResponse:
    """One side of a skeleton as SGML."""
    person(request)
    side, mentions = request.POST.get("side", "key"), whole_number(request.POST.get("mentions", "0"))
    if side not in ("key", "response") or mentions is None:
        return refused(request, 422, "Expected a side, key or response, and a number of mentions.")
    found = answered(mentions, request.POST.get("key", ""), request.POST.get("response", ""))
    if found.problems:
        return refused(request, 422, *(problem for problems in found.problems.values() for problem in problems))
    return download(sgml(found.text, found.key if side == "key" else found.response), f"{side}.sgml")


@require_GET
def passages(request: HttpRequest, layer: str) -> HttpResponse:
    """A text in passages of about so many mentions, each to be cut out."""
    row = access.layer(person(request), layer)
    written = request.GET.get("mentions", "50")
    asked = whole_number(written)
    if not asked or asked >= 1_000_000:
        return refused(request, 422, f"Found {written[:20]!r} mentions, expected a number above 0.")
    words = layers.words_of(row.text_id)
    found = [
        {"start": one.start, "end": one.end, "mentions": one.mentions, "begins": words.characters[one.start : one.end]}
        for one in cut(words, layers.head(row).state, asked)
    ]
    return render(request, "passages.html", {"layer": row, "passages": found, "mentions": asked})


@require_POST
def cut_passage(request: HttpRequest, layer: str) -> HttpResponse:
    """A passage becomes a file and a text of its own, with what the layer says of it."""
    account = person(request)
    row = access.layer(account, layer)
    if not account.is_organiser:
        return refused(request, 403, "Only organisers open texts here.")
    start, end = (whole_number(request.POST.get(name, "")) for name in ("start", "end"))
    words = layers.words_of(row.text_id)
    if start is None or end is None or not start < end <= len(words.characters):
        return refused(request, 422, f"Expected a stretch between 0 and {len(words.characters)}.")
    text, state = cut_out(words, layers.head(row).state, start, end)
    try:
        made, lost = opening.written_anew(text, state, f"{row.text.name} {start}–{end}", account)
    except AuneError as error:
        return refused(request, 422, str(error))
    first = made.texts.get()
    notes = [f"{made.format} cannot hold {what}: {count} lost" for what, count in lost.items()]
    return (
        render(request, "notes.html", {"notes": notes, "text": first})
        if notes
        else moved(request, f"/text/{first.pk}/")
    )
