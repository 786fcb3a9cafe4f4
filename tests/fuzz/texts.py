"""Hostile text in every field of an input and in its name, through every command in every form of output."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from html.parser import HTMLParser
from itertools import groupby, product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from aune.reports import FORMATS
from aune.reports.delimited import NUMBER
from aune.reports.figures.export import SUFFIXES as DRAWN
from aune.reports.latex import SPECIAL

if __package__:
    from tests.fuzz import commands
else:  # run as a script, this folder comes first
    import commands

TEXTS = [
    "=1+1\x1b[31m\x9b31m\x1b]0;t\x07|a|", "<script>alert(1)</script>&amp;\"'<img src=x onerror=a()>",
    "\\input{x}%$&_#{}~^\\end{tabular}", "`*_[x](javascript:a)|\u202eevil\u2066", "[bold red]x[/] [link=x]y[/] [/z]",
    "@SUM(A1)\r\n\tx\u2028y\x85z", "\0x", "\ud800", "y" * 3000, "a; =1;＝1",
    " +cmd|' /C calc'!A0", "-1+2\x7f", "{{7*7}}${x}%s{0}",
]  # fmt: skip
NAME = "\x1b[2J\u202e<img src=x onerror=a()>|`*_[x](y)$\\%{#}~^@"
"""What a file may be called; a system is called so too."""
LIVE = {"script", "img", "iframe", "object", "embed", "base", "meta", "link", "svg", "form"}
"""Tags that a table has none of."""


def show_values(words: tuple[str, ...], app: Any) -> Iterator[tuple[commands.Line, str]]:
    """The good lines of a command, in every form of output that it has."""
    names = {commands._name(argument) for argument in commands._arguments(app)}
    for line in commands.good_lines(words, app):
        yield line, ""
        if "--json" in names:
            yield line._replace(words=(*line.words, "--json")), "json"
        if "--format" in names:
            for form in FORMATS:
                yield line._replace(words=(*line.words, "--format", form)), form
        if "--raw-cells" in names:
            yield line._replace(words=(*line.words, "--raw-cells", "--format", "csv")), "raw"
        if words == ("figure",):
            for ending in DRAWN:
                drawn = tuple(f"out{ending}" if word == "out.vl.json" else word for word in line.words)
                yield line._replace(words=drawn), ending


def fill_text(home: Path, task: str, text: str) -> None:
    """Put hostile text into the good files of a task, wherever its format takes it."""
    form = commands.TO[task]
    for name in ("key", "response", "other"):
        assert commands.ran(("convert", task, name, f"plain-{name}", "--to", form))[0] == 0
    records = {name: _records(home / f"plain-{name}") for name in ("key", "response", "other")}
    for place in sorted({place for result in records.values() for item in result for place in _places(item)}):
        changed = {name: [_change_value(item, place, text) for item in result] for name, result in records.items()}
        if all(_is_read(home, task, form, result) for result in changed.values()):
            records = changed
    for name, record in records.items():
        _write(home / name, record)


def _records(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _write(path: Path, records: list[Any]) -> None:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), "utf-8")


def _is_read(home: Path, task: str, form: str, records: list[Any]) -> bool:
    _write(home / "tried", records)
    return commands.ran(("validate", task, "tried", "--input-format", form))[0] == 0


def _places(value: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where strings stand in a record, by the names that lead there."""
    if isinstance(value, dict):
        for name, inside in value.items():
            yield from _places(inside, (*place, name))
    elif isinstance(value, list):
        for inside in value:
            yield from _places(inside, (*place, "[]"))
    elif isinstance(value, str):
        yield place


def _change_value(value: Any, place: tuple[str, ...], text: str) -> Any:
    if not place:
        return text + value if isinstance(value, str) else value
    if place[0] == "[]" and isinstance(value, list):
        return [_change_value(inside, place[1:], text) for inside in value]
    if isinstance(value, dict) and place[0] in value:
        return {**value, place[0]: _change_value(value[place[0]], place[1:], text)}
    return value


def harmless(line: commands.Line, form: str, home: Path, before: dict[str, Any]) -> bool:
    """Whether a line was refused, once it is sure that nothing it gave does anything but be read."""
    code, output, errors = commands.ran(line.words)
    after = commands.contents(home)
    commands.restore(home, before, after)
    assert code in commands.CODES, f"exit {code}: {errors[-600:]}"
    steering = commands.STEERING.search(output + errors)
    raw = form == "raw" or line.words[0] in RAW
    assert raw or not steering, f"{steering!r} was sent to the terminal: {(output + errors)[-300:]!r}"
    if code in (0, 1):
        written = [after[name] for name in after.keys() - before.keys() if isinstance(after[name], bytes)]
        shown = [output.encode(errors="replace")] if output else []  # all of it may be in a file
        for data in written if form in DRAWN else shown:
            LAWS.get(form, _is_anything)(data)
    return code not in (0, 1)


