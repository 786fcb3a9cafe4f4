"""The pages of an archive: static, self-contained, made of the archive's own data and of nothing else."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aune.core.errors import visible

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { padding: .25rem .75rem; text-align: left; border-bottom: 1px solid #8884; white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
code { overflow-wrap: anywhere; }
svg text { font-size: 12px; fill: currentColor; }
"""


def text(value: Any) -> str:
    """Anything as text of a page."""
    return html.escape(visible(str(value)))


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in header)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f"<table><caption>{text(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        shown = f"{value:.4f}" if isinstance(value, float) else str(value)
        return f'<td class="number">{shown}</td>'
    return f"<td>{'–' if value is None else text(value)}</td>"


def page(title: str, parts: Iterable[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{text(title)}</title><style>{STYLE}</style></head><body><main><h1>{text(title)}</h1>\n"
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def site(archive: Mapping[str, Any]) -> dict[str, str]:
    """Every page of an archive, by file name."""
    return {"index.html": _index(archive)}


def _index(archive: Mapping[str, Any]) -> str:
    about = archive["campaign"]
    parts = [f"<p>A campaign of {text(about['task'])}. Everything on this page can be computed again from the files "
             "beside it: <code>aune campaign verify FOLDER</code>.</p>"]  # fmt: skip
    for found in archive["boards"]:
        parts += [f"<h2>{text(found['dataset'])}</h2>", *board_parts(found)]
    if archive["pages"]:
        names = {run["id"]: f"{run['dataset']}: {run['label']}" for run in archive["runs"]}
        links = sorted((names[run], path) for run, path in archive["pages"].items())
        listed = "".join(f'<li><a href="{text(path)}">{text(name)}</a></li>' for name, path in links)
        parts += ["<h2>Reports</h2>", f"<p>What each run got right and wrong:</p><ul>{listed}</ul>"]
    rows = archive["participants"]
    if rows:
        parts += ["<h2>Participants</h2>", table("Who took part", list(rows[0]), [list(row.values()) for row in rows])]
    if archive["changelog"]:
        said = [[one["time"], one["what"], one["why"], one["who"]] for one in archive["changelog"]]
        parts += ["<h2>Changes</h2>", table("What changed after it was fixed", ["when", "what", "why", "who"], said)]
    for dataset, changed in archive["differences"].items():
        parts.append(difference_table(dataset, changed))
    heads = [[one["phase"], one["time"], one["head"]] for one in archive["heads"]]
    parts += ["<h2>Ledger</h2>", table("Its head when each phase began", ["phase", "when", "head"], heads)]
    fixed = [[one["dataset"], one["version"], one["commitment"], one["time"]] for one in archive["commitments"]]
    parts.append(table("What keys were fixed by", ["dataset", "version", "salted SHA-256", "when"], fixed))
    return page(about["title"], parts)


def difference_table(dataset: str, changed: Sequence[Mapping[str, Any]]) -> str:
    """The ranking value of every run by every version of the key."""
    versions = sorted({version for one in changed for version in one["values"]}, key=int)
    if len(versions) < 2:
        return ""
    rows = [[one["run"], *(one["values"].get(version) for version in versions)] for one in changed]
    return table(f"{dataset}: by version of the key", ["run", *(f"version {one}" for one in versions)], rows)


def board_parts(found: Mapping[str, Any]) -> list[str]:
    """A board as parts of a page."""
    ranks = {one["system"]: one for one in found["ranking"]["ranks"]}
    letters = group_letters(found["ranking"]["groups"])
    header = ["run", "rank", "from", "to", "group", found["value"], "low", "high"]
    others = [
        (measure, value)
        for measure in next(iter(found["systems"].values()), {})
        for value in next(iter(found["systems"].values()))[measure]["values"]
        if (measure, value) != (found["measure"], found["value"])
    ]
    parts = []
    for title, systems in found["blocks"].items():
        if not systems:
            continue
        rows = []
        for system in sorted(systems, key=lambda one: (ranks.get(one, {}).get("rank", 10**9), one)):
            main = found["systems"][system][found["measure"]]["values"][found["value"]]
            rank = ranks.get(system, {})
            low, high = main["interval"] or (None, None)
            places = [rank.get(name) for name in ("rank", "best", "worst")]
            values = [found["systems"][system][measure]["values"][value]["score"] for measure, value in others]
            rows.append([system, *places, letters.get(system, ""), main["score"], low, high, *values])
        names = [" ".join(dict.fromkeys((measure.rpartition(".")[2], value))) for measure, value in others]
        parts.append(table(title, [*header, *names], rows))
    parts.append(
        f"<p>Runs that share a letter cannot be told apart ({text(found['test'].get('test', ''))} test over "
        f"{text(found['test'].get('unit', ''))}s, level {text(found['test'].get('level', ''))}). Key version "
        f"{text(found['version'])}.</p>"
    )
    parts += [f"<p>{text(one)}.</p>" for one in found.get("warnings", ())]
    if found["ranking"]["undefined"]:
        rows = [[system, why] for system, why in found["ranking"]["undefined"].items()]
        parts.append(table("Not ranked", ["run", "why"], rows))
    if found.get("agreement", {}).get("ranking"):
        rows = [[pair, value] for pair, value in found["agreement"]["ranking"].items()]
        parts.append(
            table(f"What annotators reach against each other: {found['value']}", ["annotators", found["value"]], rows)
        )
    return [*parts, *_derived_parts(found.get("derived", {}))]


def group_letters(groups: Sequence[Sequence[str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, group in enumerate(groups):
        for system in group:
            found[system] = found.get(system, "") + (chr(97 + number) if number < 26 else f" {number + 1}")
    return found


def _derived_parts(derived: Mapping[str, Any]) -> list[str]:
    parts = []
    plane = derived.get("plane")
    if plane and "none" not in plane:
        parts.append(plane_figure(plane))
    relative = derived.get("relative")
    if relative and "none" not in relative:
        names = list(next(iter(relative.values())))
        rows = [[system, *values.values()] for system, values in relative.items()]
        parts.append(table("Relative evaluation, in each run's own tags", ["run", *names], rows))
    variance = derived.get("variance")
    if variance and "none" not in variance:
        rows = [
            [value, source, line["squares"], line["freedom"], line["f"], line["p"]]
            for value, lines in variance.items()
            for source, line in lines.items()
        ]
        parts.append(table("Analysis of variance", ["value", "source", "squares", "freedom", "F", "p"], rows))
    vote = derived.get("vote")
    if vote and "none" not in vote:
        rows = [[measure, value, number] for measure, values in vote.items() for value, number in values.items()]
        parts.append(table("The vote of all runs, scored like a run", ["measure", "value", "score"], rows))
    return parts


def plane_figure(plane: Mapping[str, Any]) -> str:
    """The precision–decision plane: a point and the triangle of its zone for every run."""
    size, edge = 420, 40

    def at(decision: float, precision: float) -> str:
        return f"{edge + decision * size:.1f},{edge + (1 - precision) * size:.1f}"

    drawn = []
    for number, (system, one) in enumerate(plane.items()):
        if one["precision"] is None or one["decision"] is None:
            continue
        colour = f"hsl({number * 360 // max(len(plane), 1)} 60% 45%)"
        corners = " ".join([at(1, one["p_min"]), at(one["decision"], one["precision"]), at(1, one["p_max"])])
        x, y = at(one["decision"], one["precision"]).split(",")
        drawn.append(f'<polygon points="{corners}" fill="{colour}" fill-opacity=".15" stroke="{colour}"/>')
        drawn.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"><title>{text(system)}</title></circle>')
        drawn.append(f'<text x="{float(x) + 6:.1f}" y="{float(y) - 6:.1f}">{text(system)}</text>')
    box = size + 2 * edge
    frame = f'<rect x="{edge}" y="{edge}" width="{size}" height="{size}" fill="none" stroke="currentColor"/>'
    axes = (
        f'<text x="{edge + size / 2}" y="{box - 10}">decision</text>'
        f'<text x="12" y="{edge + size / 2}" transform="rotate(-90 12 {edge + size / 2})">precision</text>'
    )
    return (
        f'<figure><svg role="img" aria-label="Precision and decision of every run" viewBox="0 0 {box + 120} {box}" '
        f'width="{box + 120}">{frame}{axes}{"".join(drawn)}</svg><figcaption>Precision and decision, with the zone '
        "that each run can reach when its silences are settled</figcaption></figure>"
    )
