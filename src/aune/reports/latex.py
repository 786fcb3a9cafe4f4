"""Tables in LaTeX, with booktabs, ready to paste into a paper."""

from __future__ import annotations

from collections.abc import Sequence

from aune.reports.tabular import Table, one_line

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
"""What is no letter to LaTeX, and the signs that aune itself writes: other letters are the paper's affair."""


def write(tables: Sequence[Table]) -> str:
    """Tabular environments; notes as comments."""
    return "\n\n".join("\n".join(_lines(table)) for table in tables) + "\n"


def _lines(table: Table) -> list[str]:
    columns = "l" * table.names + "r" * (len(table.header) - table.names)
    lines = [f"% {one_line(table.title)}"] if table.title else []
    lines += [
        "% \\usepackage{booktabs}",
        f"\\begin{{tabular}}{{{columns}}}",
        "\\toprule",
        *_over(table),
        _row(table.header),
        "\\midrule",
    ]
    for index, row in enumerate(table.rows):
        if index in table.parts:
            lines.append("\\midrule")
        cells = [
            f"\\textbf{{{escape(text)}}}" if (index, column) in table.best else escape(text)
            for column, text in enumerate(row)
        ]
        lines.append(" & ".join(cells) + r" \\")
    lines += ["\\bottomrule", "\\end{tabular}"]
    return lines + [f"% {one_line(note)}" for note in table.notes]


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
    r"""Text that LaTeX prints as it is.

    >>> escape("b_cubed 50%")
    'b\\_cubed 50\\%'
    """
    result = "".join(SPECIAL.get(character, character) for character in one_line(text))
    return (
        f"{{{result[0]}}}{result[1:]}" if result.startswith(("[", "*")) else result
    )  # the end of a row would take them
