"""Pages for studying layers: statistics, agreement, resolvers, skeletons, and two layers side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import Any
from urllib.parse import quote

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from aune.contract import registry
from aune.errors import AuneError
from aune.reports.tabular import number
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.policy import refusal, whole_number
from aune.server.workbench import access, analysis_api, file_exchange, layers
from aune.server.workbench.models import Layer, Text
from aune.server.workbench.pages import download, redirect_to
from aune.tasks.coref.conventions import CONVENTIONS
from aune.workbench.agreement import Agreement, agreement
from aune.workbench.comparison import Conventions, Score
from aune.workbench.resolution import resolvers, run_resolver
from aune.workbench.skeletons import compare_skeleton, sgml
from aune.workbench.statistics import Profile, cut_out, pooled_profile, profile
from aune.workbench.statistics import passages as cut

MAX_COLUMNS = 20  # texts in one table
MAX_AGREEMENT_LAYERS = 20  # layers in one table: each pair of them is compared
PROFILE_ROWS = (
    ("words", "words"), ("sentences", "sentences"), ("mentions", "mentions |E|"), ("chains", "chains |P|"),
    ("rate", "|E| / |P|"), ("ungrouped", "in no chain yet"), ("zeros", "zeros"), ("discontinuous", "in several parts"),
)  # fmt: skip
CHAIN_ROWS = ("chains", "rate", "ungrouped", "zeros")
"""Rows that are left out where no text has chains."""


@require_GET
def compare(request: HttpRequest, layer: str, other: str) -> HttpResponse:
    """Two layers side by side; a JavaScript module requests the data."""
    account = person(request)
    try:
        key, response = analysis_api.moment_pair(account, layer, other)
    except AuneError as error:
        return refusal(request, 422, str(error))
    pair_ids = (key.layer.pk, response.layer.pk)
    others = [candidate for candidate in access.layers(account, key.layer.text) if candidate.pk not in pair_ids]
    return render(
        request,
        "compare.html",
        {"text": key.layer.text, "key": key, "response": response, "sides": (layer, other), "others": others},
    )


@require_GET
def chosen_pair(request: HttpRequest, text: str) -> HttpResponse:
    """Redirect to the comparison of two layers from a form, each at a version, or the response at a resolver step."""
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
    """Statistics of several texts in columns, each with its preferred layer: a key, else that of its file, else any."""
    account = person(request)
    chosen = request.GET.getlist("text")
    texts = [text for text in access.texts(account) if not chosen or text.pk in chosen]
    columns = list(islice(_columns(account, texts, request), MAX_COLUMNS))
    context = {
        "rows": rows([column for _, column in columns]) if columns else [],
        "columns": [layer for layer, _ in columns],
        "texts": access.texts(account),
        "asked": chosen,
        "by_rule": "by_rule" in request.GET,
        "left": max(0, len(texts) - len(columns)),
    }
    return render(request, "statistics.html", context)


def _columns(account: Account, texts: Sequence[Text], request: HttpRequest) -> Any:
    for text in texts:
        layer = representative_layer(access.layers(account, text))
        if layer is not None:
            state = layers.head(layer).state
            yield layer, profile(layers.text_content(text.pk), state, by_rule="by_rule" in request.GET)


def representative_layer(seen: Sequence[Layer]) -> Layer | None:
    """The preferred layer of a text, for statistics."""
    preference = ("key", "imported", "annotation", "system")
    return min(seen, key=lambda layer: preference.index(layer.kind), default=None)


def rows(profiles: Sequence[Profile]) -> list[tuple[str, list[str]]]:
    """Table 4: a row for each counted property, a column for each text, and one for all texts together."""
    every = [*profiles, pooled_profile(profiles)] if len(profiles) > 1 else list(profiles)
    shown = [row for row in PROFILE_ROWS if row[0] not in CHAIN_ROWS or any(column.sizes for column in every)]
    table_rows = [(name, [_cell(getattr(column, field)) for column in every]) for field, name in shown]
    for group, heading in (("kinds", "{}"), ("sizes", "chains of {}"), ("labels", "{}"), ("relations", "relation {}")):
        names = dict.fromkeys(name for column in every for name in getattr(column, group))
        table_rows += [
            (heading.format(name), [_cell(getattr(column, group).get(name, 0)) for column in every]) for name in names
        ]
    return table_rows


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else f"{value:,}"


@require_GET
def text_statistics(request: HttpRequest, text: str) -> HttpResponse:
    """Statistics of the layers of one text, in columns."""
    account = person(request)
    row = access.text(account, text)
    seen = access.layers(account, row)[:MAX_COLUMNS]
    words = layers.text_content(row.pk)
    profiles = [profile(words, layers.head(layer).state) for layer in seen]
    table_rows = [(name, values[: len(seen)]) for name, values in rows(profiles)] if profiles else []
    columns = list(layers.layers_by_name(seen))
    return render_part(request, "profile.html", "Statistics", row, {"rows": table_rows, "columns": columns})


@require_GET
def text_agreement(request: HttpRequest, text: str) -> HttpResponse:
    """The agreement of layers, in their newest versions and as they were when first done."""
    account = person(request)
    row = access.text(account, text)
    chosen = request.GET.getlist("layer")
    seen = [layer for layer in access.layers(account, row) if layer.pk in chosen or not chosen]
    if not chosen:
        seen = [layer for layer in seen if layer.kind == "annotation"]
    if len(seen) < 2:
        return refusal(request, 422, "Agreement needs two layers or more: choose them.")
    if len(seen) > MAX_AGREEMENT_LAYERS:
        return refusal(
            request, 422, f"Found {len(seen)} layers, expected at most {MAX_AGREEMENT_LAYERS}: choose some of them."
        )
    words, named = layers.text_content(row.pk), layers.layers_by_name(seen)
    moments = {"now": {name: layers.head(layer).state for name, layer in named.items()}}
    if any(layer.first_done not in (None, layer.version) for layer in seen):
        moments["before discussion"] = {name: layers.state_when_first_done(layer) for name, layer in named.items()}
    try:
        chosen_conventions = analysis_api.conventions(request.GET, row.task)
        tables = {
            moment: agreement_table(agreement(words, states, chosen_conventions)) for moment, states in moments.items()
        }
    except (AuneError, msgspec.ValidationError) as error:
        return refusal(request, 422, str(error))
    convention = convention_summary(chosen_conventions) if row.task == "coref" else {}
    return render_part(request, "agreement.html", "Agreement", row, {"tables": tables, "convention": convention})


UNPAIRED_MENTIONS = {
    "complete": "completed: the other annotator has it as a singleton",
    "conll": "left on its side: it is an error of either annotator",
}
"""How a mention that only one annotator marked is treated, by the value of the option `mentions`."""


UNMARKED_MENTIONS = {
    "empty": "in no chain of the other: a disagreement",
    "singleton": "alone in a chain of the other: agreement where it is alone on both sides",
}
"""How α treats such a mention, by the value of the option `unmarked`."""


def convention_summary(chosen: Conventions) -> dict[str, str]:
    """The name of a comparison's convention, and how it treats mentions that only one annotator marked."""
    preset = CONVENTIONS.get(chosen.convention, {})
    mentions = chosen.mentions or str(preset.get("mentions", "conll"))
    return {
        "name": chosen.convention, "mentions": mentions, "unpaired": UNPAIRED_MENTIONS.get(mentions, mentions),
        "unmarked": UNMARKED_MENTIONS[chosen.unmarked],
    }  # fmt: skip


