"""Tables in HTML, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence

from aune.errors import make_visible
from aune.reports.tabular import BOLD_NOTE, Table


def write(tables: Sequence[Table], styled: bool = True) -> str:
    """Plain tables with a caption, and notes below. `styled` where no style sheet defines how numbers are aligned."""
    return "\n".join(_table(table, styled) for table in tables) + "\n"


def _table(table: Table, styled: bool) -> str:
    over = "".join(f'<th scope="colgroup" colspan="{columns}">{escape(name)}</th>' for name, columns in table.over)
    head = (f"<tr>{over}</tr>" if over else "") + "<tr>"
    sides = [f' style="text-align:{"left" if column < table.names else "right"}"' if styled else ""
             for column in range(len(table.header))]  # fmt: skip
    names = zip(sides, table.header, strict=True)
    head += "".join(f'<th scope="col"{side}>{escape(name)}</th>' for side, name in names) + "</tr>"
    rows = []
    for index, row in enumerate(table.rows):
        cells = []
        for column, text in enumerate(row):
            inner = f"<strong>{escape(text)}</strong>" if (index, column) in table.best else escape(text)
            cells.append(f"<td{sides[column]}>{inner}</td>")
        separator = ' style="border-top:1px solid"' if styled and index in table.parts else ""
        rows.append(f"<tr{separator}>{''.join(cells)}</tr>")
    left = ' style="text-align:left;white-space:nowrap"' if styled else ""
    caption = f"<caption{left}>{escape(table.title)}</caption>" if table.title else ""
    return f"<table>{caption}<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>{_notes(_with_bold(table))}"


def _with_bold(table: Table) -> Sequence[str]:
    return (BOLD_NOTE, *table.notes) if table.best and table.notes else table.notes


def _notes(notes: Sequence[str]) -> str:
    """The notes below a table: signatures are long, and folded."""
    plain, signed = ([note for note in notes if ("|" in note) is long] for long in (False, True))
    paragraphs, folded = (
        "".join(f"<p><small>{escape(note)}</small></p>" for note in group) for group in (plain, signed)
    )
    return paragraphs + (f"<details><summary><small>signatures</small></summary>{folded}</details>" if folded else "")


def escape(text: str) -> str:
    return html.escape(make_visible(text))
