"""Tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aune.reports.tabular import BOLD_NOTE, Table, one_line


def write(tables: Sequence[Table]) -> str:
    """Pipe tables with the best values in bold."""
    return "\n\n".join("\n".join(_lines(table)) for table in tables) + "\n"


def _lines(table: Table) -> list[str]:
    lines = [f"**{escape(table.title)}**", ""] if table.title else []
    lines.append(_row(table.flat_header))
    lines.append("|" + "|".join("---" if column < table.names else "---:" for column in range(len(table.header))) + "|")
    for index, row in enumerate(table.rows):
        cells = [
            f"**{escape(text)}**" if (index, column) in table.best else escape(text) for column, text in enumerate(row)
        ]
        lines.append("| " + " | ".join(cells) + " |")
    notes = [*([BOLD_NOTE] if table.best else []), *table.notes]
    if table.notes:
        lines += ["", *(f"{_code(note)}  " for note in notes)]
    return lines


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(escape, cells)) + " |"


def _code(text: str) -> str:
    """Text in as many backticks as necessary."""
    ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if len(ticks) > 1 else ""
    return f"{ticks}{space}{one_line(text)}{space}{ticks}"


def escape(text: str) -> str:
    r"""Text that Markdown leaves unchanged.

    >>> escape("b_cubed|x")
    'b\\_cubed\\|x'
    """
    text = one_line(text)
    for character in "\\`*_|<[":
        text = text.replace(character, "\\" + character)
    return text