def render_part(
    request: HttpRequest, template: str, heading: str, text: Text, context: Mapping[str, Any]
) -> HttpResponse:
    """Render a part of the page of a text; without htmx, as a page of its own."""
    if request.headers.get("HX-Request"):
        return render(request, template, dict(context))
    return render(request, "part.html", {**context, "part": template, "part_heading": heading, "text": text})


def agreement_table(result: Agreement) -> dict[str, Any]:
    """A table with a column for each pair and a row for each measure, and chance-corrected agreement on the same scale.

    Both tables show hundredths, as reports do: 100 is perfect agreement, and κ and α are 0 at chance.
    """
    chance = [
        {entry.short: hundredths(entry.values.get(entry.main)) for entry in scores} for scores in result.chance.values()
    ]
    first = result.pairs[0].scores
    entries = [*first, *(entry for scores in list(result.chance.values())[:1] for entry in scores)]
    return {
        "pairs": [f"{pair.first} – {pair.second}" for pair in result.pairs],
        "rows": [
            (score.short, [main_value(pair.scores[place]) for pair in result.pairs])
            for place, score in enumerate(first)
        ],
        "beyond": list(result.chance),
        "chance": [(short, [values.get(short, "–") for values in chance]) for short in dict.fromkeys(chain(*chance))],
        "signatures": [(entry.short, entry.signature) for entry in entries],
    }


def hundredths(value: float | None) -> str:
    """A proportion × 100, formatted for tables."""
    return "–" if value is None else f"{100 * value:.2f}".replace("-", "−")


