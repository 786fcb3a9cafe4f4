"""The printable identity of a result: the measure, every option that can change its numbers, and the version.

    coref.muc|match:exact|mentions:conll|undefined:zero|v:0.2.0

Two results with the same signature on the same files have the same numbers. `parse_signature` reads a signature back.

The short form, for a caption, contains the options that differ from the defaults and a digest of all options:

    coref.muc|undefined:one|d:6f2d1c3a|v:0.2.0

`parse_signature` reads it too, and `expand_signature` returns the full form. If the defaults have changed since, the
digest does not match, which is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from aune.contract import registry
from aune.contract.options import all_signed_defaults, format_value, signed_defaults
from aune.errors import UsageError
from aune.files import sha256_hex

DIGEST_FIELD = "d"
RELATIVE = "over("
"""The prefix of the names of scores relative to a baseline (`aune.baselines.differential`)."""
DEFAULT_POLICIES = {"missing": "empty", "extra": "ignore"}
ESCAPES = {"%": "%25", "|": "%7C", ":": "%3A", "\n": "%0A", "\r": "%0D"}


class Signature(NamedTuple):
    """A measure's name, the options as text, and aune's version.

    >>> str(Signature("coref.muc", {"undefined": "zero"}, "0.2.0"))
    'coref.muc|undefined:zero|v:0.2.0'
    >>> parse_signature("coref.muc|undefined:zero|v:0.2.0").options
    {'undefined': 'zero'}
    """

    measure: str
    options: Mapping[str, str]
    version: str

    def __str__(self) -> str:
        fields = [f"{escape(name)}:{escape(value)}" for name, value in self.options.items()]
        return "|".join([escape(self.measure), *fields, f"v:{self.version}"])

    @property
    def digest(self) -> str:
        """The beginning of the SHA-256 of all options, independent of their order."""
        every = "|".join(sorted(map(":".join, self.options.items())))
        return sha256_hex(every.encode(errors="surrogatepass"))[:8]  # a value may contain surrogates

    @property
    def short(self) -> Signature:
        """The options that differ from the defaults of the task, and the digest of all.

        >>> print(Signature("coref.muc", {"match": "exact", "undefined": "one"}, "0.2.0").short)
        coref.muc|undefined:one|d:792a51ea|v:0.2.0
        """
        usual = _default_texts(self.measure)
        differs = {name: value for name, value in self.options.items() if usual.get(name) != value}
        return self._replace(options={**differs, DIGEST_FIELD: self.digest})


def signature_line(signatures: Sequence[Signature]) -> str:
    """The short forms of signatures on one line, as below a table; `parse_signature_line` reads it back.

    Signatures are separated by two blanks; the task and the version occur once in the line.

    >>> alike = Signature("coref.muc coref.lea", {"undefined": "one"}, "0.2.0")
    >>> print(signature_line([alike, Signature("coref.blanc", {"links": "either"}, "0.2.0")]))
    coref.muc lea|undefined:one|d:6b6de152  blanc|links:either|d:98173b3e|v:0.2.0
    """
    task, parts = "", list[str]()
    for short in (signature.short for signature in signatures):
        names = _split_names(short.measure)
        names = [name.removeprefix(task) if task and "(" not in name else name for name in names]
        if not parts:
            task = _task_prefix(names[0])
            names[1:] = [name.removeprefix(task) if "(" not in name else name for name in names[1:]]
        parts.append(str(short._replace(measure=" ".join(names))).rpartition("|")[0])
    return f"{'  '.join(parts)}|v:{signatures[0].version}" if parts else ""


def parse_signature_line(line: str) -> list[Signature]:
    """The short signatures in a line of `signature_line`: one for each name, all with their task.

    >>> [str(short) for short in parse_signature_line("coref.muc lea|d:83675a9c  blanc|d:5bf24fb2|v:0.2.0")]
    ['coref.muc|d:83675a9c|v:0.2.0', 'coref.lea|d:83675a9c|v:0.2.0', 'coref.blanc|d:5bf24fb2|v:0.2.0']
    """
    parts, _, version = line.rpartition("|v:")
    task = _task_prefix(parts)
    signatures = []
    for part in re.split(rf"(?<=\|{DIGEST_FIELD}:[0-9a-f]{{8}})  ", parts):
        signature = parse_signature(f"{part}|v:{version}")
        names = _split_names(signature.measure)
        plain = [name if "(" in name or ":" in name else task + name.removeprefix(task) for name in names]
        signatures += [signature._replace(measure=name) for name in plain]
    return signatures


def _task_prefix(name: str) -> str:
    """The task that a name begins with, and the point; empty if it begins with none."""
    task = name.partition(".")[0]
    return f"{task}." if task in registry.task_names() else ""


def signature(measure: str, options: Mapping[str, Any], version: str) -> Signature:
    """The signature of a measure under options with any values."""
    return Signature(measure, {name: format_value(value) for name, value in options.items()}, version)


def parse_signature(text: str) -> Signature:
    """Parse the signature that `str` printed."""
    measure, *fields = text.split("|")
    options = {}
    for field in fields:
        name, colon, value = field.partition(":")
        if not colon:
            raise UsageError(f"signature field {field!r}: expected name:value")
        options[unescape(name)] = unescape(value)
    if "v" not in options:
        raise UsageError(f"signature {text!r}: expected a version field v:… at the end")
    version = options.pop("v")
    return Signature(unescape(measure), options, version)


def expand_signature(short: Signature) -> Signature:
    """The full form of a short signature, under the current defaults; a `UsageError` if these differ."""
    explicit = {name: value for name, value in short.options.items() if name != DIGEST_FIELD}
    for usual in _default_sets(short.measure):
        full = short._replace(options={**usual, **explicit})
        if full.digest == short.options.get(DIGEST_FIELD):
            return full
    raise UsageError(f"signature {short}: the defaults of this version ({short.version} made it) give another digest")


@cache
def _default_texts(measure: str) -> dict[str, str]:
    """The default of each option, over all formats of the measure's task."""
    readers, others = _defaults(measure)
    texts: dict[str, str] = {}
    for reader in reversed(readers):  # where readers differ, the first of them wins
        texts |= reader
    return {**texts, **DEFAULT_POLICIES, **others} if readers else {}


