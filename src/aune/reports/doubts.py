"""Doubtful items of a key as tables, JSON and CSV."""

from __future__ import annotations

from collections.abc import Sequence

from aune.doubtful_items.evidence import KINDS
from aune.doubtful_items.ranking import Doubt, Doubts
from aune.explain.correction_effects import Effect, iterate_moves
from aune.reports import render_tables
from aune.reports.json import to_json
from aune.reports.tabular import UNDEFINED, Table

HEADER = ("rank", "document", "place", "context", "key", "suggestion", "doubt", *KINDS, "effect")
MOST_EFFECTS = 3  # systems whose effects a table names


def doubts_written(doubts: Doubts, format: str, digits: int = 2, colour: bool = False, width: int | None = None) -> str:
    """The list in a format: `json`, which the workbench opens, or any format of tables."""
    if format == "json":
        return to_json(doubts.to_dict(), indent=1)
    return render_tables(doubts_table(doubts, digits), format, colour=colour, width=width)


def doubts_table(doubts: Doubts, digits: int = 2) -> Table:
    """A row per item."""
    shown = [kind for kind in KINDS if any(kind in row.evidence for row in doubts.rows)]
    keep = [place for place, name in enumerate(HEADER) if name not in KINDS or name in shown]
    rows = [tuple(_cells(row, digits)[place] for place in keep) for row in doubts.rows]
    title = f"{doubts.task}: {len(doubts.rows):,} of {doubts.items:,} items of {doubts.key.path or 'the key'}"
    notes = (
        "doubt: the mean of the evidence beside it, each from 0 to 1",
        f"effect: what following the suggestion adds to {doubts.measure}; → where a rank changes",
    )
    return Table(title, tuple(HEADER[place] for place in keep), rows, names=6, notes=notes)


def _cells(row: Doubt, digits: int) -> tuple[str, ...]:
    evidence = (f"{row.evidence[kind]:.{digits}f}" if kind in row.evidence else UNDEFINED for kind in KINDS)
    place = f"{row.place[0]}:{row.place[1]}"
    context = f"{row.before} [{row.text}] {row.after}".strip()
    return (
        str(row.rank), row.document, place, context, row.key, row.suggestion or UNDEFINED,
        f"{row.score:.{digits}f}", *evidence, effects_text(row.effects, digits),
    )  # fmt: skip


def effects_text(effects: Sequence[Effect], digits: int = 2) -> str:
    """The effects of a correction on systems, the largest changes first, in hundredths."""
    moves = [move for move in iterate_moves(effects) if move.has_moved or round(100 * move.change, digits)]
    texts = [
        f"{effect.system} {100 * effect.change:+.{digits}f}"
        + (f" ({effect.rank_before} → {effect.rank_after})" if effect.has_moved else "")
        for effect in moves[:MOST_EFFECTS]
    ]
    return ", ".join(texts) + (f" and {len(moves) - MOST_EFFECTS} more" if len(moves) > MOST_EFFECTS else "")
