"""The labels of a corpus: types, their sub-types, components, and the costs of errors on them.

A typology is a TOML file. aune ships `quaero`, `muc6`, `conll2003` and `ontonotes`; any other is named by its path:

    name = "mine"

    [types]                          # sub-types of each type, "" for none; [] for a type without any
    pers = ["ind", "coll"]
    amount = []

    [components]                     # parts of entities; "any" may stand in entities of every type
    any = ["name", "kind"]
    pers = ["name.first", "name.last"]

    [weights.ser]                    # see aune explain entities.ser
    boundary = 0.25

    [weights.eter]                   # see aune explain entities.eter
    subtype = 0.1
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from aune.contract.measure import WEIGHT_RANGE
from aune.contract.options import NamesOrFiles, cache_while_unchanged, check_known, parse_named_numbers
from aune.errors import InputError, Problem, UsageError
from aune.files import parse_toml, read_text

SHIPPED_TYPOLOGIES = ("conll2003", "muc6", "ontonotes", "quaero")
TypologyName: TypeAlias = Annotated[
    str,
    "the labels: quaero, muc6, conll2003, ontonotes, or the path of a TOML file; none: whatever labels occur",
    NamesOrFiles(SHIPPED_TYPOLOGIES),
]
SECTIONS = ("name", "types", "components", "weights")
SER_WEIGHTS: Mapping[str, float] = {
    "type": 0.5, "subtype": 0.5, "boundary": 0.5, "type_boundary": 0.5, "subtype_boundary": 0.5,
    "omission": 1.0, "insertion": 1.0,
}  # fmt: skip
ETER_WEIGHTS: Mapping[str, float] = {
    "type": 0.5, "subtype": 0.25, "boundary": 0.25, "component_label": 0.5, "component_boundary": 0.25,
    "omission": 1.0, "insertion": 1.0,
}  # fmt: skip


@dataclass(frozen=True)
class Typology:
    """Labels and costs. The typology without a name accepts every label as a type."""

    name: str = ""
    labels: frozenset[str] = frozenset()
    """Types with each of their sub-types; alone if they have none, or if the file lists "" among them."""
    components: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For each component the types whose entities may contain it; empty for any type."""
    ser: Mapping[str, float] = field(default_factory=lambda: SER_WEIGHTS)
    eter: Mapping[str, float] = field(default_factory=lambda: ETER_WEIGHTS)

    def knows(self, label: str) -> bool:
        return not self.name or label in self.labels or label in self.components

    def completions(self, label: str) -> list[str]:
        """The full labels of which a label is only the beginning; none for a label that is complete."""
        if label in self.labels or label in self.components:
            return []
        return sorted(full for full in self.labels if full.startswith(f"{label}."))

    def allows(self, component: str, label: str) -> bool:
        """Whether a component may be directly inside an entity with this label."""
        homes = self.components.get(component, frozenset())
        return not homes or label.split(".", maxsplit=1)[0] in homes


def typology(name: str) -> Typology:
    """A shipped typology, or the one in a file.

    >>> sorted(typology("muc6").labels)
    ['DATE', 'LOCATION', 'MONEY', 'ORGANIZATION', 'PERCENT', 'PERSON', 'TIME']
    >>> typology("quaero").allows("name.first", "pers.ind"), typology("quaero").allows("name.first", "loc.fac")
    (True, False)
    """
    return _load_typology(name)


def missing_typology_note(labels: Collection[str]) -> str:
    """A note for users who compare these labels without a typology: some of them are no entities.

    >>> missing_typology_note(["pers.ind", "name.last", "kind"])[:58]
    'kind and name.last are components of the typology quaero, '
    >>> missing_typology_note(["name", "kind"])
    ''
    """
    if not any("." in label for label in labels):
        return ""
    known = typology("quaero")
    parts = [label for label in labels if label in known.components]
    if not parts or not any("." in label and label in known.labels for label in labels):
        return ""
    several = " and ".join(sorted(parts)[:2]) + " …" * (len(parts) > 2)
    return f"{several} are components of the typology quaero, counted as entities here: choose --typology quaero"


