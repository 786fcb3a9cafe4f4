"""The questions that people answer to make a key from several annotations."""

from __future__ import annotations

import msgspec

from aune.workbench.decisions import Decision
from aune.workbench.model import Part


class LabelChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A label of an extent, and the annotators who chose it."""

    label: str
    """The type of an entity, or two types joined by a plus; for a pronoun with antecedents `pronoun → EXTENTS`;
    '' for a mention of a chain."""
    layers: list[str]


class ExtentQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Is this a mention?"""

    about: str
    parts: list[Part]
    order: int
    choices: list[LabelChoice]
    without: list[str]
    """The annotators who did not mark the extent."""
    worth: float


class TieQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Are these two chains of the key one entity?"""

    about: list[str]
    """An extent of each chain."""
    first: str
    second: str
    """The two chains, in text order."""
    together: list[str]
    apart: list[str]
    """The annotators who join mentions of the two, and those who have mentions of both but do not join them."""
    worth: float


class ValueChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A value of a feature or an attribute, and the annotators who gave it."""

    value: str
    layers: list[str]


class FeatureQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Which value of this feature does a mention of the key have?"""

    about: str
    label: str
    feature: str
    parts: list[Part]
    order: int
    choices: list[ValueChoice]
    without: list[str]
    """The annotators who have the mention and use the feature elsewhere, but not here."""
    worth: float
    mention: str = ""
    """The mention of the key."""


class ChainQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """What is the name of this entity, or what are its notes or its value of a feature?"""

    about: list[str]
    """The attribute in question, then an extent of the chain."""
    what: str
    chain: str
    """The chain of the key."""
    choices: list[ValueChoice]
    without: list[str]
    worth: float


class RelationQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Is there this relation between chains of the key?"""

    about: list[str]
    """The kind of relation, then an extent of the source and of each target."""
    kind: str
    source: str
    targets: list[str]
    """The chains of the key."""
    layers: list[str]
    without: list[str]
    worth: float


class Adjudication(msgspec.Struct, frozen=True, kw_only=True):
    """The decisions that were made, and the open questions, the most important first."""

    mentions: list[ExtentQuestion]
    ties: list[TieQuestion]
    features: list[FeatureQuestion]
    chains: list[ChainQuestion]
    relations: list[RelationQuestion]
    open: dict[str, int]
    """The number of open questions of each kind."""
    decisions: list[Decision]
    agreed: int
    """The number of extents on which all annotators agreed from the beginning."""
