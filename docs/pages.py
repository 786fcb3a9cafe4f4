"""Assembles the pages of the site in build/docs: the written ones, and those generated from the registry.

`make docs` runs it before the site is built. The page of a measure comes from the measure's own file.
"""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

from cyclopts import App
from cyclopts.argument import Argument

from aune.cli._application import HEADINGS, commands, heading
from aune.cli.list import first_line, source
from aune.contract import registry
from aune.contract.format import Format
from aune.contract.measure import Measure
from aune.contract.options import dashed_name, format_value

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "build" / "docs"


def main() -> None:
    shutil.rmtree(TARGET, ignore_errors=True)
    shutil.copytree(ROOT / "docs", TARGET, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    page = TARGET / "architecture.md"
    page.write_text(page.read_text().replace("](../CONTRIBUTING.md", "](contributing.md"))
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
            summary, origin = cell(first_line(measure.documentation)), cell(source(measure))
            index.append(f"| [{short}]({task}/{short}.md) | {summary} | {origin} |")
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
            f"| `--{dashed_name(option.name)}` | {cell(format_value(option.default))} | {cell(option.domain)} "
            f"| {cell(option.help)} |"
            for option in measure.options.values()
        ]
    return "\n".join(lines) + "\n"


def perfect(measure: Measure, value: str) -> str:
    number = measure.perfect_of(value)
    return "undefined" if math.isnan(number) else f"{number:g}"


def prose(text: str) -> str:
    """A docstring as Markdown: examples become code, `Source:` and `Edges:` become bold."""
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

`aune convert TASK FILE NEW` writes the documents of a file in another format. It reads back what it has written, lists
what did not come back by kind with counts, and refuses what would come back as something else. In the same format
it does not write the file again: it puts edits into the file (splices them), every other byte stays, and an unchanged
document gives the same bytes. A brat file is written with its text beside it; several documents go to a folder.

Below, *keeps* lists what a format has a place for beside the annotation itself."""


def formats_page() -> str:
    lines = [FORMATS, ""]
    for task in registry.task_names():
        lines += [f"## {task}", ""]
        for form in registry.formats(task):
            lines += [f"### {task}.{form.name}", "", prose(form.documentation), "", abilities(form), ""]
    return "\n".join(lines)


COMMANDS = """# Commands

`aune COMMAND --help` says the same in the terminal. Commands that take a key and responses also take any option of the
task, of its formats and of its measures (`aune list options TASK`). Every command takes `--quiet` (only
errors are reported), and those with `--format` also `--json`.

Defaults for a project are in `aune.toml`, or under `[tool.aune]` in `pyproject.toml`, in the working folder
or above it:

```toml
digits = 1                  # for every command that has the option

[coref]                     # a task, or a command
convention = "partition"
measures = ["muc", "lea"]
```

aune reports which defaults it uses, and they are part of the signature. Options on the command line take precedence.
Such a file loads no code and cannot contain addresses.

Exit codes: 0 done, 1 a gate failed, 2 usage, 3 invalid input, 4 nothing to score, 70 internal error, 130 interrupted.
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
    """What a command does, and a table of its arguments and options."""
    description = cleandoc(command.default_command.__doc__ or "").partition("Parameters\n---")[0].strip()
    arguments = command.assemble_argument_collection(parse_docstring=True)
    rows = [
        f"| {' '.join(f'`{name}`' for name in argument.names)} | {cell(argument.parameter.help or '')} "
        f"| {cell(default_of(argument))} |"
        for argument in arguments
        if argument.names and argument.names[0] != "*" and not argument.names[0].startswith("--[")
    ]
    lines = [EXAMPLE.sub(r"```sh\n\g<0>\n```", description)]
    return [*lines, "", "| argument | what it is | default |", "|---|---|---|", *rows] if rows else lines


EXAMPLE = re.compile(r"^ *aune [^`\n]+(?:\n *aune [^`\n]+)*$", re.MULTILINE)
"""The lines of a docstring that are commands to type."""


def default_of(argument: Argument) -> str:
    """What an argument is where it is not given; nothing where it is then off, or nothing."""
    default = argument.field_info.default
    is_value = isinstance(default, str | int | float | Path) and not isinstance(default, bool)
    return f"`{default}`" if is_value and str(default) else ""


def abilities(form: Format) -> str:
    """What aune can do with a format, and what the format keeps."""
    actions = ["read", *(["written"] if form.write else []), *(["spliced"] if form.splice else [])]
    sentence = f"**{', '.join(actions).capitalize()}.**"
    if form.write:
        sentence += f" Keeps {', '.join(sorted(form.carries)) or 'the annotation alone'}."
    endings = ", ".join(f"`{ending}`" for ending in form.suffixes)
    return f"{sentence} Usual endings: {endings}." if endings else sentence


def cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    main()
