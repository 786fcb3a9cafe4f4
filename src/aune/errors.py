"""The errors of aune, each with its exit code on the command line, and the problems that are found in inputs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"  # what holds an emoji or a Persian word together


def make_visible(text: str, allowed: str = JOINERS) -> str:
    r"""Text that cannot control a terminal: characters without a shape are shown as Python escapes.

    >>> print(make_visible("a\x1b[31m b\u202ec"))
    a\x1b[31m b\u202ec
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in allowed else character.encode("unicode_escape").decode()
        for character in text
    )


PYTHON_NAMES = {"input_format": "key_format"}
"""Options whose argument in Python has another name."""
OPTION_IN_PROSE = re.compile(
    r"`[^`]*`|(?<![\w-])--(?P<name>[a-z][a-z-]*[a-z])"
    r"(?:[ =](?!(?:and|or|nor|to|at|too|shows|says|selects?|tells|acts|takes)\b)(?P<value>[^\s,;:.()`\"']+))?"
    r"(?P<choice> or (?P<other>[a-z]+)\b(?! the| a | another))?"
)
"""An option of the command line in a sentence, with its value, and an alternative value after `or`."""


def spell_for_python(text: str) -> str:
    """Replace the options in a sentence by the arguments of a Python function.

    >>> spell_for_python("choose --kinds english or french, or leave --match exact out")
    "choose kinds='english' or 'french', or leave match='exact' out"
    >>> spell_for_python("--typology, --labels and --text-field select")
    'typology, labels and text_field select'
    """

    def spell(option: re.Match[str]) -> str:
        if option["name"] is None:  # a command between backticks
            return option[0]
        name, value, other = option["name"].replace("-", "_"), option["value"], option["other"]
        if value is None:
            return PYTHON_NAMES.get(name, name) + (option["choice"] or "")
        spelt = f"{PYTHON_NAMES.get(name, name)}={_python_value(value)}"
        return f"{spelt} or {other!r}" if other else spelt

    return OPTION_IN_PROSE.sub(spell, text)


def _python_value(text: str) -> str:
    """A value as Python writes it; words in capitals stand for what the reader chooses."""
    return text if text.isupper() or text.replace("_", "").isdecimal() else repr(text)


class AuneError(Exception):
    """An error that is reported to the user in one line, whatever names it contains."""

    exit_code = 70
    is_for_python = False
    """Whether the message names arguments of Python instead of options of the command line."""

    def __str__(self) -> str:
        text = super().__str__()
        return make_visible(spell_for_python(text) if self.is_for_python else text)


class UsageError(AuneError):
    """The call itself is wrong: an unknown measure, say, or an unknown option."""

    exit_code = 2


SYNONYMS: dict[str, tuple[str, ...]] = {
    "metric": ("measures",), "metrics": ("measures",), "measure": ("measures",), "out": ("output",),
    "jobs": ("workers",), "processes": ("workers",), "confidence-intervals": ("ci",), "bootstrap": ("ci",),
    "lowercase": ("normalise", "case"), "lower": ("normalise", "case"), "casefold": ("normalise", "case"),
    "ignore-case": ("normalise", "case"),
    "nopunct": ("punctuation",), "evaluate": ("score",), "eval": ("score",), "test": ("compare",), "view": ("report",),
    "html": ("report",), "kinds": ("language",),
}  # fmt: skip
"""Our names for the options, commands and normalisation steps of other tools."""


