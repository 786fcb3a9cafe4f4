"""The printable identity of a result: the measure, every option that can change its numbers, and the version.

    coref.muc|match:exact|mentions:conll|undefined:zero|v:0.2.0

Two results with the same signature on the same files are the same numbers. `parse` reads a signature back.

The short one, for a caption, has what differs from the defaults and a digest of all options:

    coref.muc|undefined:one|d:6f2d1c3a|v:0.2.0

`parse` reads it too, and `in_full` says what it stands for; where the defaults are no longer what they were, the digest
does not fit, and that is said.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from aune.core import registry
from aune.core.errors import UsageError
from aune.core.options import Option, options_of, shown

DIGEST = "d"
ESCAPES = {"%": "%25", "|": "%7C", ":": "%3A", "\n": "%0A", "\r": "%0D"}


class Signature(NamedTuple):
    """A measure's name, the options as text, and aune's version.

    >>> str(Signature("coref.muc", {"undefined": "zero"}, "0.2.0"))
    'coref.muc|undefined:zero|v:0.2.0'
    >>> parse("coref.muc|undefined:zero|v:0.2.0").options
    {'undefined': 'zero'}
    """

    measure: str
    options: Mapping[str, str]
    version: str

    def __str__(self) -> str:
        fields = [f"{escaped(name)}:{escaped(value)}" for name, value in self.options.items()]
        return "|".join([escaped(self.measure), *fields, f"v:{self.version}"])

    @property
    def digest(self) -> str:
        """The beginning of the SHA-256 of every option, whatever their order."""
        every = "|".join(sorted(map(":".join, self.options.items())))
        return hashlib.sha256(every.encode(errors="surrogatepass")).hexdigest()[:8]  # what was typed may be no text

    @property
    def short(self) -> Signature:
        """What differs from the defaults of the task, and the digest of all.

        >>> print(Signature("coref.muc", {"match": "exact", "undefined": "one"}, "0.2.0").short)
        coref.muc|undefined:one|d:792a51ea|v:0.2.0
        """
        usual = _defaults(self.measure)
        differs = {name: value for name, value in self.options.items() if usual.get(name) != value}
        return self._replace(options={**differs, DIGEST: self.digest})


def signature(measure: str, options: Mapping[str, Any], version: str) -> Signature:
    """The signature of a measure under options with any values."""
    return Signature(measure, {name: shown(value) for name, value in options.items()}, version)


def parse(text: str) -> Signature:
    """The signature that `str` printed."""
    measure, *fields = text.split("|")
    options = {}
    for field in fields:
        name, colon, value = field.partition(":")
        if not colon:
            raise UsageError(f"signature field {field!r}: expected name:value")
        options[unescaped(name)] = unescaped(value)
    if "v" not in options:
        raise UsageError(f"signature {text!r}: expected a version field v:… at the end")
    version = options.pop("v")
    return Signature(unescaped(measure), options, version)


def in_full(short: Signature) -> Signature:
    """The signature that a short one stands for, under the defaults of today; a `UsageError` where these are others."""
    given = {name: value for name, value in short.options.items() if name != DIGEST}
    for usual in _sets_of_defaults(short.measure):
        full = short._replace(options={**usual, **given})
        if full.digest == short.options.get(DIGEST):
            return full
    raise UsageError(f"signature {short}: the defaults of this version ({short.version} made it) give another digest")


@cache
def _defaults(measure: str) -> dict[str, str]:
    """The value that each option has when nobody gives one, over all formats of the measure's task."""
    found: dict[str, str] = {}
    for usual in _sets_of_defaults(measure):
        for name, value in usual.items():
            found.setdefault(name, value)
    return found


def _sets_of_defaults(measure: str) -> Iterator[dict[str, str]]:
    """The options and defaults that a signature of a measure can have: for each format, for one document or many."""
    try:
        expression = _first_name(measure)  # where several share their options
        if registry.own_modules(expression):
            return  # a signature is no reason to import anything
        found = registry.measure(expression)
    except UsageError:
        return  # measures made elsewhere, such as a score over a baseline's, have a name and no expression
    if found.task not in registry.task_names():
        return
    home = registry.task(found.task)
    preset = next(iter(home.conventions.values()), {})
    own = {name: option for name, option in found.options.items() if name not in found.given}
    comparing = _shown(home.compare, preset)
    scoring = {name: shown(preset[name] if _fits(one, preset) else one.default) for name, one in own.items()}
    readers = [home.documents, *(form.read for form in registry.formats(home.name))]
    reading = [_shown(reader, preset) for reader in readers]
    for key, response in product(reading, reading):
        for policy in ({}, {"missing": "empty", "extra": "ignore"}):
            yield {**key, **response, **policy, **comparing, **scoring}


def _first_name(measures: str) -> str:
    """The first of names between blanks; blanks inside parentheses belong to a name.

    >>> _first_name("macro(muc, by=document) lea")
    'macro(muc, by=document)'
    """
    depth = 0
    for place, character in enumerate(measures):
        depth += (character == "(") - (character == ")")
        if character == " " and depth == 0:
            return measures[:place]
    return measures


def _fits(option: Option, preset: Mapping[str, Any]) -> bool:
    return option.name in preset and option.accepts(preset[option.name])


def _shown(function: Callable[..., Any], preset: Mapping[str, Any]) -> dict[str, str]:
    """The options of a function that signatures show, at their defaults."""
    return {
        name: shown(preset[name] if _fits(one, preset) else one.default)
        for name, one in options_of(function).items()
        if not one.quiet
    }


def escaped(text: str) -> str:
    for character, code in ESCAPES.items():
        text = text.replace(character, code)
    return text


def unescaped(text: str) -> str:
    for character, code in reversed(ESCAPES.items()):
        text = text.replace(code, character)
    return text
