"""Normalise anaphors given as Python objects to one form: named texts, with antecedents by anaphor.

Accepted inputs: dicts from anaphors to antecedents, pairs, records (`{"anaphors": …}`), lists of these or dicts
from names to them, and rows of data frames (`anaphor`, `antecedent`, optionally `document`). Ambiguous input is
refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from aune.contract.options import HiddenAtDefault
from aune.errors import UsageError
from aune.reading.python_inputs import (
    NAME_FIELDS,
    all_of_kind,
    as_list,
    group_rows,
    is_missing,
    is_spacy_doc,
    quote_value,
    record_name,
    refusal,
    to_plain,
)
from aune.syntax.field_roles import SUBJECTS, FieldChoice, choose_field, field_role

EXPECTED = "anaphors with antecedents, such as {'he': 'Ann', 'it': None} or [('he', 'Ann')]"
COLLECTIONS = (list, tuple, set, frozenset)
AntecedentField: TypeAlias = Annotated[
    tuple[str, ...], "the field or column with the antecedents; antecedents or antecedent if none is named",
    HiddenAtDefault,
]  # fmt: skip
ANTECEDENT_FIELDS = ("antecedents", "antecedent")


def choose_antecedent(names: Sequence[str], wanted: Sequence[str]) -> FieldChoice:
    """The field with the antecedents of one side, among the fields of an anaphor or the columns of a table.

    >>> choose_antecedent(["anaphor", "antecedent", "predicted"], ()).rivals
    ('antecedent', 'predicted')
    >>> choose_antecedent(["anaphor", "antecedent", "predicted"], ["predicted"]).name
    'predicted'
    """
    if wanted:
        return FieldChoice(next((name for name in wanted if name in names), None))
    return choose_field(names, ANTECEDENT_FIELDS, SUBJECTS["anaphora"])


def rival_lists(names: Sequence[str]) -> list[str]:
    """The fields of a text that contain anaphors of the key or of a response, in addition to `anaphors`."""
    return [name for name in names if field_role(name, SUBJECTS["anaphora"])]


def texts(data: Any, antecedent_field: Sequence[str] = ()) -> list[tuple[str, Mapping[str, Any]]]:
    """All texts: the name of each, and a mapping whose `anaphors` are pairs of an anaphor and its antecedents."""
    data = to_plain(data)
    if isinstance(data, Mapping):
        return _texts_of_mapping(data)
    items = as_list(data, _refusal)
    if items and all_of_kind(items, Mapping) and all("anaphor" in item for item in items):
        items = [_with_one_antecedent(item, antecedent_field) for item in items]
    if items and all_of_kind(items, Mapping) and all({"anaphor", "antecedent"} <= set(item) for item in items):
        rows = group_rows(items, NAME_FIELDS, "document").items()
        return [
            (name, _record([(row["anaphor"], _none_if_missing(row["antecedent"])) for row in text_rows]))
            for name, text_rows in rows
        ]
    if items and (
        all_of_kind(items, Mapping) or (all_of_kind(items, list) and all(_are_pairs(item) and item for item in items))
    ):
        numbered = enumerate(items, 1)
        return [(record_name(item, str(n)) if _has_record(item) else str(n), _text(item)) for n, item in numbered]
    return [("document", _text(items))]


def _with_one_antecedent(row: Mapping[str, Any], wanted: Sequence[str]) -> Mapping[str, Any]:
    """A row whose field `antecedent` contains the antecedent of the chosen side."""
    choice = choose_antecedent([str(name) for name in row], wanted)
    if choice.rivals:
        fields = " and ".join(map(repr, choice.rivals))
        remedy = choice.remedy("antecedent_field").for_python()
        raise UsageError(f"found {fields} of one anaphor, expected one of them: {remedy}")
    if choice.name is None and wanted:
        raise UsageError(f"found no field {wanted[0]!r} in a row, expected the antecedent there: name another")
    return row if choice.name is None else {**row, "antecedent": row[choice.name]}


def _refusal(value: Any) -> UsageError:
    return refusal(value, EXPECTED, "a Doc has no anaphors" if is_spacy_doc(value) else "")


def _none_if_missing(value: Any) -> Any:
    return None if is_missing(value) else value


def _has_record(value: Any) -> bool:
    return isinstance(value, Mapping) and "anaphors" in value


def _are_pairs(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, list | tuple) and len(item) == 2 for item in value)


def _texts_of_mapping(mapping: Mapping[Any, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Texts by name, or a single text given by its anaphors."""
    if not mapping or _has_record(mapping):
        return [("document", _text(mapping))]
    values = list(mapping.values())
    if all(isinstance(value, list | tuple) and not value for value in values):
        raise refusal(
            mapping, EXPECTED, "write None for a mention that is not anaphoric, {} for a text without anaphors"
        )
    if all(isinstance(value, Mapping) or _are_pairs(value) for value in values):
        return [(str(name), _text(value)) for name, value in mapping.items()]
    return [("document", _text(mapping))]


