"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from aune.reports.tabular import Table


def write(tables: Sequence[Table]) -> str:
    """Pipe tables with the best values in bold."""
    return "\n\n".join("\n".join(_lines(table)) for table in tables) + "\n"


def _lines(table: Table) -> list[str]:
    lines = [f"**{escaped(table.title)}**", ""] if table.title else []
    lines.append(_row(table.header))
    lines.append("|" + "|".join("---" if column < table.names else "---:" for column in range(len(table.header))) + "|")
    for index, row in enumerate(table.rows):
        cells = [
            f"**{escaped(text)}**" if (index, column) in table.best else escaped(text)
            for column, text in enumerate(row)
        ]
        lines.append("| " + " | ".join(cells) + " |")
    if table.notes:
        lines += ["", *(f"`{note}`  " for note in table.notes)]
    return lines


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(escaped, cells)) + " |"


def escaped(text: str) -> str:
    r"""Text that Markdown leaves alone.

    >>> escaped("b_cubed|x")
    'b\\_cubed\\|x'
    """
    for character in "\\`*_|<":
        text = text.replace(character, "\\" + character)
    return text