RAW = {"convert"}
"""Commands that give the text itself: as is `--raw-cells`, this is asked for."""


def _is_anything(data: bytes) -> None:
    pass


def _parses(data: bytes) -> None:
    json.loads(data)


def _parses_by_line(data: bytes) -> None:
    for line in data.decode().splitlines():
        json.loads(line)


SIGNS = tuple("=+-@＝＋－＠")


def _computes_nothing(data: bytes, delimiter: str = ",") -> None:
    for row in csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter):
        cells = [piece for cell in row if not NUMBER.fullmatch(cell) for piece in cell.split(";")]
        formulas = [cell for cell in cells if cell.lstrip().startswith(SIGNS) or cell.startswith(("\t", "\r", "\n"))]
        assert not formulas, f"a spreadsheet would compute {formulas[:3]}"


def _keeps_its_columns(data: bytes) -> None:
    """Every row of a Markdown table has as many cells as the line of its rules."""
    columns = 0
    for line in data.decode().split("\n"):
        cells = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))
        columns = 0 if not line.startswith("|") else columns or cells
        assert not columns or cells == columns, f"{cells} for {columns} columns: {line[:200]}"


def _is_latex(data: bytes) -> None:
    """No command but our own, and as many cells in every row of a table."""
    columns = 0
    for line in (item for item in data.decode().split("\n") if not item.startswith("%")):
        unknown = set(re.findall(r"\\([A-Za-z]+)", line)) - OURS
        assert not unknown, f"commands that are not ours: {unknown}"
        if begun := re.match(r"\\begin\{tabular\}\{([lr]*)\}", line):
            columns = len(begun[1])
        elif line.endswith(r" \\") and "multicolumn" not in line:
            cells = 1 + len(re.findall(r"(?<!\\)&", line))
            assert cells == columns, f"{cells} for {columns} columns: {line[:200]}"


OURS = {name for shown in SPECIAL.values() for name in re.findall(r"\\([A-Za-z]+)", shown)} | {
    "begin", "end", "medskip", "toprule", "midrule", "bottomrule", "cmidrule", "multicolumn", "textbf", "usepackage",
}  # fmt: skip


class _Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.live: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.live += [tag] * (tag in LIVE) + [name for name, _ in attrs if name.startswith("on")]


def _is_dead(data: bytes) -> None:
    tags = _Tags()
    tags.feed(data.decode())
    assert not tags.live, f"live markup: {tags.live[:5]}"


def _is_a_drawing(data: bytes) -> None:
    for element in ElementTree.fromstring(data).iter():
        assert not element.tag.endswith(("script", "foreignObject", "image")), element.tag
        assert not any(name.startswith("on") for name in element.attrib), element.attrib


LAWS: dict[str, Callable[[bytes], None]] = {
    "json": _parses, "jsonl": _parses_by_line, "csv": _computes_nothing, "markdown": _keeps_its_columns,
    "tsv": partial(_computes_nothing, delimiter="\t"), "latex": _is_latex, "html": _is_dead, ".svg": _is_a_drawing,
}  # fmt: skip


def subjects() -> list[str]:
    """Every command that is given files of a task, or their names."""
    return [" ".join(words) for words, _ in commands.commands() if words not in commands.ENDLESS]


def trials(seed: int, number: int, subject: str) -> Iterator[tuple[bytes, Callable[[], bool]]]:
    """Some lines of a command in all forms of output, with some texts, the same for the same seed."""
    drawn = random.Random(f"{seed} {subject}")
    [(words, app)] = [command for command in commands.commands() if " ".join(command[0]) == subject]
    every = list(product(show_values(words, app), TEXTS))
    chosen = drawn.sample(every, min(number, len(every)))
    chosen.sort(key=lambda item: (*commands.place(item[0][0]), item[1]))
    for (place, text), group in groupby(chosen, key=lambda entry: (commands.place(entry[0][0]), entry[1])):
        with commands.folder(*place) as home:
            if place[1] not in ("site", "campaign"):
                fill_text(home, place[0], text)
            before = commands.contents(home)
            for (line, form), _ in group:
                named = _rename_files(line, home, before)
                yield repr((named.words, text[:40])).encode(), partial(harmless, named, form, home, before)


def _rename_files(line: commands.Line, home: Path, before: dict[str, Any]) -> commands.Line:
    """The same line with files that are called otherwise."""
    called = {name: f"{name}{NAME}" for name in ("key", "response", "other")}
    for name, other in called.items():
        if not (home / other).exists():
            shutil.copy(home / name, home / other)
            before[other] = before[name]
    return line._replace(words=tuple(called.get(word, word) for word in line.words))
