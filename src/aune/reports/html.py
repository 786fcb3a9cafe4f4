"""Tables in HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from aune.reports.tabular import Table


def write(tables: Sequence[Table]) -> str:
    """Plain tables with a caption; the notes below."""
    return "\n".join(_table(table) for table in tables) + "\n"


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.header)
    rows = []
    for index, row in enumerate(table.rows):
        cells = []
        for column, text in enumerate(row):
            side = "left" if column < table.names else "right"
            inner = f"<strong>{escape(text)}</strong>" if (index, column) in table.best else escape(text)
            cells.append(f'<td style="text-align:{side}">{inner}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in table.notes)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{notes}"
