"""The activation resolver: mentions join the most active class they are compatible with.

Mentions are taken in the order of the text. The candidates of each are the classes with whose members it agrees well
enough on average, in gender, in number and in sense; if there are none it begins a class, otherwise it joins the most
active one. A class becomes more active with each of its mentions, names most, and less so as the text goes on.

Sense means, between a pronoun and any mention, the same person (first, second, third) and not a person against a thing;
between other mentions, the same head or a name in common. Unknown means compatible. Traits come from the file, or from
the closed-class words of the language. Compatibility is averaged over every member of a class, as in the paper.

The parameters are in `activation.toml`; `parameters` names a file of your own, and `values` changes some by name, such
as `kept=0.7,nominal=1`. Two of them are refinements of ours, off by default: `nominal` (a mention that is no pronoun is
compared in sense with the members that are none either, and needs one that it recognises) and `least` (classes that
have become less active than this have left the scene, for pronouns). `aune coref sweep` tries many. `off` switches
groups of rules off: gender, number, semantics, activation (then the class used last is chosen). See `aune coref
ablate`.

Source: Popescu-Belis 1999, §6.2; the numbers are ours.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib.resources import files
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.baselines import Baseline
from aune.baselines.coref._grouping import Language, regroup_mentions
from aune.contract.options import check_known
from aune.errors import UsageError
from aune.files import parse_toml, read_text
from aune.tasks.coref.mentions.lexicon import Traits
from aune.tasks.coref.mentions.traits import describe_mentions
from aune.tasks.coref.model import Document, token_spans

MOST_MENTIONS = 50_000
"""The limit for a document; the time grows with the square: 20,000 mentions take seconds."""
GROUPS = ("gender", "number", "semantics", "activation")
"""The groups of rules that can be switched off."""
TRAITS = {
    "gender": ("masculine", "feminine", "neuter"),
    "number": ("singular", "plural"),
    "person": ("first", "second", "third"),
    "being": ("person", "thing"),
}
CODES = {
    trait: {"": 0, **{value: number for number, value in enumerate(values, 1)}} for trait, values in TRAITS.items()
}
"""The codes of values; 0 is unknown."""


def respond(
    documents: Sequence[Document],
    *,
    language: Language = "auto",
    parameters: Annotated[str, "a TOML file of parameters instead of aune's own"] = "",
    values: Annotated[tuple[str, ...], "parameters by name, such as kept=0.7,nominal=1"] = (),
    off: Annotated[tuple[str, ...], "groups of rules switched off: gender, number, semantics, activation"] = (),
) -> list[Document]:
    """Mentions grouped by compatibility and activation."""
    check_known(off, GROUPS, "group of rules")
    settings = change_parameters(read_parameters(parameters), values)
    return [
        regroup_mentions(document, _resolve_document(document, language, settings, frozenset(off)))
        for document in documents
    ]


@dataclass(frozen=True)
class Parameters:
    """The parameters in `activation.toml`."""

    name: float
    noun: float
    pronoun: float
    other: float
    kept: float
    tokens: float
    least: float
    gender: float
    number: float
    semantics: float
    nominal: float


def change_parameters(parameters: Parameters, changes: Sequence[str]) -> Parameters:
    """The parameters with some of them replaced by name.

    >>> change_parameters(read_parameters(), ["kept=0.7"]).kept
    0.7
    """
    new_values = {}
    for change in changes:
        name, _, value = change.partition("=")
        check_known([name], [field.name for field in fields(Parameters)], "parameter of activation")
        try:
            new_values[name] = float(value)
        except ValueError:
            raise UsageError(f"--values {change}: expected a number, such as {name}=0.5") from None
    updated = replace(parameters, **new_values)
    if not all(value >= 0 for value in vars(updated).values()) or not 0 < updated.kept <= 1 or not updated.tokens > 0:
        raise UsageError(
            f"--values {','.join(changes)}: expected numbers from 0 on, `kept` in ]0, 1] and `tokens` above 0"
        )
    return updated


def read_parameters(path: str = "") -> Parameters:
    """The parameters in a file, with aune's own as defaults."""
    defaults = tomllib.loads(files("aune.baselines.coref").joinpath("activation.toml").read_text("utf-8"))
    user_tables: dict[str, Any] = {}
    if path:
        try:
            user_tables = parse_toml(read_text(path))
        except (OSError, ValueError) as error:
            raise UsageError(f"parameters {path}: expected a TOML file like activation.toml ({error})") from None
    check_known(user_tables, defaults, "table of parameters")
    flat = {**defaults["activation"], **defaults["compatibility"], **defaults["refinements"]}
    for table, values in user_tables.items():
        check_known(values, defaults[table], f"parameter of {table}")
        flat |= values
    if not all(isinstance(value, int | float) and value >= 0 for value in flat.values()) or not 0 < flat["kept"] <= 1:
        raise UsageError(f"parameters {path}: expected numbers from 0 on, and `kept` between 0 and 1")
    return Parameters(**{name: float(value) for name, value in flat.items()})