@cache_while_unchanged
def _load_typology(name: str) -> Typology:
    if not name:
        return Typology()
    from tomllib import TOMLDecodeError  # noqa: PLC0415 - most scores need no typology

    if name in SHIPPED_TYPOLOGIES:
        text = Path(__file__).with_name(f"{name}.toml").read_text("utf-8")
    elif not name.lower().endswith(".toml"):
        check_known([name], SHIPPED_TYPOLOGIES, "typology")
    else:
        text = _text(name)
    try:
        return _parse_typology(parse_toml(text), name)
    except TOMLDecodeError as error:
        raise InputError(
            [
                Problem.in_file(
                    "toml.malformed", name, 1, 1, found=str(error), expected="TOML", remedies=["mend the file"]
                )
            ]
        ) from None
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(
            [
                Problem.in_file(
                    "typology.malformed",
                    name,
                    1,
                    1,
                    found=str(error),
                    expected="a typology",
                    remedies=["see aune list options"],
                )
            ]
        ) from None


def _text(path: str) -> str:
    try:
        return read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            [
                Problem.in_file(
                    "file.unreadable", path, 1, 1, found=f"no readable typology ({error})", remedies=["check the path"]
                )
            ]
        ) from None


def _parse_typology(data: Mapping[str, Any], name: str) -> Typology:
    check_known(data, SECTIONS, f"section of the typology {name}")
    types = data.get("types", {})
    labels = {f"{kind}.{sub}".rstrip(".") for kind, subs in types.items() for sub in subs or [""]}
    homes: dict[str, set[str]] = {}
    for home, components in data.get("components", {}).items():
        check_known([home], ["any", *types], f"type in the typology {name}")
        for component in components:
            homes.setdefault(component, set())
            if home != "any":
                homes[component].add(home)
    weights = data.get("weights", {})
    check_known(weights, ("ser", "eter"), f"measure with weights in the typology {name}")
    return Typology(
        str(data.get("name", Path(name).stem)),
        frozenset(labels),
        {component: frozenset(allowed) for component, allowed in homes.items()},
        merge_weights(SER_WEIGHTS, weights.get("ser", {})),
        merge_weights(ETER_WEIGHTS, weights.get("eter", {})),
    )


def merge_weights(usual: Mapping[str, float], overrides: Mapping[str, Any]) -> Mapping[str, float]:
    """The default weights, replaced by those given, and the weights that follow from them.

    >>> merge_weights(SER_WEIGHTS, {"type": 0.5, "boundary": 0.25})["type_boundary"]
    0.75
    """
    check_known(overrides, usual, "weight")
    weights = {**usual, **{name: float(value) for name, value in overrides.items()}}
    for name, value in weights.items():
        if value not in WEIGHT_RANGE:
            raise UsageError(f"weight {name}={value}: expected {WEIGHT_RANGE}")
    if not any(weights.values()):
        raise UsageError("found weights that are all 0, expected one above 0: nothing would cost anything")
    if "subtype" not in overrides:
        weights["subtype"] = min(weights["subtype"], weights["type"])
    for label in ("type", "subtype"):
        combined = f"{label}_boundary"
        if combined in usual and combined not in overrides:
            weights[combined] = _combined_weight(weights, label, overrides)
    if weights["subtype"] > weights["type"]:
        raise UsageError(f"weight subtype={weights['subtype']}: expected at most what a wrong type costs")
    return weights


def _combined_weight(weights: Mapping[str, float], label: str, overrides: Mapping[str, Any]) -> float:
    """The default cost of a slot that is wrong in label and boundary.

    The sum of the two if both were given (eq. 4.4), but at most an omission and an insertion; otherwise the default,
    but never less than either of them.
    """
    highest = weights["omission"] + weights["insertion"]
    if "boundary" in overrides and ("type" in overrides or label in overrides):
        return min(weights[label] + weights["boundary"], highest)
    return max(weights[f"{label}_boundary"], weights[label], weights["boundary"])


def parse_weights(text: str) -> dict[str, float]:
    """`type=1,boundary=0.25` as numbers.

    >>> parse_weights("type=1,boundary=0.25")
    {'type': 1.0, 'boundary': 0.25}
    """
    try:
        return dict(parse_named_numbers(text))
    except ValueError:
        raise UsageError(f"weights {text!r}: expected such as type=0.5,boundary=0.25") from None
