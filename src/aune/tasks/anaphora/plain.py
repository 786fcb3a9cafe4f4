"""Anaphors as people hold them in Python, in one shape: texts with a name, and antecedents by anaphor.

Accepted on purpose: dicts from anaphors to antecedents, pairs, records (`{"anaphors": …}`), lists of these or dicts
from names to them, and rows of data frames (`anaphor`, `antecedent`, perhaps `document`). Whatever could mean two
things is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from aune.core.errors import UsageError
from aune.core.shapes import NAMES, are, grouped, is_doc, is_missing, listed, name_of, plain, quoted, refused

EXPECTED = "anaphors with antecedents, such as {'he': 'Ann', 'it': None} or [('he', 'Ann')]"
COLLECTIONS = (list, tuple, set, frozenset)


def texts(given: Any) -> list[tuple[str, Mapping[str, Any]]]:
    """Every text: its name, and a mapping whose `anaphors` are pairs of an anaphor and its antecedents."""
    given = plain(given)
    if isinstance(given, Mapping):
        return _of_mapping(given)
    items = listed(given, _refusal)
    if items and are(items, Mapping) and all({"anaphor", "antecedent"} <= set(item) for item in items):
        rows = grouped(items, NAMES, "document").items()
        return [(name, _record([(row["anaphor"], _there(row["antecedent"])) for row in own])) for name, own in rows]
    if items and (are(items, Mapping) or (are(items, list) and all(_are_pairs(item) and item for item in items))):
        numbered = enumerate(items, 1)
        return [(name_of(item, str(n)) if _has_record(item) else str(n), _text(item)) for n, item in numbered]
    return [("document", _text(items))]


def _refusal(given: Any) -> UsageError:
    return refused(given, EXPECTED, "a Doc has no anaphors" if is_doc(given) else "")


def _there(value: Any) -> Any:
    return None if is_missing(value) else value


def _has_record(given: Any) -> bool:
    return isinstance(given, Mapping) and "anaphors" in given


def _are_pairs(given: Any) -> bool:
    return isinstance(given, list | tuple) and all(isinstance(item, list | tuple) and len(item) == 2 for item in given)


def _of_mapping(given: Mapping[Any, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Texts by name, or the one text whose anaphors these are."""
    if not given or _has_record(given):
        return [("document", _text(given))]
    values = list(given.values())
    if all(isinstance(value, list | tuple) and not value for value in values):
        raise refused(given, EXPECTED, "write None for a mention that is not anaphoric, {} for a text without anaphors")
    if all(isinstance(value, Mapping) or _are_pairs(value) for value in values):
        return [(str(name), _text(value)) for name, value in given.items()]
    return [("document", _text(given))]


def _text(given: Any) -> Mapping[str, Any]:
    if _has_record(given):
        return {
            **given,
            "anaphors": _pairs(plain(given["anaphors"])),
            "chains": _chains(plain(given.get("chains", ()))),
        }
    return _record(given)


def _chains(given: Any) -> list[list[Any]]:
    """Chains of mentions, which stand beside the anaphors."""
    chains = [list(chain) if isinstance(chain, COLLECTIONS) else chain for chain in listed(given, _no_chains)]
    for chain in chains:
        if not isinstance(chain, list) or not all(map(_is_name, chain)):
            raise _no_chains(chain)
    return chains


def _no_chains(given: Any) -> UsageError:
    return refused(given, "chains as lists of mentions (names, numbers or (start, end)), such as [['Ann', 'she']]")


def _record(given: Any) -> Mapping[str, Any]:
    return {"anaphors": _pairs(given)}


def _pairs(given: Any) -> list[tuple[Any, Any]]:
    """Each anaphor with its antecedents, in pieces that have a name."""
    items = list(given.items()) if isinstance(given, Mapping) else listed(given, _refusal)
    for item in items:
        if not isinstance(item, list | tuple) or len(item) != 2:
            hint = "chains are given beside, {'anaphors': …, 'chains': …}" if isinstance(item, COLLECTIONS) else ""
            raise refused(items, EXPECTED, hint)
    return [(anaphor, _antecedents(anaphor, antecedents)) for anaphor, antecedents in items]


def _antecedents(anaphor: Any, given: Any) -> Any:
    """What an anaphor may refer to; a tuple of two numbers is a place if the anaphor is one."""
    if not _is_name(anaphor):
        raise refused(anaphor, f"an anaphor (a name, a number or (start, end)) among {EXPECTED}")
    if isinstance(given, tuple) and _is_place(given):
        if not isinstance(anaphor, tuple):
            hint = "write [0, 1] for two antecedents; give both as (start, end) for places"
            raise refused(given, f"antecedents of {quoted(anaphor)}", hint)
        return [given]
    several = list(given) if isinstance(given, COLLECTIONS) else [given]
    for one in several:
        if one is not None and not _is_name(one):
            raise refused(one, f"an antecedent of {quoted(anaphor)} (a name, a number or (start, end))", "")
    return several


def _is_name(given: Any) -> bool:
    return (isinstance(given, str | int | np.integer) and not isinstance(given, bool)) or _is_place(given)


def _is_place(given: Any) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and are(given, int, np.integer) and 0 <= given[0] < given[1]
