"""The printable identity of a result: the measure, every option that can change its numbers, and the version.

    coref.muc|match:exact|mentions:conll|undefined:zero|v:0.2.0

Two results with the same signature on the same files are the same numbers. `parse` reads a signature back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from aune.core.errors import UsageError
from aune.core.options import shown

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


def escaped(text: str) -> str:
    for character, code in ESCAPES.items():
        text = text.replace(character, code)
    return text


def unescaped(text: str) -> str:
    for character, code in reversed(ESCAPES.items()):
        text = text.replace(code, character)
    return text