def _default_sets(measure: str) -> Iterator[dict[str, str]]:
    """The options and defaults that a signature of a measure can have: for each format, for one document or many."""
    readers, others = _defaults(measure)
    for key, response in product(readers, readers):
        for policies in ({}, DEFAULT_POLICIES):
            yield {**key, **response, **policies, **others}


def _defaults(measure: str) -> tuple[list[dict[str, str]], dict[str, str]]:
    """The defaults of each reader of a measure's task, and those of comparing and scoring; none of other measures."""
    try:
        expression = _split_names(measure)[0]  # several measures may share their options
        if expression.startswith(RELATIVE):
            expression = registry.split_names(expression.removeprefix(RELATIVE))[0]  # the defaults of the measure
        if registry.user_modules(expression):
            return [], {}  # parsing a signature imports no user code
        base = registry.measure(expression)
    except UsageError:
        return [], {}  # computed measures, such as a score relative to a baseline's, have a name and no expression
    if base.task not in registry.task_names():
        return [], {}
    task_definition = registry.task(base.task)
    preset = next(iter(task_definition.comparing.conventions.values()), {})
    scoring = {
        name: text for name, text in signed_defaults(base.options, preset).items() if name not in base.fixed_options
    }
    readers = [task_definition.reading.documents, *(form.read for form in registry.formats(task_definition.name))]
    *of_readers, of_comparison = all_signed_defaults([*readers, task_definition.comparing.compare], preset)
    return of_readers, {**of_comparison, **scoring}


def _split_names(measures: str) -> list[str]:
    """Names separated by blanks; blanks inside parentheses belong to a name.

    >>> _split_names("macro(muc, by=document) lea")
    ['macro(muc, by=document)', 'lea']
    """
    depth, names = 0, [""]
    for character in measures:
        depth += (character == "(") - (character == ")")
        if character == " " and depth == 0:
            names.append("")
        else:
            names[-1] += character
    return names


def escape(text: str) -> str:
    for character, code in ESCAPES.items():
        text = text.replace(character, code)
    return text


def unescape(text: str) -> str:
    for character, code in reversed(ESCAPES.items()):
        text = text.replace(code, character)
    return text
