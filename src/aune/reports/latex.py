r"""Tables in LaTeX, with booktabs, ready for `\input` in a paper: caption, label, tabular and a note in one float.

A table without a title is part of the float of the table before it. Signatures, and similar notes, are comments.
"""

from __future__ import annotations

from collections.abc import Sequence

from aune.reports.tabular import BOLD_NOTE, Table, one_line, signature_lines

SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "–": "--", "×": r"$\times$", "±": r"$\pm$",
    "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}",
    **{sign: f"${name}$" for sign, name in {
        "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "κ": r"\kappa", "π": r"\pi", "σ": r"\sigma",
        "τ": r"\tau", "Σ": r"\Sigma", "∅": r"\emptyset", "∩": r"\cap", "∪": r"\cup", "≤": r"\leq", "≥": r"\geq",
        "≷": r"<\!>", "≠": r"\neq", "≈": r"\approx", "∞": r"\infty", "→": r"\rightarrow", "←": r"\leftarrow",
        "↔": r"\leftrightarrow", "⇔": r"\Leftrightarrow", "↓": r"\downarrow", "↑": r"\uparrow", "★": r"\star",
        "′": r"'",
    }.items()},
}  # fmt: skip
"""LaTeX for special characters and for the symbols that aune itself writes; other letters are left to the paper."""


SIZES = ((75, ""), (95, r"\small"), (125, r"\footnotesize"))
"""The font sizes of tables, each with the largest number of characters per line."""
SMALLEST = r"\scriptsize"


def write(tables: Sequence[Table], signature: str = "long") -> str:
    """A float for each table with a caption or a title, and the tables that are part of it."""
    floats: list[list[Table]] = []
    for table in tables:
        if table.caption or table.title or not floats:
            floats.append([])
        floats[-1].append(table)
    return "\n\n".join("\n".join(_float(group, signature)) for group in floats) + "\n"


def _float(tables: Sequence[Table], signature: str) -> list[str]:
    notes = [note for table in tables for note in table.notes]
    signed = [line for table in tables for line in signature_lines(table.signatures, signature)]
    comments = [f"% {one_line(line)}" for line in (*(note for note in notes if "|" in note), *signed)]
    title, caption = tables[0].title, tables[0].caption or tables[0].title
    lines = [f"% {one_line(title)}"] if title else []
    lines.append("% \\usepackage{booktabs}")
    bodies = [
        line for place, table in enumerate(tables) for line in [*(["", "\\medskip"] if place else []), *_tabular(table)]
    ]
    if not caption:
        return [*lines, *bodies, *(f"% {one_line(note)}" for note in notes if "|" not in note), *comments]
    sentences = [*([BOLD_NOTE] if any(table.best for table in tables) else []), *(n for n in notes if "|" not in n)]
    return [
        *lines,
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{escape(caption)}}}",
        *([f"\\label{{{tables[0].label}}}"] if tables[0].label else []),
        *([size] if (size := _size(tables)) else []),
        *bodies,
        *_note(sentences),
        "\\end{table}",
        *comments,
    ]


def _size(tables: Sequence[Table]) -> str:
    """The command for a font size at which the widest line fits; empty if that of the text does."""
    widest = max(
        sum(
            max((len(cell) for cell in column), default=0) + 2 for column in zip(table.header, *table.rows, strict=True)
        )
        for table in tables
    )
    return next((size for limit, size in SIZES if widest <= limit), SMALLEST)


def _note(sentences: Sequence[str]) -> list[str]:
    """The notes for readers, below the table and as wide as the text."""
    if not sentences:
        return []
    text = [f"{escape(sentence[:1].upper() + sentence[1:])}." for sentence in sentences]
    return ["", "\\smallskip", "\\begin{minipage}{\\linewidth}\\footnotesize", *text, "\\end{minipage}"]


def _tabular(table: Table) -> list[str]:
    columns = "l" * table.names + "r" * (len(table.header) - table.names)
    lines = [f"\\begin{{tabular}}{{{columns}}}", "\\toprule", *_over(table), _row(table.header), "\\midrule"]
    for index, row in enumerate(table.rows):
        if index in table.parts:
            lines.append("\\midrule")
        cells = [
            f"\\textbf{{{escape(text)}}}" if (index, column) in table.best else escape(text)
            for column, text in enumerate(row)
        ]
        lines.append(" & ".join(cells) + r" \\")
    return [*lines, "\\bottomrule", "\\end{tabular}"]


def _over(table: Table) -> list[str]:
    """The headings above the header, each with a rule over its columns."""
    if not table.over:
        return []
    cells, rules, column = [], [], 1
    for name, columns in table.over:
        cells.append(f"\\multicolumn{{{columns}}}{{{'c' if name else 'l'}}}{{{escape(name)}}}")
        if name:
            rules.append(f"\\cmidrule(lr){{{column}-{column + columns - 1}}}")
        column += columns
    return [" & ".join(cells) + r" \\", " ".join(rules)]


def _row(cells: Sequence[str]) -> str:
    return " & ".join(map(escape, cells)) + r" \\"


def escape(text: str) -> str:
    r"""Text that LaTeX prints unchanged.

    >>> escape("b_cubed 50%")
    'b\\_cubed 50\\%'
    """
    result = "".join(SPECIAL.get(character, character) for character in one_line(text))
    return (
        f"{{{result[0]}}}{result[1:]}" if result.startswith(("[", "*")) else result
    )  # LaTeX would read them as part of the end of a row