def nearest_name(name: object, known: Sequence[str]) -> str:
    """The known name that was probably meant; empty if none is similar.

    >>> nearest_name("metrics", ["measures", "match"]), nearest_name("matsh", ["measures", "match"])
    ('measures', 'match')
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    if not isinstance(name, str):  # from Python, a name can be anything
        return ""
    meant = next((synonym for synonym in SYNONYMS.get(name, ()) if synonym in known), "")
    return meant or next(iter(get_close_matches(name, known, 1)), "")


class UnknownNameError(UsageError):
    """An unknown name, with the known ones."""

    def __init__(self, what: str, name: str, known: Sequence[str]) -> None:
        super().__init__(what, name, known)
        self.what, self.name, self.known = what, name, known

    def __str__(self) -> str:
        near = nearest_name(self.name, self.known)
        expected = "expected one of: " + ", ".join(self.known) if self.known else "there is none here"
        hint = f"did you mean {near!r}?" if near else expected
        return make_visible(f"unknown {self.what} {self.name!r}: {hint}")  # known names may come from a file


class NothingToScoreError(AuneError):
    """The inputs are valid but contain nothing that can be scored."""

    exit_code = 4


class AuneWarning(UserWarning):
    """A warning about numbers that were computed all the same: missing documents, repaired tags…"""


class Place(NamedTuple):
    """Where something is in an input."""

    path: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


class Remedy(NamedTuple):
    """What a reader can do about a problem. Options are kept apart, since each surface spells them differently.

    >>> remedy = Remedy("score it as empty", (("missing", "empty"),))
    >>> remedy.for_command_line(), remedy.for_python(), remedy.for_web_page()
    ('score it as empty with --missing empty', "score it as empty with missing='empty'", None)
    """

    text: str
    options: tuple[tuple[str, str], ...] = ()
    """The options that help, with their values (in capitals where the reader chooses); an empty value is a flag."""

    def for_command_line(self) -> str:
        flags = [f"--{name.replace('_', '-')} {value}".rstrip() for name, value in self.options]
        return " ".join([self.text, *(["with", *flags] if flags else [])])

    def for_python(self) -> str:
        arguments = ", ".join(
            f"{PYTHON_NAMES.get(name, name)}={value!r}" if value else f"{name}=True" for name, value in self.options
        )
        return f"{self.text} with {arguments}" if arguments else self.text

    def for_web_page(self) -> str | None:
        """The remedy for a reader of a page; None where only an option helps, since pages have none."""
        return None if self.options else self.text


CODES_WITHOUT_LINE = ("file.unreadable", "file.unreachable")
"""A problem of a whole file, of which no line was read."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing wrong with an input: what was found and where, what was expected, and what can be done about it.

    >>> place = Place("a.conll", 3, 1)
    >>> print(Problem("mention.unclosed", place, "'(1'", "it to be closed", (Remedy("add '1)'"),)))
    a.conll:3:1: found '(1', expected it to be closed: add '1)'
    """

    code: str
    """A stable name of the kind of problem, such as `mention.unclosed`; `docs/problems.md` lists them."""
    place: Place
    found: str
    expected: str = ""
    remedies: tuple[Remedy, ...] = ()
    severity: Literal["error", "warning"] = "error"
    """A warning breaks a rule, but does not make the input invalid."""

    @classmethod
    def in_file(
        cls,
        code: str,
        path: str,
        line: int = 1,
        column: int = 1,
        *,
        found: str,
        expected: str = "",
        remedies: Sequence[Remedy | str] = (),
    ) -> Problem:
        """A problem of a file, or of a place in it; a remedy without options may be given as its text.

        >>> print(Problem.in_file("file.empty", "a.txt", found="an empty file", expected="text", remedies=["add it"]))
        a.txt:1:1: found an empty file, expected text: add it
        """
        return cls(code, Place(path, line, column), found, expected, as_remedies(remedies))

    def with_path(self, path: str) -> Problem:
        """The same problem in a file of another name."""
        return replace(self, place=self.place._replace(path=path))

    @property
    def message(self) -> str:
        """The whole message, with the remedies that the command line offers."""
        return self.with_remedies([remedy.for_command_line() for remedy in self.remedies])

    def for_python(self) -> str:
        """The whole message, with the remedies that Python offers."""
        return self.with_remedies([remedy.for_python() for remedy in self.remedies])

    def for_web_page(self) -> str:
        """The whole message, with the remedies that the reader of a page has."""
        return self.with_remedies([text for remedy in self.remedies if (text := remedy.for_web_page())])

    def with_remedies(self, remedies: Sequence[str]) -> str:
        """The message with these remedies."""
        text = f"found {self.found}" + (f", expected {self.expected}" if self.expected else "")
        return f"{text}: {', or '.join(remedies)}" if remedies else text

    def line(self, message: str) -> str:
        """One line with the place of the problem and a wording of its message."""
        kind = "warning: " if self.severity == "warning" else ""
        where = self.place.path if self.code in CODES_WITHOUT_LINE else self.place
        return make_visible(f"{where}: {kind}{message}")

    def __str__(self) -> str:
        return self.line(self.message)


def as_remedies(remedies: Sequence[Remedy | str]) -> tuple[Remedy, ...]:
    """Remedies; those without options may be given as their texts."""
    return tuple(Remedy(remedy) if isinstance(remedy, str) else remedy for remedy in remedies)


class InputError(AuneError):
    """All problems of the inputs together."""

    exit_code = 3

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(set(problems), key=lambda problem: (problem.place, problem)))
        super().__init__("\n".join(map(str, self.problems)))

    def __str__(self) -> str:
        return "\n".join(problem.line(problem.for_python()) if self.is_for_python else str(problem)
                         for problem in self.problems)  # fmt: skip

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)  # pickled when another process sends it back