def _resolve_document(document: Document, language: str, parameters: Parameters, off: frozenset[str]) -> list[int]:
    if len(document) > MOST_MENTIONS:
        raise UsageError(
            f"document {document.id!r} has {len(document):,} mentions, expected at most {MOST_MENTIONS:,}: activation "
            "compares each with every class before it; part the document"
        )
    classes = _MentionClasses(len(document), parameters, off)
    return [classes.join_mention(mention) for mention in _mentions(document, language)]


def _mentions(document: Document, language: str) -> list[_Mention]:
    words = describe_mentions(document, language)
    places = token_spans(document)[:, 0].tolist()
    columns = zip(words.kinds, words.heads, words.texts, words.traits, places, strict=True)
    return [_Mention(*values) for values in columns]


# The resolver step by step.


class Candidate(NamedTuple):
    """A class as a candidate for a mention: their compatibility, and the activation of the class."""

    number: int
    size: int
    gender: float
    number_agreement: float
    sense: float
    """The shares of its members that agree in gender, in number and in sense; 1 if nothing is known."""
    activation: float
    compatible: bool


class Step(NamedTuple):
    """The decision of the resolver at one mention."""

    mention: int
    kind: str
    traits: Traits
    candidates: tuple[Candidate, ...]
    """The compatible classes, the most active first; then the most active of the others."""
    classes: int
    """The number of classes before the mention."""
    chosen: int
    new: bool


class ResolverWalk:
    """The resolver on its way through a document, forwards and backwards.

    Its choices are stored, so that going back only restores the mentions to their classes, without another search.
    """

    def __init__(
        self,
        document: Document,
        *,
        language: str = "auto",
        parameters: Parameters | None = None,
        off: Collection[str] = (),
    ) -> None:
        check_known(off, GROUPS, "group of rules")
        self._mentions = _mentions(document, language)
        self._parameters, self._off = parameters or read_parameters(), frozenset(off)
        self._chosen: list[int] = []
        self._restart()

    def steps(self, first: int = 0, last: int | None = None, shown: int = 20) -> Iterator[Step]:
        """The steps at a half-open range of mentions; each step contains `shown` classes."""
        self._go_to(first)
        for mention in self._mentions[first:last]:
            step = self._classes.step(self._place, mention, shown)
            if self._place == len(self._chosen):
                self._chosen.append(step.chosen)
            self._place += 1
            yield step

    def choices(self, count: int) -> list[int]:
        """The classes that the first mentions join."""
        if count > len(self._chosen):
            self._go_to(count)
        return self._chosen[:count]

    def _restart(self) -> None:
        self._classes, self._place = _MentionClasses(len(self._mentions), self._parameters, self._off), 0

    def _go_to(self, place: int) -> None:
        """Move to the position before a mention."""
        if place < self._place:
            self._restart()
        for mention in self._mentions[self._place : place]:
            if self._place < len(self._chosen):
                self._classes.restore_mention(mention, self._chosen[self._place])
            else:
                self._chosen.append(self._classes.join_mention(mention))
            self._place += 1


