"""Runs by two versions of a key, as tables and JSON."""

from __future__ import annotations

from aune.explain.rescoring import Change, Correction, KeyVersion, Rescored
from aune.reports import render_tables
from aune.reports.doubts import effects_text
from aune.reports.json import to_json
from aune.reports.tabular import UNDEFINED, Table
from aune.results.result import Interval

TABLE_LIMIT = 20  # corrections in a table


def rescored_written(
    rescored: Rescored,
    format: str,
    digits: int = 2,
    limit: int | None = TABLE_LIMIT,
    colour: bool = False,
    width: int | None = None,
) -> str:
    """Both tables in a format; `json` contains everything, and `csv` and `tsv` the systems."""
    if format == "json":
        return to_json(rescored.to_dict(), indent=1)
    changes = changes_table(rescored, digits)
    if format in ("csv", "tsv") or not rescored.corrections:
        return render_tables(changes, format, colour=colour, width=width)
    return render_tables([changes, corrections_table(rescored, digits, limit)], format, colour=colour, width=width)


def changes_table(rescored: Rescored, digits: int = 2) -> Table:
    """A row per system, the best by the new version first."""
    rows = sorted(rescored.changes, key=lambda change: (change.rank_after or len(rescored.changes) + 1, change.system))
    title = f"{rescored.task}: {rescored.measure.name} {rescored.measure.headline}, ×100"
    moved = sum(change.has_moved for change in rows)
    count = len(rescored.corrections)
    notes = (
        *(f"{name}: {version_name(key)}" for name, key in zip(("before", "after"), rescored.keys, strict=True)),
        f"{count:,} correction{'s' * (count != 1)}; {moved} of {len(rows)} systems have another rank",
    )
    return Table(title, ("system", "before", "after", "change", "rank"), [_cells(row, digits) for row in rows],
                 notes=notes)  # fmt: skip


def version_name(key: KeyVersion) -> str:
    """A version of a key, as in the inputs of results.

    >>> version_name(KeyVersion("key.tsv", "0123456789abcdef"))
    'key.tsv, digest 0123456789ab'
    """
    digest = f"digest {key.sha256[:12]}" if key.sha256 else "no file"
    return ", ".join(filter(None, [key.path, f"version {key.version}" if key.version else None, digest]))


def _cells(row: Change, digits: int) -> tuple[str, ...]:
    ranks = f"{row.rank_before} → {row.rank_after}" if row.has_moved else str(row.rank_after or UNDEFINED)
    return (
        row.system,
        _value(row.before, row.before_interval, digits),
        _value(row.after, row.after_interval, digits),
        _value(row.change, row.change_interval, digits, "+"),
        ranks,
    )


def _value(value: float | None, interval: Interval | None, digits: int, sign: str = "") -> str:
    if value is None:
        return UNDEFINED
    text = f"{100 * value:{sign}.{digits}f}"
    if interval is None:
        return text
    return f"{text} [{100 * interval[0]:{sign}.{digits}f}, {100 * interval[1]:{sign}.{digits}f}]"


def corrections_table(rescored: Rescored, digits: int = 2, limit: int | None = TABLE_LIMIT) -> Table:
    """A row per correction, those with the largest effect first."""
    shown = rescored.corrections if limit is None else rescored.corrections[:limit]
    hidden = len(rescored.corrections) - len(shown)
    notes = ("effect: what the correction alone adds; → where a rank changes",)
    more = (f"{hidden:,} more: --limit {len(rescored.corrections)} shows all",) if hidden else ()
    rows = [_correction_cells(row, digits) for row in shown]
    return Table("corrections", ("document", "correction", "effect"), rows, names=3, notes=(*notes, *more))


def _correction_cells(row: Correction, digits: int) -> tuple[str, ...]:
    return row.document, row.text, effects_text(row.effects, digits) or "none"