def _text(value: Any) -> Mapping[str, Any]:
    if _has_record(value):
        if rivals := rival_lists([str(name) for name in value]):
            raise UsageError(
                f"found 'anaphors' and {rivals[0]!r} in one text, expected those of one side: "
                f"give row['anaphors'] as the key and row[{rivals[0]!r}] as the response"
            )
        return {
            **value,
            "anaphors": _pairs(to_plain(value["anaphors"])),
            "chains": _chains(to_plain(value.get("chains", ()))),
        }
    return _record(value)


def _chains(value: Any) -> list[list[Any]]:
    """Chains of mentions, which are given in addition to the anaphors."""
    chains = [list(chain) if isinstance(chain, COLLECTIONS) else chain for chain in as_list(value, _chains_refusal)]
    for chain in chains:
        if not isinstance(chain, list) or not all(map(_is_name, chain)):
            raise _chains_refusal(chain)
    return chains


def _chains_refusal(value: Any) -> UsageError:
    return refusal(value, "chains as lists of mentions (names, numbers or (start, end)), such as [['Ann', 'she']]")


def _record(value: Any) -> Mapping[str, Any]:
    return {"anaphors": _pairs(value)}


def _pairs(value: Any) -> list[tuple[Any, Any]]:
    """Each anaphor with the list of its antecedents."""
    items = list(value.items()) if isinstance(value, Mapping) else as_list(value, _refusal)
    for item in items:
        if not isinstance(item, list | tuple) or len(item) != 2:
            hint = "chains are given beside, {'anaphors': …, 'chains': …}" if isinstance(item, COLLECTIONS) else ""
            raise refusal(items, EXPECTED, hint)
    return [(anaphor, _antecedents(anaphor, antecedents)) for anaphor, antecedents in items]


def _antecedents(anaphor: Any, value: Any) -> Any:
    """The antecedents of an anaphor; a tuple of two numbers is a position, provided that the anaphor is one too."""
    if not _is_name(anaphor):
        raise refusal(anaphor, f"an anaphor (a name, a number or (start, end)) among {EXPECTED}")
    if isinstance(value, tuple) and _is_place(value):
        if not isinstance(anaphor, tuple):
            hint = "write [0, 1] for two antecedents; give both as (start, end) for places"
            raise refusal(value, f"antecedents of {quote_value(anaphor)}", hint)
        return [value]
    antecedents = list(value) if isinstance(value, COLLECTIONS) else [value]
    for antecedent in antecedents:
        if antecedent is not None and not _is_name(antecedent):
            raise refusal(antecedent, f"an antecedent of {quote_value(anaphor)} (a name, a number or (start, end))", "")
    return antecedents


def _is_name(value: Any) -> bool:
    return (isinstance(value, str | int | np.integer) and not isinstance(value, bool)) or _is_place(value)


def _is_place(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and all_of_kind(value, int, np.integer)
        and 0 <= value[0] < value[1]
    )
