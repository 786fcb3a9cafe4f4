"""Simple systems that provide reference levels for the scores of an evaluation.

A baseline is a module `aune/baselines/TASK/NAME.py` with `BASELINE = Baseline(respond)`. `respond(documents, *,
options)` takes the documents of a key (it sees their texts and mentions, and only `random_profile` and `independent`
use the chains) and returns a response to them. There is no registry: a file in the right folder is enough.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from aune.contract.options import Option, check_known, options_of
from aune.errors import UsageError


@dataclass(frozen=True)
class Baseline:
    """A simple system: its response, and its rules that can be switched off. Its name is that of its file."""

    respond: Callable[..., list[Any]]
    groups: tuple[str, ...] = ()
    """The groups of rules that its option `off` switches off, for `aune coref ablate`."""
    measures: tuple[str, ...] = ()
    """The default measures of an ablation."""

    @property
    def task(self) -> str:
        return self.respond.__module__.split(".")[-2]

    @property
    def name(self) -> str:
        return self.respond.__module__.rpartition(".")[2]

    @property
    def documentation(self) -> str:
        return inspect.cleandoc(inspect.getmodule(self.respond).__doc__ or "")

    @property
    def options(self) -> dict[str, Option]:
        return options_of(self.respond)

    @property
    def is_random(self) -> bool:
        """Whether the response depends on a seed."""
        return "seed" in self.options

    def __call__(self, documents: Sequence[Any], **options: Any) -> list[Any]:
        """The response to the documents of a key; options may be strings from the command line."""
        check_known(options, self.options, f"option of the baseline {self.name}")
        checked = {name: self.options[name].convert(value) for name, value in options.items()}
        return self.respond(list(documents), **checked)


@cache
def names(task: str) -> tuple[str, ...]:
    """The baselines of a task.

    >>> names("anaphora")
    ('first', 'recent', 'title')
    """
    try:
        package = import_module(f"aune.baselines.{task}")
    except ModuleNotFoundError:
        return ()
    return tuple(sorted(module.name for module in iter_modules(package.__path__) if not module.name.startswith("_")))


def baseline(task: str, name: str) -> Baseline:
    """The baseline in `aune/baselines/TASK/NAME.py`."""
    if not names(task):
        raise UsageError(f"there are no baselines for {task}")
    check_known([name.replace("-", "_")], names(task), f"{task} baseline")
    selected: Baseline = import_module(f"aune.baselines.{task}.{name.replace('-', '_')}").BASELINE
    return selected
