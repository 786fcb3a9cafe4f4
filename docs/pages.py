"""Puts the site's pages together in build/docs: the written ones, and those made from the registry and the README.

`make docs` runs it before the site is built. One page per measure comes from the measure's own file.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

from cyclopts import App

from aune.cli._application import HEADINGS, commands, heading
from aune.cli.list import first_line, source
from aune.core import registry
from aune.core.measure import Measure
from aune.core.options import dashed, shown
from aune.core.task import Format

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "build" / "docs"


def main() -> None:
    shutil.rmtree(TARGET, ignore_errors=True)
    shutil.copytree(ROOT / "docs", TARGET, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for path, text in pages():
        (TARGET / path).parent.mkdir(parents=True, exist_ok=True)
        (TARGET / path).write_text(text)


def pages() -> Iterator[tuple[str, str]]:
    """Every generated page, with its path."""
    index = ["# Measures", ""]
    for task in registry.task_names():
        index += [f"## {task}", "", "| measure | what it measures | source |", "|---|---|---|"]
        for measure in registry.measures(task):
            short = measure.name.partition(".")[2]
            what, whose = cell(first_line(measure.documentation)), cell(source(measure))
            index.append(f"| [{short}]({task}/{short}.md) | {what} | {whose} |")
            yield f"measures/{task}/{short}.md", measure_page(measure)
        index.append("")
    yield "measures/index.md", "\n".join(index)
    yield "formats.md", formats_page()
    yield "commands.md", commands_page()
    for name, target in (("README", "index.md"), ("CONTRIBUTING", "contributing.md"), ("CHANGELOG", "changelog.md")):
        text = (ROOT / f"{name}.md").read_text().replace("](docs/", "](")
        yield target, text.replace("](CONTRIBUTING", "](contributing").replace("](CHANGELOG", "](changelog")


def measure_page(measure: Measure) -> str:
    lines = [
        f"# {measure.name}",
        "",
        prose(measure.documentation),
        "",
        "## Values",
        "",
        "| value | better | perfect response |",
        "|---|---|---|",
    ]
    lines += [f"| `{value}` | {measure.better_of(value)} | {perfect(measure, value)} |" for value in measure.values]
    if measure.options:
        lines += ["", "## Options", "", "| option | default | values | what it does |", "|---|---|---|---|"]
        lines += [
            f"| `--{dashed(one.name)}` | {cell(shown(one.default))} | {cell(one.domain)} | {cell(one.help)} |"
            for one in measure.options.values()
        ]
    return "\n".join(lines) + "\n"


def perfect(measure: Measure, value: str) -> str:
    number = measure.perfect_of(value)
    return "undefined" if math.isnan(number) else f"{number:g}"


def prose(text: str) -> str:
    """A docstring as Markdown: examples become code, `Source:` and `Edges:` stand out."""
    blocks = []
    for block in text.split("\n\n"):
        if block.startswith(">>>"):
            blocks.append(f"```pycon\n{block}\n```")
        elif block.startswith("    "):
            blocks.append("```text\n" + "\n".join(line.removeprefix("    ") for line in block.split("\n")) + "\n```")
        else:
            for word in ("Source:", "Edges:"):
                block = block.replace(f"\n{word}", f"\n\n**{word[:-1]}.**") if f"\n{word}" in block else block
                block = f"**{word[:-1]}.**{block.removeprefix(word)}" if block.startswith(word) else block
            blocks.append(block)
    return "\n\n".join(blocks)


FORMATS = """# Formats

`aune convert TASK FILE NEW` writes the documents of a file in another format. What it has written it reads back, and
what did not come back is listed, kind by kind with counts; what would come back as something else is refused. In the
same format, nothing is written again: edits are put into the file (spliced), every other byte stays, and an unchanged
document gives the same bytes. brat comes with its text beside it; several documents of it go to a folder.

Below, *keeps* is what a format has a place for beside the annotation itself."""


def formats_page() -> str:
    lines = [FORMATS, ""]
    for task in registry.task_names():
        lines += [f"## {task}", ""]
        for form in registry.formats(task):
            lines += [f"### {task}.{form.name}", "", prose(form.documentation), "", abilities(form), ""]
    return "\n".join(lines)


COMMANDS = """# Commands

`aune COMMAND --help` says the same in the terminal. Commands that take a key and responses also take any option of the
task, of its formats and of its measures (`aune list options TASK`). Every command takes `--quiet` (errors alone are
told), and those with `--format` also `--json`.

Defaults for a project stand in `aune.toml`, or under `[tool.aune]` in `pyproject.toml`, in the folder where one works
or above it:

```toml
digits = 1                  # for every command that has the option

[coref]                     # a task, or a command
convention = "partition"
measures = ["muc", "lea"]
```

They are told when they are used, stand in the signature, and lose against what is typed. Such a file loads no code and
names no address.

Exit codes: 0 done, 1 a gate failed, 2 usage, 3 invalid input, 4 nothing to score, 70 a bug of ours, 130 interrupted.
"""


def commands_page() -> str:
    """Every command with its arguments and options, under the headings of the help."""
    lines = [COMMANDS]
    groups: dict[str, list[tuple[tuple[str, ...], App]]] = {}
    for words, command in commands():
        groups.setdefault(heading(words[0]), []).append((words, command))
    for name in [name for name in HEADINGS if name in groups]:
        lines += [f"## {name}", ""]
        for words, command in groups[name]:
            lines += [f"### aune {' '.join(words)}", "", *command_lines(command), ""]
    return "\n".join(lines)


def command_lines(command: App) -> list[str]:
    """What a command does, and a table of what it is given."""
    told = cleandoc(command.default_command.__doc__ or "").partition("Parameters\n---")[0].strip()
    arguments = command.assemble_argument_collection(parse_docstring=True)
    rows = [
        f"| {' '.join(f'`{name}`' for name in one.names)} | {cell(one.parameter.help or '')} |"
        for one in arguments
        if one.names and one.names[0] != "*" and not one.names[0].startswith("--[")
    ]
    return [told, "", "| given | what it is |", "|---|---|", *rows] if rows else [told]


def abilities(form: Format) -> str:
    """What can be done with a format, and what it keeps."""
    done = ["read", *(["written"] if form.write else []), *(["spliced"] if form.splice else [])]
    said = f"**{', '.join(done).capitalize()}.**"
    if form.write:
        said += f" Keeps {', '.join(sorted(form.carries)) or 'the annotation alone'}."
    endings = ", ".join(f"`{ending}`" for ending in form.suffixes)
    return f"{said} Usual endings: {endings}." if endings else said


def cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    main()
