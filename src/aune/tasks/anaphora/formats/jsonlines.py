r"""JSON lines: a document per line, with its anaphors.

    {"document": "d1", "anaphors": [{"anaphor": "12", "antecedents": ["3-4"], "pronoun": "he", "candidates": ["3-4"]}]}

Mentions are names, the same in key and response: a token number, `first-last` token, or anything else; numbers are
accepted too. The fields of a document:

- `document` (or `doc_key`): its name; without one, documents are called `document 1`, `document 2`…
- `anaphors`: objects with `anaphor`, `antecedents` (a list) or `antecedent` (one mention or null), and if known
  `candidates`: mentions in the order of the text, or objects with `mention`, `agrees` and `text`. Other fields of an
  object are attributes of the anaphor, such as `pronoun`, `gender` and `distance`.
- `chains`: lists of mentions; pairs join chains too. `kinds`, `texts`: objects by mention.
- `attributes`: an object of strings on the document.

>>> from aune.core.corpus import Source
>>> [found] = read(Source("a.jsonl", b'{"anaphors": [{"anaphor": "he", "antecedent": "Ann", "gender": "feminine"}]}'))
>>> found.anaphors[0].antecedents, found.anaphors[0].attributes
(('Ann',), {'gender': 'feminine'})
>>> print("".join(write([found])), end="")
{"document":"document 1","anaphors":[{"anaphor":"he","antecedents":["Ann"],"gender":"feminine"}],"chains":[[...]]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from aune.core.corpus import Source
from aune.core.pieces import JSON_LINES
from aune.core.task import Format
from aune.tasks.anaphora.model import NO_ANTECEDENT, Anaphor, Candidate, Document, document, mention_name

Name = str | int


class _Candidate(msgspec.Struct):
    mention: Name
    agrees: bool = True
    text: str = ""


class _Object(msgspec.Struct):
    """The fields of one document as JSON holds them."""

    anaphors: list[dict[str, Any]]
    document: Name | None = None
    doc_key: Name | None = None
    chains: list[list[Name]] = []
    kinds: dict[str, str] = {}
    texts: dict[str, str] = {}
    attributes: dict[str, str] = {}


OWN = frozenset({"anaphor", "antecedent", "antecedents", "candidates"})
DECODER = msgspec.json.Decoder(_Object)


def read(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    for index, number, line in source.numbered(one for one in source.lines() if one[1] and not one[1].isspace()):
        try:
            fields = DECODER.decode(line)
        except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
            what = f"found a line that is no anaphora document ({error})"
            source.problem(number, 1, f"{what}, expected an object with `anaphors`: correct it")
            continue
        name = next((str(one) for one in (fields.document, fields.doc_key) if one is not None), f"document {index}")
        anaphors = [
            made
            for place, given in enumerate(fields.anaphors)
            if (made := _anaphor(source, number, place, given)) is not None
        ]
        yield document(
            name,
            anaphors,
            chains=[[mention_name(str(mention)) for mention in chain] for chain in fields.chains if chain],
            kinds={mention_name(mention): kind for mention, kind in fields.kinds.items()},
            texts={mention_name(mention): text for mention, text in fields.texts.items()},
            attributes=fields.attributes,
            path=source.name,
            line=number,
        )


def _anaphor(source: Source, line: int, place: int, given: Mapping[str, Any]) -> Anaphor | None:
    try:
        mention = msgspec.convert(given.get("anaphor"), Name)
        antecedents = msgspec.convert(_listed(given), list[Name])
        candidates = msgspec.convert(given.get("candidates") or [], list[Name | _Candidate])
        attributes = msgspec.convert(
            {k: v for k, v in given.items() if k not in OWN}, dict[str, str | int | float | None]
        )
    except msgspec.ValidationError as error:
        what = f"found something else than mentions in `anaphors[{place}]` ({error})"
        source.problem(line, 1, f"{what}, expected `anaphor` and `antecedents`: correct it")
        return None
    return Anaphor(
        mention_name(str(mention)),
        tuple(mention_name(str(one)) for one in antecedents if str(one) not in NO_ANTECEDENT),
        tuple(map(_candidate, candidates)),
        {name: str(value) for name, value in attributes.items() if value is not None},
        line,
    )


def _listed(given: Mapping[str, Any]) -> Any:
    one = given.get("antecedent")
    return given.get("antecedents", [] if one is None else [one])


def _candidate(given: Name | _Candidate) -> Candidate:
    if isinstance(given, _Candidate):
        return Candidate(mention_name(str(given.mention)), given.agrees, given.text)
    return Candidate(mention_name(str(given)))


def sniff(head: str) -> bool:
    return head.lstrip().startswith("{") and bool(re.search(r'"anaphors"\s*:', head))


def write(documents: Iterable[Document]) -> Iterator[str]:
    """One line per document; fields that would say nothing are left out."""
    for one in documents:
        fields: dict[str, Any] = {"document": one.id, "anaphors": [_fields_of(anaphor) for anaphor in one.anaphors]}
        rest = {
            "chains": list(one.members.values()),
            "kinds": dict(one.kinds),
            "texts": dict(one.texts),
            "attributes": dict(one.attributes),
        }
        yield msgspec.json.encode(fields | {name: value for name, value in rest.items() if value}).decode() + "\n"


def _fields_of(anaphor: Anaphor) -> dict[str, Any]:
    fields: dict[str, Any] = {"anaphor": anaphor.mention, "antecedents": list(anaphor.antecedents)}
    if anaphor.candidates:
        fields["candidates"] = [
            one.mention if one == (one.mention, True, "") else one._asdict() for one in anaphor.candidates
        ]
    return fields | {name: value for name, value in anaphor.attributes.items() if name not in OWN}


FORMAT = Format(
    read,
    sniff,
    write,
    frozenset({"kinds", "attributes", "texts", "chains", "candidates"}),
    (".jsonl", ".jsonlines"),
    boundaries=JSON_LINES,
)
