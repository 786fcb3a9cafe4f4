"""Schemas: the available types, features and relations, and how types may nest.

A schema is a JSON file that people can read and edit. A project has one for each task. If it has none, the schema is
made from the typology or the tagset of a text, or from the fixed labels of anaphora.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Literal

import msgspec

from aune.errors import UsageError
from aune.tasks.tagging.grace.tagset import tagset
from aune.typologies.typology import SHIPPED_TYPOLOGIES, typology
from aune.workbench.anaphora import ANAPHORS, ANTECEDENT, LABELS
from aune.workbench.model import Mention, State, Text, in_text_order, mention_text
from aune.workbench.spans import RuleViolation, rule_violations
from aune.workbench.tagging import JOINER

SHIPPED_TAGSETS = ("upos", "grace")
LABEL_SETS: Mapping[str, tuple[str, ...]] = {"entities": SHIPPED_TYPOLOGIES, "tagging": SHIPPED_TAGSETS}
"""The ready-made label sets that a text can be opened with, by task."""
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
COMMAND_KEYS = "jknpfmetzdvsgbyliuUoarAcxwJS|?/+"
"""Keys with a command on the annotation page, which cannot be assigned to a type."""
MAX_TYPES, MAX_NAME = 2_000, 100
MAX_CLOSED = 20  # distinct values of a feature that is inferred to be closed


class LabelType(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A type of entity, a tag, or a kind of pronoun."""

    name: str
    colour: str = ""
    """For example #cc6600; '' if the page chooses a colour."""
    key: str = ""
    """The key that selects the type, in addition to its rank."""
    help: str = ""
    inside: tuple[str, ...] | None = None
    """The types of which one must enclose it: an empty list means any type, null that it needs no enclosing type."""


class FeatureRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A feature of mentions, and its values."""

    name: str
    kind: Literal["closed", "text", "number"] = "text"
    values: tuple[str, ...] = ()
    """The allowed values of a closed feature."""
    types: tuple[str, ...] = ()
    """The types that have the feature; empty means all."""
    help: str = ""


class RelationRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A relation, which goes from a source to its targets."""

    name: str
    sources: tuple[str, ...] = ()
    """The allowed types of the source; empty means all."""
    targets: tuple[str, ...] = ()
    """The allowed types of the targets; empty means all."""
    is_symmetric: bool = msgspec.field(default=False, name="symmetric")
    """Whether its direction has no meaning."""
    help: str = ""