def main_value(score: Score) -> str:
    """The main value of a measure, formatted as in reports."""
    return number(score.values.get(score.main), registry.measure(score.measure), 2)


@require_GET
def resolve(request: HttpRequest, layer: str) -> HttpResponse:
    """The page on which resolvers are run on the marked mentions, and the activation resolver is stepped through."""
    row = access.layer(person(request), layer)
    mentions = len(layers.head(row).state.mentions)
    return render(request, "resolve.html", {"layer": row, "resolvers": resolvers(), "mentions": mentions})


@require_POST
def run(request: HttpRequest, layer: str) -> HttpResponse:
    """Run a resolver on the mentions of a layer, and store its output as a new layer."""
    account = person(request)
    row = access.layer(account, layer)
    known = resolvers()
    name = request.POST.get("resolver", "")
    if name not in known or row.text.task != "coref":
        return refusal(request, 422, f"Found the resolver {name!r}, expected one of {', '.join(known)}.")
    options = {option: request.POST[option] for option in known[name] if request.POST.get(option)}
    try:
        state = run_resolver(layers.text_content(row.text_id), layers.head(row).state, name, **parse_numbers(options))
    except AuneError as error:
        return refusal(request, 422, str(error))
    made = layers.create_layer(row.text, f"{name} on {row.name}", "system", account, state)
    return redirect_to(request, f"/compare/{row.pk}/{made.pk}/")


def parse_numbers(options: Mapping[str, str]) -> dict[str, Any]:
    """Convert values that are whole numbers, since forms contain only strings."""
    return {name: value if (parsed := whole_number(value)) is None else parsed for name, value in options.items()}


@require_GET
def skeleton(request: HttpRequest) -> HttpResponse:
    """The page for typed skeletons (fictive mentions, key, response) and their scores; a JavaScript module fills it."""
    person(request)
    return render(request, "skeleton.html")


@require_POST
def skeleton_export(request: HttpRequest) -> HttpResponse:
    """One side of a skeleton as SGML."""
    person(request)
    side, mentions = request.POST.get("side", "key"), whole_number(request.POST.get("mentions", "0"))
    if side not in ("key", "response") or mentions is None:
        return refusal(request, 422, "Expected a side, key or response, and a number of mentions.")
    comparison = compare_skeleton(mentions, request.POST.get("key", ""), request.POST.get("response", ""))
    if comparison.problems:
        return refusal(request, 422, *(problem for problems in comparison.problems.values() for problem in problems))
    return download(sgml(comparison.text, comparison.key if side == "key" else comparison.response), f"{side}.sgml")


@require_GET
def passages(request: HttpRequest, layer: str) -> HttpResponse:
    """A text divided into passages with about the given number of mentions, each of which can be cut out."""
    row = access.layer(person(request), layer)
    typed_size = request.GET.get("mentions", "50")
    size = whole_number(typed_size)
    if not size or size >= 1_000_000:
        return refusal(request, 422, f"Found {typed_size[:20]!r} mentions, expected a number above 0.")
    words = layers.text_content(row.text_id)
    listed = [
        {
            "start": passage.start,
            "end": passage.end,
            "mentions": passage.mentions,
            "begins": words.characters[passage.start : passage.end],
        }
        for passage in cut(words, layers.head(row).state, size)
    ]
    return render(request, "passages.html", {"layer": row, "passages": listed, "mentions": size})


@require_POST
def cut_passage(request: HttpRequest, layer: str) -> HttpResponse:
    """Make a passage a file and text of its own, with the annotation of the layer."""
    account = person(request)
    row = access.layer(account, layer)
    if not account.is_organiser:
        return refusal(request, 403, "Only organisers open texts here.")
    start, end = (whole_number(request.POST.get(name, "")) for name in ("start", "end"))
    words = layers.text_content(row.text_id)
    if start is None or end is None or not start < end <= len(words.characters):
        return refusal(request, 422, f"Expected a stretch between 0 and {len(words.characters)}.")
    text, state = cut_out(words, layers.head(row).state, start, end)
    try:
        project = row.text.source.project
        made, lost = file_exchange.create_file(text, state, f"{row.text.name} {start}–{end}", account, project)
    except AuneError as error:
        return refusal(request, 422, str(error))
    first = made.texts.get()
    notes = [f"{made.format} cannot represent {what}: {count} lost" for what, count in lost.items()]
    return (
        render(request, "notes.html", {"notes": notes, "text": first})
        if notes
        else redirect_to(request, f"/text/{first.pk}/")
    )
