"""Numbers that make no sense are refused with exit 2, before any file is read."""

from __future__ import annotations

from dataclasses import is_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from cyclopts import App, Parameter

from aune import baselines
from aune.cli import run
from aune.cli._application import commands
from aune.contract import registry
from aune.contract.options import Option, Range, options_of


def is_number(kind: Any) -> bool:
    parts = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return bool({int, float} & set(parts))


@pytest.mark.parametrize(
    ("words", "command"), list(commands()), ids=lambda given: " ".join(given) if isinstance(given, tuple) else ""
)
def test_every_number_of_a_command_has_a_range(words: tuple[str, ...], command: App) -> None:
    hints = get_type_hints(command.default_command, include_extras=True)
    hints.pop("return", None)
    for group in [hint for hint in hints.values() if is_dataclass(hint)]:
        hints |= get_type_hints(group, include_extras=True)
    for name in hints:
        kind, *metadata = get_args(hints[name]) if hasattr(hints[name], "__metadata__") else (hints[name],)
        if is_number(kind):
            assert any(isinstance(item, Parameter) and item.validator for item in metadata), (
                f"{name}: see cli/_numbers.py"
            )


def number_options() -> list[Option]:
    functions = []
    for task in registry.task_names():
        home = registry.task(task)
        functions += [
            home.comparing.compare,
            home.reading.documents,
            *([home.explaining.errors] if home.explaining.errors else []),
        ]
        functions += [form.read for form in registry.formats(task)]
        functions += [part for measure in registry.measures(task) for part in (measure.count, measure.score)]
        functions += [baselines.baseline(task, name).respond for name in baselines.names(task)]
    result = {
        (function.__module__, option.name): option for function in functions for option in options_of(function).values()
    }
    return [option for option in result.values() if is_number(option.type)]


@pytest.mark.parametrize("option", number_options(), ids=lambda option: option.name)
def test_every_number_of_a_task_has_a_range(option: Option) -> None:
    assert option.range != Range(), f"--{option.name}: declare what it takes, Annotated[float, 'help', Range(0)]"
    assert option.default is None or option.default in option.range


@pytest.mark.parametrize(
    "words",
    [
        "score coref k r --digits -1",
        "score coref k r --digits 400",
        "score coref k r --ci --draws 0",
        "score coref k r --ci --draws 2000000000",
        "score coref k r --ci --level nan",
        "score coref k r --ci --level 1.5",
        "score coref k r --ci --seed -1",
        "errors coref k r --limit -1",
        "score entities k r -m f_measure --beta -1",
        "score entities k r -m f_measure --beta inf",
        "score entities k r -m f_measure(beta=nan)",
        "score entities k r -m detection_cost --miss-cost -1",
        "score entities k r -m eter --alpha 5",
        "score entities k r -m eter(alpha=5)",
        "score entities k r --depth -1",
        "combine tagging k r --weight r=-1",
        "combine tagging k r --weight r=inf",
        "meta audit --size -1",
        "meta audit --samples -1",
        "validate coref k --bogus 1",
        "convert coref k - --bogus 1",
        "describe coref k --bogus 1",
        "baseline coref singletons k - --bogus 1",
        "agreement tagging k r --bogus 1",
        "score coref k r --bogus 1",
    ],
)
def test_nonsense_is_refused_before_work(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The files do not exist: reading them would be exit 3."""
    assert run(words.split()) == 2
    assert capsys.readouterr().err


def test_an_unknown_option_has_a_neighbour(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["describe", "speech", "k", "--text-feild", "x"]) == 2
    assert "unknown option --text-feild: did you mean --text-field?" in capsys.readouterr().err


def test_an_option_of_another_format_is_refused(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.conll").write_text("x B-PER\ny O\n")
    for command in (["validate", "entities"], ["describe", "entities"], ["convert", "entities"]):
        target = ["-", "--to", "brat"] if command[0] == "convert" else []
        assert run([*command, str(tmp_path / "a.conll"), *target, "--columns", "3"]) == 2
        assert "one of the formats hipe, not of conll" in capsys.readouterr().err
