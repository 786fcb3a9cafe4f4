"""`aune combine`: one response out of several, by a vote."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from aune.cli._inputs import File, FileOrStdin
from aune.cli._output import put_text, warn


def combine(
    task: str,
    target: FileOrStdin,
    /,
    *responses: File,
    key: str | None = None,
    weight: Annotated[list[str] | None, Parameter(negative=())] = None,
    table: Annotated[list[str] | None, Parameter(negative=())] = None,
    tagset: str | None = None,
    input_format: str | None = None,
    output_format: Annotated[str | None, Parameter(name=["--to"])] = None,
) -> None:
    """Combine the outputs of several systems: every word gets the tag that most of them give it.

    The output is a response like any other, and `aune score` reads it.

    Parameters
    ----------
    task
        The task that the files belong to: tagging.
    target
        The file to write, or - for standard output. Its name decides the format unless --to does.
    responses
        What the systems gave: files or folders, or name=path to name a system.
    key
        A file whose words are tagged (its own tags are not looked at); the first response's words otherwise.
    weight
        NAME=NUMBER: how much a system's vote counts (1 when not given).
    table
        PATH for all systems or NAME=PATH for one: the correspondence table that projects its tags.
    tagset
        The tags voted on: upos, grace, or the path of a description.
    input_format
        The format of the files, when it should not be recognised from the content.
    output_format
        The format to write; one word per line unless the name of the target says otherwise.
    """
    from aune import STDIN
    from aune.core import registry
    from aune.core.corpus import read, system_names
    from aune.core.errors import UsageError
    from aune.core.options import check_known

    home = registry.task(task)
    if home.combined is None:
        raise UsageError(f"there is no way to combine responses of {task}: expected tagging")
    named = system_names(responses)
    if not named:
        raise UsageError("expected the files of at least one system")
    weights = {name: _number(name, value) for name, value in _by_name(weight or []).items()}
    tables = _by_name(table or [], named)
    check_known([*weights, *tables], named, "system")
    systems = {name: read(home, path, input_format) for name, path in named.items()}
    text = read(home, key, input_format) if key else next(iter(systems.values()))
    for corpus in systems.values():
        warn(corpus.warnings)
    given = {name: corpus.documents for name, corpus in systems.items()}
    documents = home.combined(
        text.documents, given, weights=weights, tables=tables, tagset=tagset, tell=lambda note: warn([note])
    )
    forms = [one for one in registry.formats(task) if one.write]
    by_name = [one for one in forms if target.endswith(one.suffixes or ("\0",))]
    form = registry.format(task, output_format) if output_format else next(iter(by_name), registry.format(task, "tsv"))
    if form.write is None:
        raise UsageError(f"--to {form.name}: this format cannot be written")
    put_text("".join(form.write(documents)), None if target in ("-", STDIN) else Path(target))


def _by_name(given: list[str], names: dict[str, str] | None = None) -> dict[str, str]:
    """NAME=VALUE as a mapping; a value without a name is for every one of the names."""
    from aune.core.errors import UsageError

    found: dict[str, str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if equals:
            found[name] = value
        elif names is not None:
            found |= dict.fromkeys(names, one)
        else:
            raise UsageError(f"{one!r}: expected NAME=NUMBER")
    return found


def _number(name: str, value: str) -> float:
    from aune.core.errors import UsageError
    from aune.core.options import Range

    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if number not in Range(0):
        raise UsageError(f"--weight {name}={value}: expected a number, {Range(0)}")
    return number
