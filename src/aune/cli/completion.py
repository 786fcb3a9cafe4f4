"""`aune completion`: complete commands, options and names in a shell.

The script of a shell is short: it calls `aune completion SHELL -- WORDS…` for the completions of the last word.
Where aune knows none, the shell offers files.

Cyclopts can generate scripts (`App.generate_completion`), but these are fixed when they are made: they know neither
the options of the task that is typed, nor its measures and their values, nor the modules of a user.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from inspect import Parameter
from typing import TYPE_CHECKING, Literal

from aune.cli._inputs import FileOrStdin
from aune.cli._output import put_text

if TYPE_CHECKING:
    from cyclopts.argument import Argument

GROUP = "This tool"
SCRIPTS = {
    "bash": """\
_aune() {
  local IFS=$'\\n'
  COMPREPLY=($(aune completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _aune aune
""",
    "zsh": """\
#compdef aune
_aune() {
  local -a names
  names=(${(f)"$(aune completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#names )); then compadd -- $names; else _files; fi
}
if [[ $funcstack[1] == _aune ]]; then _aune "$@"; else compdef _aune aune; fi
""",
    "fish": """\
function __aune_names
  set -l typed (commandline -opc) (commandline -ct)
  set -l names (aune completion fish -- $typed[2..-1] 2>/dev/null)
  if test (count $names) -gt 0
    printf '%s\\n' $names
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c aune -f -a '(__aune_names)'
""",
}


def completion(shell: Literal["bash", "zsh", "fish"], /, *words: FileOrStdin) -> None:
    """Print the script that lets a shell complete commands, options and the names of tasks, measures and formats.

    bash: aune completion bash > ~/.local/share/bash-completion/completions/aune. zsh: aune completion zsh into a file
    _aune in a folder of $fpath. fish: aune completion fish > ~/.config/fish/completions/aune.fish.

    Parameters
    ----------
    shell
        bash, zsh or fish.
    words
        After --, the words typed so far: print the completions of the last of them. The script calls this.
    """
    put_text("".join(f"{name}\n" for name in complete_words(words)) if words else SCRIPTS[shell], None)


def complete_words(words: Sequence[str]) -> list[str]:
    """The completions of the last of the words after `aune`; none where aune knows no such name.

    >>> complete_words(["score", "ent"]), complete_words(["score", "ner", "key", "-m", "f_measure,tok"])
    (['entities'], ['f_measure,token_accuracy'])
    """
    from aune.cli._application import application, flags, options_of_task
    from aune.contract import registry

    before, last = [word for word in words[:-1] if word != "="], words[-1].removeprefix("=")  # bash cuts at =
    _, apps, rest = application().parse_commands(before)
    command = apps[-1]
    if command.default_command is None:
        return [name for name in command if name.startswith(last) and not name.startswith("-")]
    option, equals, value = last.partition("=") if last.startswith("--") else ("", "", last)
    if last.startswith("-") and not equals:
        return [name for name in (*flags(before), *options_of_task(before)) if name.startswith(last)]
    arguments = [candidate for candidate in command.assemble_argument_collection() if candidate.names]
    valued = {name for candidate in arguments if candidate.token_count()[0] for name in candidate.names} | {
        *options_of_task(before)
    }
    if not equals and before[-1:] and before[-1] in valued:
        option = before[-1]
    positional = list(_positional(rest, valued))
    argument = next((candidate for candidate in arguments if _is_meant(candidate, option, len(positional))), None)
    task = next(filter(None, map(registry.resolve_task_name, before[:3])), "")
    names = (argument and argument.get_choices()) or _names(argument, option, value, task, command.name[0])
    done = last[: len(last) - len(value.rpartition(",")[2])]
    return [done + name for name in names if (done + name).startswith(last)]


def _positional(words: Sequence[str], valued: Collection[str]) -> Iterator[str]:
    """The words that are neither options nor their values."""
    previous = ""
    for word in words:
        if not word.startswith("-") and previous not in valued:
            yield word
        previous = word


def _is_meant(argument: Argument, option: str, place: int) -> bool:
    """Whether what is typed is a value of this argument: by its name, or by its place."""
    if option:
        return option in argument.names
    several = argument.field_info.kind is Parameter.VAR_POSITIONAL
    return argument.index is not None and (argument.index == place or (several and argument.index < place))


def _names(argument: Argument | None, option: str, typed: str, task: str, command: str) -> Iterable[str]:
    """The names that an argument of a command takes; none where it takes files, numbers or free text."""
    from aune import baselines
    from aune.contract import registry
    from aune.evaluation.plan import collect_options, reading_functions, scoring_functions
    from aune.reports import FORMATS, LAYOUTS, figures

    if argument is None:  # an option of the task
        home = registry.task(task) if task else None
        takers = (
            collect_options([*reading_functions(home), *scoring_functions(home, registry.measures(task))])
            if home
            else {}
        )
        return [str(name) for taker in takers.get(option[2:].replace("-", "_"), ()) for name in taker.choices]
    field = argument.field_info.name
    if field == "task":
        return _matching_names(registry.task_names(), list(registry.task_aliases()), typed)
    if field in ("measures", "measure", "fail_under"):
        every = registry.measures(task) if task else ()
        dotted = [f"{entry.short}.{value}" for entry in every for value in entry.values]
        if "." in typed or field == "fail_under":
            return dotted
        return _matching_names(
            [entry.short for entry in every], [also for entry in every for also in entry.aliases], typed
        )
    if field in ("what", "name") and command in ("cite", "explain"):
        return [measure.name for name in registry.task_names() for measure in registry.measures(name)]
    if field == "name" and command == "baseline":
        return baselines.names(task) if task else ()
    if field == "name" and command == "figure":
        return [name.replace("_", "-") for name in figures.names()]
    if field == "format":
        return FORMATS
    if field == "layout":
        return LAYOUTS
    if field == "convention":
        return registry.task(task).comparing.conventions if task else ()
    if field.endswith("_format"):
        return [entry.name for entry in registry.formats(task)] if task else ()
    return ()


def _matching_names(names: Sequence[str], others: Sequence[str], typed: str) -> Sequence[str]:
    """The names there are, or what people call the same where none of them begins as what is typed."""
    last = typed.rpartition(",")[2]
    return names if any(name.startswith(last) for name in names) else others
