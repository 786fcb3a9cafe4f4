"""Records whose fields have other names than the reader expects: options such as `--id-field` name them.

The names are replaced in the text of a record before it is decoded, so that every reader of JSON lines supports them,
and problems have the right positions: a shorter name is padded with blanks, and a member that is not read is blanked.

>>> record = Record(1, 1, '{"nr": 7, "id": 3, "content": "a"}')
>>> choices = [FieldName("id_field", ("nr",), "id", {"id"}), FieldName("text_field", ("content",), "text", {"text"})]
>>> [renamed.text for renamed in rename_fields(Source("a", b""), [record], choices)]
['{"id": 7         , "text"   : "a"}']
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeAlias

from aune.contract.options import HiddenAtDefault
from aune.errors import Remedy, UsageError
from aune.reading.source import Source
from aune.syntax.field_roles import field_role
from aune.syntax.jsonlines import SCAN, Record

DocumentIdField: TypeAlias = Annotated[
    tuple[str, ...],
    "the field of a record with the name of its document; id, doc_id… if none is named",
    HiddenAtDefault,
]
DocumentTextField: TypeAlias = Annotated[
    tuple[str, ...], "the field of a record with its text or its words; text, tokens… if none is named", HiddenAtDefault
]
LabelsField: TypeAlias = Annotated[
    tuple[str, ...], "the field of a span with its label; label, type… if none is named", HiddenAtDefault
]


class FieldName(NamedTuple):
    """The field that the user names for a role, and the reader's name for it."""

    option: str
    wanted: Sequence[str]
    """The names that the user gives; the first one that a record contains is used."""
    target: str | Callable[[Any], str]
    """The reader's name, or a function that returns it for a value."""
    usual: Collection[str]
    """The names that the reader would use instead, which are not read."""
    subjects: frozenset[str] = frozenset()
    """Words for the annotation of the task: other fields with annotation of either side are not read, either."""

    def is_replaced(self, name: str) -> bool:
        """Whether a field would be read instead of the one that is named."""
        return name in self.usual or (bool(self.subjects) and field_role(name, self.subjects) is not None)


class Member(NamedTuple):
    """A member of an object, with the positions of its name and its value."""

    name: str
    value: Any
    start: int
    name_end: int
    end: int


def rename_fields(
    source: Source, records: Iterable[Record], choices: Sequence[FieldName], *, keep_places: bool = False
) -> Iterator[Record]:
    """Records in which the fields that the user names have the reader's names; a missing field is reported.

    With `keep_places`, for code that edits the text, a name that is too short for the reader's name is refused.
    """
    chosen = [choice for choice in choices if choice.wanted]
    if not chosen:
        yield from records
        return
    for record in records:
        members = _members(record.text)
        if members is None:
            yield record  # not an object: the reader reports it
            continue
        renames, hidden = _resolve(source, record, members, chosen)
        if renames is None:
            continue
        text = _replace_names(record.text, members, renames, hidden)
        if keep_places and len(text) != len(record.text):
            raise UsageError(
                f"{source.name}:{record.line} cannot be edited, as its names are too short: write a new file"
            )
        yield record._replace(text=text)


def _resolve(
    source: Source, record: Record, members: Sequence[Member], chosen: Sequence[FieldName]
) -> tuple[dict[str, str] | None, set[str]]:
    """The new names by the old, and the fields that are not read; None if a field is missing, which is reported."""
    values = {member.name: member.value for member in members}
    renames: dict[str, str] = {}
    hidden: set[str] = set()
    for choice in chosen:
        name = next((name for name in choice.wanted if name in values), None)
        if name is None:
            names = ", ".join(values) or "no field"
            source.add_problem(
                "field.missing", record.line, record.column, found=f"no field `{choice.wanted[0]}` among {names}",
                expected="one", remedies=[Remedy("name another", ((choice.option, "FIELD"),))],
            )  # fmt: skip
            return None, hidden
        renames[name] = choice.target if isinstance(choice.target, str) else choice.target(values[name])
        hidden |= {other for other in values if other != name and choice.is_replaced(other)}
    return renames, hidden - renames.keys()


def _members(text: str) -> list[Member] | None:
    """The members of an object; None for any other value."""
    try:
        if not isinstance(SCAN(text.strip())[0], dict):
            return None
    except (ValueError, RecursionError):
        return None
    members: list[Member] = []
    place = _skip(text, text.index("{") + 1, " \t\r\n")
    while text[place] != "}":
        start = _skip(text, place, " \t\r\n,")
        name, name_end = SCAN(text, start)
        value, end = SCAN(text, _skip(text, name_end, " \t\r\n:"))
        members.append(Member(name, value, start, name_end, end))
        place = _skip(text, end, " \t\r\n")
    return members


def _skip(text: str, place: int, signs: str) -> int:
    while text[place] in signs:
        place += 1
    return place


def _replace_names(text: str, members: Sequence[Member], renames: Mapping[str, str], hidden: Collection[str]) -> str:
    """The object with other names, in which members that are not read and the commas before them are blank."""
    parts: list[str] = []
    place, is_first = 0, True
    for number, member in enumerate(members):
        between = text[place : member.start]
        is_read = member.name not in hidden
        parts.append(between if number == 0 or (is_read and not is_first) else between.replace(",", " "))
        content = text[member.start : member.end]
        if not is_read:
            parts.append("".join(sign if sign.isspace() else " " for sign in content))
        elif member.name in renames:
            room = member.name_end - member.start
            parts.append(json.dumps(renames[member.name]).ljust(room) + text[member.name_end : member.end])
        else:
            parts.append(content)
        is_first = is_first and not is_read
        place = member.end
    return "".join(parts) + text[place:]
