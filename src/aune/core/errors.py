"""What can go wrong, each with the exit code the command line gives it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"  # what holds an emoji or a Persian word together


def visible(text: str, kept: str = JOINERS) -> str:
    r"""Text that cannot steer a terminal: what has no shape of its own is shown as Python writes it.

    >>> print(visible("a\x1b[31m b\u202ec"))
    a\x1b[31m b\u202ec
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in kept else one.encode("unicode_escape").decode() for one in text)


class AuneError(Exception):
    """Any problem aune reports in plain words, on one line whatever names it holds."""

    exit_code = 70

    def __str__(self) -> str:
        return visible(super().__str__())


class UsageError(AuneError):
    """The call itself is wrong: an unknown measure, an option that nothing understands."""

    exit_code = 2


MEANT = {"metric": "measures", "metrics": "measures", "measure": "measures", "out": "output", "jobs": "workers",
         "processes": "workers", "confidence-intervals": "ci", "bootstrap": "ci", "lowercase": "normalise",
         "lower": "normalise", "ignore-case": "normalise", "evaluate": "score", "eval": "score", "test": "compare",
         "view": "report", "html": "report", "kinds": "language"}  # fmt: skip
"""What other tools call our options and commands."""


def nearest(name: object, known: Sequence[str]) -> str:
    """The name that was probably meant; empty where none is near.

    >>> nearest("metrics", ["measures", "match"]), nearest("matsh", ["measures", "match"]), nearest("x", [])
    ('measures', 'match', '')
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only those who err wait for it

    if not isinstance(name, str):  # whoever calls from Python can give anything for a name
        return ""
    return MEANT[name] if MEANT.get(name) in known else next(iter(get_close_matches(name, known, 1)), "")


class UnknownNameError(UsageError):
    """A name that nothing understands, with those that something does."""

    def __init__(self, what: str, name: str, known: Sequence[str]) -> None:
        super().__init__(what, name, known)
        self.what, self.name, self.known = what, name, known

    def __str__(self) -> str:
        near = nearest(self.name, self.known)
        hint = f"did you mean {near!r}?" if near else "expected one of: " + ", ".join(self.known)
        return visible(f"unknown {self.what} {self.name!r}: {hint}")  # what is known may be names of a file


class NothingToScoreError(AuneError):
    """The inputs are valid but hold nothing that could be scored."""

    exit_code = 4


class AuneWarning(UserWarning):
    """Something to know about numbers that were computed all the same: documents missing, tags repaired…"""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing wrong with an input, and where: `path:line:column: message`.

    >>> print(Problem("a.conll", 3, 1, "found '(1', expected it to be closed: add '1)'"))
    a.conll:3:1: found '(1', expected it to be closed: add '1)'
    """

    path: str
    line: int
    column: int
    message: str
    severity: Literal["error", "warning"] = "error"
    """A warning is against a rule, but does not make the input invalid."""

    def __str__(self) -> str:
        kind = "warning: " if self.severity == "warning" else ""
        return visible(f"{self.path}:{self.line}:{self.column}: {kind}{self.message}")


class InputError(AuneError):
    """Everything wrong with the inputs, all at once."""

    exit_code = 3

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)  # as it comes back from another process
