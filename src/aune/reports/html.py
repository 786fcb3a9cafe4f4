"""Tables in HTML, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence

from aune.core.errors import visible
from aune.reports.tabular import Table


def write(tables: Sequence[Table], styled: bool = True) -> str:
    """Plain tables with a caption; the notes below. `styled` where no style sheet says how numbers are aligned."""
    return "\n".join(_table(table, styled) for table in tables) + "\n"


def _table(table: Table, styled: bool) -> str:
    over = "".join(f'<th scope="colgroup" colspan="{columns}">{escape(name)}</th>' for name, columns in table.over)
    head = (f"<tr>{over}</tr>" if over else "") + "<tr>"
    head += "".join(f'<th scope="col">{escape(name)}</th>' for name in table.header) + "</tr>"
    rows = []
    for index, row in enumerate(table.rows):
        cells = []
        for column, text in enumerate(row):
            side = "" if not styled else f' style="text-align:{"left" if column < table.names else "right"}"'
            inner = f"<strong>{escape(text)}</strong>" if (index, column) in table.best else escape(text)
            cells.append(f"<td{side}>{inner}</td>")
        apart = ' style="border-top:1px solid"' if styled and index in table.parts else ""
        rows.append(f"<tr{apart}>{''.join(cells)}</tr>")
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in table.notes)
    return f"<table>{caption}<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>{notes}"


def escape(text: str) -> str:
    return html.escape(visible(text))
