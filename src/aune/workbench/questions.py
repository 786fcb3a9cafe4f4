"""What is asked of the annotations of a text until there is a key: questions that people answer."""

from __future__ import annotations

import msgspec

from aune.workbench.decisions import Decision
from aune.workbench.model import Part


class LabelChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What some annotators say of an extent."""

    label: str
    """The kind of the entity, or two kinds with a plus; '' for a mention of a chain."""
    layers: list[str]


class ExtentQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Is this a mention?"""

    about: str
    parts: list[Part]
    order: int
    choices: list[LabelChoice]
    without: list[str]
    """Those who do not have it."""
    worth: float


class TieQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Are these two chains of the key one entity?"""

    about: list[str]
    """An extent of each."""
    first: str
    second: str
    """The chains, the one that comes first in the text first."""
    together: list[str]
    apart: list[str]
    """Who ties mentions of the two, and who has mentions of both and does not."""
    worth: float


class ValueChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What some annotators say of a feature."""

    value: str
    layers: list[str]


class FeatureQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Which value has this feature of a mention of the key?"""

    about: str
    label: str
    feature: str
    parts: list[Part]
    order: int
    choices: list[ValueChoice]
    without: list[str]
    """Those who have the mention and give it none, though they give others one."""
    worth: float
    mention: str = ""
    """The mention of the key."""


class ChainQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """What is the name of this entity, which notes or which feature has it?"""

    about: list[str]
    """What is asked for, then an extent of the chain."""
    what: str
    chain: str
    """The chain of the key."""
    choices: list[ValueChoice]
    without: list[str]
    worth: float


class RelationQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Is there this relation between chains of the key?"""

    about: list[str]
    """Its kind, then an extent of the source and of each target."""
    kind: str
    source: str
    targets: list[str]
    """The chains of the key."""
    layers: list[str]
    without: list[str]
    worth: float


class Adjudication(msgspec.Struct, frozen=True, kw_only=True):
    """What is decided and what is not, the most important questions first."""

    mentions: list[ExtentQuestion]
    ties: list[TieQuestion]
    features: list[FeatureQuestion]
    chains: list[ChainQuestion]
    relations: list[RelationQuestion]
    open: dict[str, int]
    """How many questions of each kind there are."""
    decisions: list[Decision]
    agreed: int
    """Extents on which all agreed from the beginning."""