@dataclass(frozen=True)
class _Mention:
    kind: str
    head: str
    text: str
    traits: Traits
    place: int

    @property
    def is_pronoun(self) -> bool:
        return self.kind == "pronoun"

    def signs(self) -> set[str]:
        """The words by which other mentions recognise this one: its head, and the capitalised words of a name."""
        words = {self.head} if self.head else set()
        if self.kind == "name":
            words |= {word.lower() for word in self.text.split() if word[:1].isupper() and len(word) > 2}
        return words


@dataclass
class _MentionClasses:
    """The classes so far, as columns with space for one class per mention."""

    room: int
    parameters: Parameters
    off: frozenset[str]
    count: int = 0
    place: int = 0
    latest: int = 0
    """The number of mentions so far, by which classes store when they were last used."""
    sizes: NDArray[Any] = field(init=False)
    pronouns: NDArray[Any] = field(init=False)
    active: NDArray[Any] = field(init=False)
    used: NDArray[Any] = field(init=False)
    traits: dict[str, NDArray[Any]] = field(init=False)
    """The number of members with each gender and each number."""
    senses: dict[bool, NDArray[Any]] = field(init=False)
    """The number of members with each combination of person and being: of all, and of pronouns only (True)."""
    words: dict[str, dict[int, list[int]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    """For each word, the mentions of each class that the word recognises."""

    def __post_init__(self) -> None:
        self.sizes, self.pronouns = np.zeros(self.room), np.zeros(self.room)
        self.active, self.used = np.zeros(self.room), np.zeros(self.room)
        self.traits = {trait: np.zeros((self.room, len(CODES[trait]))) for trait in ("gender", "number")}
        shape = (self.room, len(CODES["person"]), len(CODES["being"]))
        self.senses = {pronouns: np.zeros(shape) for pronouns in (False, True)}

    def join_mention(self, mention: _Mention) -> int:
        """The class that a mention joins or begins."""
        self._decay(mention.place)
        candidates = self._candidates(mention)
        chosen = self._most_active(candidates) if len(candidates) else self._new_class()
        self._add_mention(mention, chosen)
        return chosen

    def restore_mention(self, mention: _Mention, number: int) -> None:
        """Make a mention join the class that it joined before."""
        self._decay(mention.place)
        self.count = max(self.count, number + 1)
        self._add_mention(mention, number)

    def step(self, index: int, mention: _Mention, shown: int) -> Step:
        """The decision at a mention, which then joins a class."""
        self._decay(mention.place)
        count, compatible = self.count, self._candidates(mention)
        is_compatible = np.zeros(count, bool)
        is_compatible[compatible] = True
        rank = self.used if "activation" in self.off else self.active
        order = np.lexsort((-self.used[:count], -rank[:count], ~is_compatible))[: max(shown, len(compatible))]
        candidates = [
            Candidate(
                class_number,
                int(self.sizes[class_number]),
                gender,
                number,
                sense,
                float(self.active[class_number]),
                bool(is_compatible[class_number]),
            )
            for class_number, gender, number, sense in zip(
                order.tolist(), *(share.tolist() for share in self._shares(mention, order)), strict=True
            )
        ]
        chosen = self._most_active(compatible) if len(compatible) else self._new_class()
        self._add_mention(mention, chosen)
        return Step(index, mention.kind, mention.traits, tuple(candidates), count, chosen, not len(compatible))

    def _shares(self, mention: _Mention, classes: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The shares of members of classes with which a mention agrees in gender, number and sense."""
        sense = self._sense_shares(mention)[classes]
        return self._agreement(classes, "gender", mention), self._agreement(classes, "number", mention), sense

    def _decay(self, place: int) -> None:
        """Reduce all activations as the text advances."""
        passed = max(place - self.place, 0)
        self.active[: self.count] *= self.parameters.kept ** (passed / self.parameters.tokens)
        self.place = max(place, self.place)

    def _candidates(self, mention: _Mention) -> NDArray[Any]:
        candidates = np.arange(self.count)
        if "semantics" not in self.off and self.parameters.nominal and not mention.is_pronoun:
            candidates = np.asarray(sorted(self._recognised_classes(mention)), np.int64)
        elif "semantics" not in self.off:
            candidates = np.flatnonzero(self._sense_shares(mention) >= self.parameters.semantics)
        for trait in self.traits:
            if trait not in self.off:
                candidates = candidates[self._agreement(candidates, trait, mention) >= getattr(self.parameters, trait)]
        if mention.is_pronoun and "activation" not in self.off:
            candidates = candidates[self.active[candidates] >= self.parameters.least]
        return candidates

    def _sense_shares(self, mention: _Mention) -> NDArray[Any]:
        """The share of the members of each class with which a mention agrees in sense.

        A pronoun agrees with members that do not differ in person and being, and so does any mention with a
        pronoun; two mentions that are not pronouns agree if they share a sign.
        """
        person, being = (CODES[trait][getattr(mention.traits, trait)] for trait in ("person", "being"))
        alike = self.senses[not mention.is_pronoun][: self.count]
        alike = alike[:, [0, person]] if person else alike
        alike = alike[:, :, [0, being]] if being else alike
        agreeing = alike.sum(axis=(1, 2))
        if not mention.is_pronoun:
            for number, members in self._members_sharing_signs(mention).items():
                agreeing[number] += members
        return np.asarray(agreeing / np.maximum(self.sizes[: self.count], 1))

    def _members_sharing_signs(self, mention: _Mention) -> dict[int, int]:
        """For each class, how many of its members share a sign with a mention."""
        known = [self.words[word] for word in mention.signs() if word in self.words]
        if len(known) == 1:
            return {number: len(members) for number, members in known[0].items()}
        members_by_class: dict[int, set[int]] = defaultdict(set)
        for classes in known:
            for number, members in classes.items():
                members_by_class[number].update(members)
        return {number: len(members) for number, members in members_by_class.items()}

    def _recognised_classes(self, mention: _Mention) -> set[int]:
        """The classes in which a mention that is no pronoun recognises enough members that are no pronouns either."""
        least = self.parameters.semantics
        return {
            number
            for number, members in self._members_sharing_signs(mention).items()
            if members >= least * (self.sizes[number] - self.pronouns[number])
        }

    def _agreement(self, classes: NDArray[Any], trait: str, mention: _Mention) -> NDArray[Any]:
        """The mean compatibility with the members of each class: the share without a different value."""
        code = CODES[trait][getattr(mention.traits, trait)]
        if not code:
            return np.ones(len(classes))
        share: NDArray[Any] = self.traits[trait][classes][:, [0, code]].sum(axis=1) / self.sizes[classes]
        return share

    def _most_active(self, candidates: NDArray[Any]) -> int:
        """The most active class; among equals, the last used one."""
        rank = self.used if "activation" in self.off else self.active
        order = np.lexsort((self.used[candidates], rank[candidates]))
        return int(candidates[order[-1]])

    def _new_class(self) -> int:
        self.count += 1
        return self.count - 1

    def _add_mention(self, mention: _Mention, number: int) -> None:
        self.sizes[number] += 1
        self.pronouns[number] += mention.is_pronoun
        boost = {"name": self.parameters.name, "noun": self.parameters.noun, "pronoun": self.parameters.pronoun}
        self.active[number] += boost.get(mention.kind, self.parameters.other)
        self.latest += 1
        self.used[number] = self.latest
        for trait, table in self.traits.items():
            table[number, CODES[trait][getattr(mention.traits, trait)]] += 1
        person, being = (CODES[trait][getattr(mention.traits, trait)] for trait in ("person", "being"))
        for pronouns in (False, True)[: 1 + mention.is_pronoun]:
            self.senses[pronouns][number, person, being] += 1
        if not mention.is_pronoun:
            for word in mention.signs():
                self.words[word][number].append(self.latest)


BASELINE = Baseline(respond, GROUPS, measures=("muc", "b_cubed", "core", "exclusive_core", "entropy"))
