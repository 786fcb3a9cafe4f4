"""The pages of an archive: static, self-contained, and made only from the data of the archive."""

from __future__ import annotations

import html
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from aune.errors import make_visible

PAGE_VERSION = 2
"""The version of archive pages and of report pages of runs; it is incremented whenever the same data give other
bytes. Archives record it; an archive without a record has version 1.
"""
PARTICIPANTS, OTHER_RUNS = "participants", "other runs of participants"
"""The block of ranked runs, and the block of unranked ones where only primary runs are ranked."""
MOST_ROWS = 500  # rows of a block of a large board on one page
STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { padding: .25rem .75rem; text-align: left; border-bottom: 1px solid #8884; white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
code { overflow-wrap: anywhere; }
th.number { text-align: right; }
summary { cursor: pointer; font-weight: 600; margin: .75rem 0; }
svg text { font-size: 12px; fill: currentColor; }
"""


def escape_text(value: Any) -> str:
    """Any value as escaped text of a page."""
    return html.escape(make_visible(str(value)))


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[Any]], marked: Container[str] = ()) -> str:
    """A table, in which numeric columns are aligned right. Rows that contain a marked name are highlighted."""
    body = list(rows)
    numeric = [bool(body) and all(_is_number(row[place]) for row in body) for place in range(len(header))]
    head = "".join(
        f'<th scope="col"{_number_class(right)}>{escape_text(name)}</th>'
        for name, right in zip(header, numeric, strict=True)
    )
    cells = "".join(f"<tr{_highlight(row, marked)}>" + "".join(map(_cell, row, numeric)) + "</tr>" for row in body)
    return (
        f"<table><caption>{escape_text(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>"
    )


def _highlight(row: Sequence[Any], marked: Container[str]) -> str:
    return ' aria-current="true"' if any(isinstance(cell, str) and cell in marked for cell in row) else ""


class Html(str):
    """Text that is HTML already and is not escaped."""

    __slots__ = ()


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _number_class(is_right: bool) -> str:
    return ' class="number"' if is_right else ""


def _cell(value: Any, is_right: bool) -> str:
    if isinstance(value, Html):
        return f"<td>{value}</td>"
    content = "–" if value is None else f"{value:.4f}" if isinstance(value, float) else escape_text(value)
    return f"<td{_number_class(is_right)}>{content}</td>"


def collapsible_section(title: str, parts: Iterable[str]) -> str:
    """Parts of a page that are hidden under a title until the reader opens it."""
    return f'<details><summary>{escape_text(title)}</summary><div class="folded">{"".join(parts)}</div></details>'


def html_page(title: str, parts: Iterable[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape_text(title)}</title><style>{STYLE}</style></head><body><main><h1>{escape_text(title)}</h1>\n"
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def site_pages(archive: Mapping[str, Any]) -> dict[str, str]:
    """Every page of an archive, by file name."""
    return {"index.html": _index_page(archive)}


def _index_page(archive: Mapping[str, Any]) -> str:
    about = archive["campaign"]
    parts = [
        f"<p>A campaign of {escape_text(about['task'])}. Everything on this page can be computed again from the files "
        "beside it: <code>aune campaign verify FOLDER</code>.</p>"
    ]
    parts += _about_parts(archive)
    for board in archive["boards"]:
        parts += [f"<h2>{escape_text(board['dataset'])}</h2>", *board_parts(board)]
    parts += condition_parts(archive["boards"])
    if described := [run for run in archive["runs"] if run.get("metadata")]:
        rows = [
            [run["dataset"], run["label"], name, text] for run in described for name, text in run["metadata"].items()
        ]
        parts += ["<h2>What teams say of their runs</h2>", description_table(rows)]
    if archive["pages"]:
        names = {run["id"]: f"{run['dataset']}: {run['label']}" for run in archive["runs"]}
        links = sorted((names[run], path) for run, path in archive["pages"].items())
        listed = "".join(f'<li><a href="{escape_text(path)}">{escape_text(name)}</a></li>' for name, path in links)
        parts += ["<h2>Reports</h2>", f"<p>What each run got right and wrong:</p><ul>{listed}</ul>"]
    rows = archive["participants"]
    if rows:
        parts += [
            "<h2>Participants</h2>",
            html_table("Who took part", list(rows[0]), [list(row.values()) for row in rows]),
        ]
    if archive["changelog"]:
        changes = [[record["time"], record["what"], record["why"], record["who"]] for record in archive["changelog"]]
        parts += [
            "<h2>Changes</h2>",
            html_table("What changed after it was fixed", ["when", "what", "why", "who"], changes),
        ]
    for dataset, changed in archive["differences"].items():
        parts.append(difference_table(dataset, changed))
    heads = [[record["phase"], record["time"], record["head"]] for record in archive["heads"]]
    parts += ["<h2>Ledger</h2>", html_table("Its head when each phase began", ["phase", "when", "head"], heads)]
    fixed = [
        [record["dataset"], record["version"], record["commitment"], record["time"]]
        for record in archive["commitments"]
    ]
    parts.append(html_table("What keys were fixed by", ["dataset", "version", "salted SHA-256", "when"], fixed))
    return html_page(about["title"], parts)


def _about_parts(archive: Mapping[str, Any]) -> list[str]:
    """Facts about the archive: its DOI, what it leaves out, files and the description of the campaign."""
    parts = []
    if archive.get("doi"):
        link = f"https://doi.org/{archive['doi']}"
        parts.append(f'<p>DOI: <a href="{escape_text(link)}">{escape_text(archive["doi"])}</a></p>')
    if archive.get("unpublished"):
        hidden = escape_text(", ".join(archive["unpublished"]))
        parts.append(f"<p>Key, texts and runs of {hidden} are not published: the texts are licensed.</p>")
    if files := archive.get("files"):
        file_links = "".join(
            f'<li><a href="{escape_text("files/" + quote(file["name"] + "/" + file["file"]))}">'
            f"{escape_text(file['title'])}</a></li>"
            for file in files
        )
        parts += ["<h2>Files</h2>", f"<ul>{file_links}</ul>"]
    if archive.get("about"):
        parts.append('<p><a href="description.md">What the organisers say of the campaign</a></p>')
    return parts


def description_table(rows: Sequence[Sequence[str]]) -> str:
    """The descriptions that teams give of their runs: data, run, heading and text."""
    return html_table("In their own words", ["data", "run", "heading", "text"], rows)


def difference_table(dataset: str, changed: Sequence[Mapping[str, Any]]) -> str:
    """The ranking value of every run by every version of the key."""
    versions = sorted({version for row in changed for version in row["values"]}, key=int)
    if len(versions) < 2:
        return ""
    rows = [[row["run"], *(row["values"].get(version) for version in versions)] for row in changed]
    return html_table(
        f"{dataset}: by version of the key", ["run", *(f"version {version}" for version in versions)], rows
    )


def condition_rows(boards: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """The ranking value and the rank of every run on all datasets, side by side: the header, and a row per run."""
    blocks = list(dict.fromkeys(_row_block(block) for board in boards for block in board["blocks"]))
    rows: dict[tuple[int, str], list[str]] = {}
    for column, board in enumerate(boards):
        ranks = {rank["system"]: rank for rank in board["ranking"]["ranks"]}
        for block, systems in board["blocks"].items():
            for system in systems:
                score = board["systems"][system][board["measure"]]["values"][board["value"]]["score"]
                place = f" ({ranks[system]['best']}–{ranks[system]['worst']})" if system in ranks else ""
                row = rows.setdefault((blocks.index(_row_block(block)), system), ["–"] * len(boards))
                row[column] = ("undefined" if score is None else f"{score:.4f}") + place
    body = [[system, blocks[block], *rows[block, system]] for block, system in sorted(rows)]
    return ["run", "block", *(board["dataset"] for board in boards)], body


def _row_block(block: str) -> str:
    """The block of a run in the table of conditions, which merges primary and other runs: that differs by condition."""
    return PARTICIPANTS if block == OTHER_RUNS else block


def condition_parts(boards: Sequence[Mapping[str, Any]]) -> list[str]:
    """The tables of all runs in all conditions, if there are several conditions."""
    parts = []
    for group in comparable_boards(boards):
        title = f"Every run in every condition: {group[0]['value']}, and the places that the test leaves it"
        parts += [html_table(title, *condition_rows(group))] if len(group) > 1 else []
    return parts


def comparable_boards(boards: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Boards grouped by measure and value: only boards with the same ranking value can be compared."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for board in boards:
        groups.setdefault((board["measure"], board["value"]), []).append(board)
    return list(groups.values())


def board_parts(board: Mapping[str, Any], highlighted: Container[str] = ()) -> list[str]:
    """A board as parts of a page: the ranking with intervals and a note on certainty, then sections that can be opened.

    The rows of highlighted runs stand out, so that readers find their own runs.
    """
    ranks = {item["system"]: item for item in board["ranking"]["ranks"]}
    letters = group_letters(board["ranking"]["groups"])
    scale, is_large = _scale(board), board["test"].get("large", False)
    parts, all_systems = [], []
    for title, systems in board["blocks"].items():
        if not systems:
            continue
        ordered = sorted(systems, key=lambda item: (ranks.get(item, {}).get("rank", 10**9), item))
        if is_large and len(ordered) > MOST_ROWS:
            parts.append(f"<p>The first {MOST_ROWS} of {len(ordered):,} runs; all are in the file of results.</p>")
            ordered = ordered[:MOST_ROWS]
        rows = [_board_row(board, system, ranks.get(system, {}), letters.get(system, ""), scale) for system in ordered]
        header = ["rank", "run", board["value"], "between", "group", "interval", ""]
        if title != PARTICIPANTS:  # runs of other blocks have no rank
            header, rows = (
                [header[place] for place in (1, 2, 5, 6)],
                [[row[place] for place in (1, 2, 5, 6)] for row in rows],
            )
        parts.append(html_table(f"{title}, by {board['measure']}", header, rows, highlighted))
        all_systems += ordered
    parts.append(certainty_note(board))
    parts += [f"<p>{escape_text(item)}.</p>" for item in board.get("warnings", ())]
    if board.get("systems_with_runs"):
        rows = [[item["system"], item["runs"], mean_and_deviation(item)] for item in board["systems_with_runs"]]
        title = f"Systems with several runs, by {board['measure']}"
        parts.append(html_table(title, ["system", "runs", f"{board['value']}, mean ± sd (n − 1)"], rows))
    if board["ranking"]["undefined"]:
        rows = [[system, why] for system, why in board["ranking"]["undefined"].items()]
        parts.append(html_table("Not ranked", ["run", "why"], rows))
    if board.get("disqualified"):
        rows = [[item["run"], item["why"]] for item in board["disqualified"]]
        parts.append(html_table("Disqualified", ["run", "why"], rows))
    if board.get("agreement", {}).get("ranking"):
        rows = [[pair, value] for pair, value in board["agreement"]["ranking"].items()]
        parts.append(
            html_table(
                f"What annotators reach against each other: {board['value']}", ["annotators", board["value"]], rows
            )
        )
    parts += _chance_parts(board.get("agreement", {}))
    if all_systems and not is_large:
        systems = {system: board["systems"][system] for system in all_systems}
        parts.append(collapsible_section("All values of all measures", [values_table(systems)]))
    if board["ranking"]["pairs"] and not is_large:
        parts.append(collapsible_section("Every pair of runs, with its test", [_pair_table(board)]))
    return [*parts, *_derived_parts(board.get("derived", {}))]


def _chance_parts(agreement: Mapping[str, Any]) -> list[str]:
    """How far annotators agree beyond chance, and the options on which that depends."""
    rows = [
        [name, value, number]
        for name, values in agreement.get("agreement", {}).items()
        for value, number in values.items()
    ]
    if not rows:
        return []
    options = ", ".join(f"{name}:{value}" for name, value in agreement.get("options", {}).items())
    title = "How far annotators agree beyond chance" + (f" ({options})" if options else "")
    return [html_table(title, ["annotators and measure", "value", "agreement"], rows)]


def _board_row(
    board: Mapping[str, Any], system: str, rank: Mapping[str, Any], letter: str, scale: tuple[float, float]
) -> list[Any]:
    main = board["systems"][system][board["measure"]]["values"][board["value"]]
    between = f"{rank['best']}–{rank['worst']}" if rank else ""
    interval = f"{main['interval'][0]:.4f}–{main['interval'][1]:.4f}" if main["interval"] else ""
    figure = Html(interval_figure(main, scale))
    return [rank.get("rank", ""), system, main["score"], between, letter, interval, figure]


def _scale(board: Mapping[str, Any]) -> tuple[float, float]:
    """The range of values over which the intervals are drawn."""
    numbers = [
        number
        for scores in board["systems"].values()
        for main in [scores[board["measure"]]["values"][board["value"]]]
        for number in (main["score"], *(main["interval"] or ()))
        if number is not None
    ]
    return (min(numbers), max(numbers)) if numbers else (0.0, 1.0)


def interval_figure(main: Mapping[str, Any], scale: tuple[float, float]) -> str:
    if main["score"] is None:
        return ""
    width, edge = 140, 5
    span = (scale[1] - scale[0]) or 1.0

    def at(number: float) -> str:
        return f"{edge + (number - scale[0]) / span * (width - 2 * edge):.1f}"

    low, high = main["interval"] or (main["score"], main["score"])
    return (
        f'<svg class="interval" width="{width}" height="12" viewBox="0 0 {width} 12" aria-hidden="true">'
        f'<line x1="{at(low)}" x2="{at(high)}" y1="6" y2="6" stroke="currentColor" stroke-width="2"/>'
        f'<circle cx="{at(main["score"])}" cy="6" r="4" fill="currentColor"/></svg>'
    )


def mean_and_deviation(system: Mapping[str, Any]) -> str:
    """The mean of a system's runs with their standard deviation.

    >>> mean_and_deviation({"mean": 0.8837, "sd": 0.0088})
    '0.8837 ± 0.0088'
    """
    return f"{system['mean']:.4f} ± {system['sd']:.4f}"


def certainty_note(board: Mapping[str, Any]) -> str:
    test = board["test"]
    if not test:
        return f"<p>Key version {escape_text(board['version'])}.</p>"
    how = (
        f"{escape_text(test.get('test', ''))} test over {escape_text(test.get('unit', ''))}s, level "
        f"{escape_text(test.get('level', ''))}"
    )
    return (
        "<p>A rank is a range: a run stands between the best and the worst place that the test leaves it. Runs that "
        f"share a letter do not differ significantly ({how}). Key version {escape_text(board['version'])}.</p>"
    )


def values_table(systems: Mapping[str, Mapping[str, Any]]) -> str:
    """A table with a row per value and a column per run, since there are few runs and many values."""
    first = next(iter(systems.values()))
    rows = [
        [measure, value, *(scores[measure]["values"][value]["score"] for scores in systems.values())]
        for measure in first
        for value in first[measure]["values"]
    ]
    signatures = "".join(f"<p><code>{escape_text(scores['signature'])}</code></p>" for scores in first.values())
    return html_table("All values", ["measure", "value", *systems], rows) + signatures


def _pair_table(board: Mapping[str, Any]) -> str:
    rows = [
        [pair["a"], pair["b"], pair["difference"], *(pair["interval"] or (None, None)), pair["p"], pair["corrected"]]
        for pair in board["ranking"]["pairs"]
    ]
    header = ["run", "against", "difference", "low", "high", "p", "p corrected"]
    return html_table(f"Differences in {board['value']}", header, rows)


def group_letters(groups: Sequence[Sequence[str]]) -> dict[str, str]:
    letters: dict[str, str] = {}
    for number, group in enumerate(groups):
        for system in group:
            letters[system] = letters.get(system, "") + (chr(97 + number) if number < 26 else f" {number + 1}")
    return letters


def _derived_parts(derived: Mapping[str, Any]) -> list[str]:
    parts = []
    plane = derived.get("plane")
    if plane and "none" not in plane:
        parts.append(plane_figure(plane))
    relative = derived.get("relative")
    if relative and "none" not in relative:
        names = list(next(iter(relative.values())))
        rows = [[system, *values.values()] for system, values in relative.items()]
        parts.append(_collapsible_table("Relative evaluation, in each run's own tags", ["run", *names], rows))
    variance = derived.get("variance")
    if variance and "none" not in variance:
        rows = [
            [value, source, line["squares"], line["freedom"], line["f"], line["p"]]
            for value, lines in variance.items()
            for source, line in lines.items()
        ]
        parts.append(
            _collapsible_table("Analysis of variance", ["value", "source", "squares", "freedom", "F", "p"], rows)
        )
    vote = derived.get("vote")
    if vote and "none" not in vote:
        rows = [[measure, value, number] for measure, values in vote.items() for value, number in values.items()]
        parts.append(_collapsible_table("The vote of all runs, scored like a run", ["measure", "value", "score"], rows))
    return parts


def _collapsible_table(title: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    return collapsible_section(title, [html_table(title, header, rows)])


def plane_figure(plane: Mapping[str, Any]) -> str:
    """The precision–decision plane: a point and a triangular zone for every run."""
    size, edge = 420, 40

    def at(decision: float, precision: float) -> str:
        return f"{edge + decision * size:.1f},{edge + (1 - precision) * size:.1f}"

    shapes = []
    for number, (system, point) in enumerate(plane.items()):
        if point["precision"] is None or point["decision"] is None:
            continue
        colour = f"hsl({number * 360 // max(len(plane), 1)} 60% 45%)"
        corners = " ".join([at(1, point["p_min"]), at(point["decision"], point["precision"]), at(1, point["p_max"])])
        x, y = at(point["decision"], point["precision"]).split(",")
        shapes.append(f'<polygon points="{corners}" fill="{colour}" fill-opacity=".15" stroke="{colour}"/>')
        shapes.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"><title>{escape_text(system)}</title></circle>')
        shapes.append(f'<text x="{float(x) + 6:.1f}" y="{float(y) - 6:.1f}">{escape_text(system)}</text>')
    box = size + 2 * edge
    frame = f'<rect x="{edge}" y="{edge}" width="{size}" height="{size}" fill="none" stroke="currentColor"/>'
    axes = (
        f'<text x="{edge + size / 2}" y="{box - 10}">decision</text>'
        f'<text x="12" y="{edge + size / 2}" transform="rotate(-90 12 {edge + size / 2})">precision</text>'
    )
    return (
        f'<figure><svg role="img" aria-label="Precision and decision of every run" viewBox="0 0 {box + 120} {box}" '
        f'width="{box + 120}">{frame}{axes}{"".join(shapes)}</svg><figcaption>Precision and decision, with the zone '
        "that each run can reach when its silences are settled</figcaption></figure>"
    )