class Schema(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The types, features and relations that an annotation may contain."""

    name: str = ""
    types: tuple[LabelType, ...] = ()
    features: tuple[FeatureRule, ...] = ()
    relations: tuple[RelationRule, ...] = ()
    nesting: Literal["free", "nested", "flat"] = "free"
    """Whether mentions may cross, may only be nested, or may not overlap."""
    is_closed: bool = msgspec.field(default=True, name="closed")
    """Whether types outside the schema are errors."""


OPEN = Schema(is_closed=False)
"""The schema of a text without any label set."""


def parse_schema(data: bytes | str) -> Schema:
    """A schema parsed from its file; raises `UsageError` with its problems if it is invalid."""
    try:
        schema = msgspec.json.decode(data, type=Schema)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise UsageError(f"The schema cannot be read: {error}") from None
    if problems := list(schema_problems(schema)):
        raise UsageError("; ".join(problems[:10]))
    return schema


def write_schema(schema: Schema) -> bytes:
    """A schema as an indented JSON file."""
    encoded = msgspec.json.encode(schema)
    return msgspec.json.format(encoded, indent=2) + b"\n"


def schema_problems(schema: Schema) -> Iterator[str]:
    """The problems of a schema itself."""
    known = {label_type.name for label_type in schema.types}
    yield from _name_problems("type", [label_type.name for label_type in schema.types])
    yield from _name_problems("feature", [feature.name for feature in schema.features])
    yield from _name_problems("relation", [relation.name for relation in schema.relations])
    keys = [label_type.key for label_type in schema.types if label_type.key]
    for label_type in schema.types:
        if label_type.colour and not COLOUR.fullmatch(label_type.colour):
            yield f"{label_type.name}: found the colour {label_type.colour[:20]!r}, expected one such as #cc6600"
        if len(label_type.key) > 1 or label_type.key.isspace() or (label_type.key and label_type.key in COMMAND_KEYS):
            yield f"{label_type.name}: found the key {label_type.key[:20]!r}, expected one that does nothing else"
        if keys.count(label_type.key) > 1:
            yield f"{label_type.name}: found the key {label_type.key!r}, which another type has too"
        yield from _unknown_types(label_type.name, label_type.inside or (), known)
    for feature in schema.features:
        if (feature.kind == "closed") != bool(feature.values):
            yield f"{feature.name}: found {len(feature.values)} values of a feature that is {feature.kind}"
        yield from _unknown_types(feature.name, feature.types, known)
    for relation in schema.relations:
        yield from _unknown_types(relation.name, (*relation.sources, *relation.targets), known)


def _name_problems(kind: str, names: Sequence[str]) -> Iterator[str]:
    if len(names) > MAX_TYPES:
        yield f"found {len(names)} names of a {kind}, expected at most {MAX_TYPES}"
        return
    for name in dict.fromkeys(names):
        if not name.strip() or name != name.strip() or len(name) > MAX_NAME or "\n" in name:
            yield f"found the {kind} {name[:MAX_NAME]!r}, expected a name of 1 to {MAX_NAME} characters in one line"
        elif names.count(name) > 1:
            yield f"found the {kind} {name!r} twice, expected it once"


def _unknown_types(where: str, names: Collection[str], known: Collection[str]) -> Iterator[str]:
    for name in names:
        if name not in known:
            yield f"{where}: found the type {name!r}, which the schema does not have"


@cache
def ready_made_schema(task: str, name: str = "") -> Schema:
    """A typology or a tagset as a schema, or the fixed schema of anaphora."""
    if task == "anaphora":
        return Schema(
            name="anaphora",
            types=tuple(LabelType(name=label, help=text) for label, text in LABELS.items()),
            relations=(RelationRule(name=ANTECEDENT, sources=ANAPHORS[:1], help="what the pronoun refers to"),),
        )
    if name not in LABEL_SETS.get(task, ()):
        return OPEN
    return _tagset_schema(name) if task == "tagging" else _typology_schema(name)


def _tagset_schema(name: str) -> Schema:
    known = tagset(name)
    return Schema(name=name, types=tuple(LabelType(name=tag, help=known.explain_tag(tag)) for tag in known.tags))


def _typology_schema(name: str) -> Schema:
    known = typology(name)
    labels = sorted(known.labels)
    homes = {
        component: tuple(label for label in labels if families and known.allows(component, label))
        for component, families in sorted(known.components.items())
    }
    components = tuple(LabelType(name=component, inside=inside) for component, inside in homes.items())
    return Schema(name=name, types=(*(LabelType(name=label) for label in labels), *components), nesting="nested")


def schema_violations(text: Text, state: State, schema: Schema) -> list[RuleViolation]:
    """The violations of a schema in an annotation, in text order."""
    violations = [
        *_type_violations(text, state, schema),
        *_feature_violations(state, schema),
        *_relation_violations(text, state, schema),
        *(_nesting_violations(text, state, schema)),
    ]
    return sorted(violations, key=lambda violation: (violation.start, -violation.end, violation.mention))


def schema_in_use(states: Sequence[State]) -> Schema:
    """The types, features and relations that annotations use, the most frequent first."""
    labels = Counter(mention.label for state in states for mention in state.mentions.values() if mention.label)
    values: dict[str, Counter[str]] = {}
    for state in states:
        for mention in state.mentions.values():
            for feature, value in mention.features.items():
                values.setdefault(feature, Counter())[value] += 1
    relations = Counter(relation.kind for state in states for relation in state.relations.values())
    return Schema(
        types=tuple(LabelType(name=label) for label, _ in labels.most_common(MAX_TYPES)),
        features=tuple(_feature_in_use(name, values[name]) for name in sorted(values)),
        relations=tuple(RelationRule(name=kind) for kind, _ in relations.most_common(MAX_TYPES)),
    )


def _feature_in_use(name: str, values: Counter[str]) -> FeatureRule:
    """A feature rule inferred from use: closed if there are few values and some occur repeatedly."""
    if len(values) <= MAX_CLOSED and values.total() > len(values):
        return FeatureRule(name=name, kind="closed", values=tuple(value for value, _ in values.most_common()))
    return FeatureRule(name=name)


def violations_of(text: Text, state: State, schema: Schema | None) -> list[RuleViolation]:
    """The violations of the project's schema; without one, of the typology or the tagset of the text."""
    if schema is None and text.task == "entities":
        return rule_violations(text, state)
    return schema_violations(text, state, schema or ready_made_schema(text.task, text.typology))


def _violation(state: State, name: str, message: str) -> RuleViolation:
    mention = state.mentions[name]
    return RuleViolation(mention=name, start=mention.start, end=mention.end, message=message, severity="error")


def _type_violations(text: Text, state: State, schema: Schema) -> Iterator[RuleViolation]:
    """Types that are not in the schema, with the type that was probably meant."""
    if text.has_chains or not schema.is_closed:
        return
    known = {label_type.name for label_type in schema.types}
    messages: dict[str, str] = {}
    for name, mention in state.mentions.items():
        label = mention.label
        if label not in known and not _is_amalgam(text, label, known):
            if label not in messages:
                meant = get_close_matches(label, known, 1)
                hint = f": perhaps {meant[0]!r} is meant" if meant else ""
                messages[label] = f"found the type {label!r}, which the schema does not have{hint}"
            yield _violation(state, name, messages[label])


def _is_amalgam(text: Text, label: str, known: Collection[str]) -> bool:
    """Whether a label joins the tags of several words that share a token."""
    return text.task == "tagging" and JOINER in label and all(part in known for part in label.split(JOINER))


def _feature_violations(state: State, schema: Schema) -> Iterator[RuleViolation]:
    rules = {feature.name: feature for feature in schema.features}
    for name, mention in state.mentions.items():
        for feature, value in mention.features.items():
            rule = rules.get(feature)
            if rule is not None and (message := _value_problem(mention, rule, value)):
                yield _violation(state, name, message)


def _value_problem(mention: Mention, rule: FeatureRule, value: str) -> str:
    """The problem of a feature value; '' if it is valid."""
    if rule.types and mention.label not in rule.types:
        return f"found the feature {rule.name!r}, which {mention.label!r} does not have"
    if rule.kind == "closed" and value not in rule.values:
        return f"found {rule.name} {value!r}, expected one of {', '.join(rule.values)}"
    if rule.kind == "number" and not re.fullmatch(r"[-+]?\d+(?:[.,]\d+)?", value.strip()):
        return f"found {rule.name} {value!r}, expected a number"
    return ""


def _relation_violations(text: Text, state: State, schema: Schema) -> Iterator[RuleViolation]:
    """Relations that are not in the schema, and relations between types that it does not allow."""
    rules = {relation.name: relation for relation in schema.relations}
    if text.has_chains or not rules:
        return
    for relation in state.relations.values():
        rule = rules.get(relation.kind)
        if rule is None:
            yield _violation(
                state, relation.source, f"found the relation {relation.kind!r}, which the schema does not have"
            )
            continue
        ends = [(relation.source, rule.sources), *((target, rule.targets) for target in relation.targets)]
        for name, allowed in ends:
            if allowed and state.mentions[name].label not in allowed:
                yield _violation(
                    state,
                    relation.source,
                    f"found {state.mentions[name].label!r} in the relation {relation.kind!r}, "
                    f"expected {' or '.join(allowed)}",
                )


def _nesting_violations(text: Text, state: State, schema: Schema) -> Iterator[RuleViolation]:
    """Types outside the types that must enclose them, and mentions that overlap or cross against the rules."""
    inside = {label_type.name: label_type.inside for label_type in schema.types}
    if schema.nesting == "free" and not any(types is not None for types in inside.values()):
        return
    around: list[str] = []
    for name in in_text_order(state.mentions):
        mention = state.mentions[name]
        around = [other for other in around if state.mentions[other].end > mention.start]
        enclosing = [other for other in around if state.mentions[other].end >= mention.end]
        same = [other for other in enclosing if state.mentions[other].parts == mention.parts]
        if schema.nesting != "free" and (crossed := next((other for other in around if other not in enclosing), None)):
            yield _violation(state, name, f"crosses {mention_text(text, state.mentions[crossed])!r}")
        elif schema.nesting == "flat" and (other := next((item for item in enclosing if item not in same), None)):
            yield _violation(state, name, f"lies inside {mention_text(text, state.mentions[other])!r}")
        allowed = inside.get(mention.label)
        labels = {state.mentions[other].label for other in enclosing}
        if allowed is not None and not (labels & set(allowed) if allowed else labels):
            expected = " or ".join(allowed) if allowed else "another type"
            yield _violation(state, name, f"{mention.label!r} stands alone, expected it inside {expected}")
        around.append(name)
