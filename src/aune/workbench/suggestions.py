"""Rank the likely chains of a mention by its words, by agreement and by recency.

Candidates for a mention m are the chains C with a mention among the last 150 before m (or the next 15 after m), and the
chains that share words with m. The score of C is the weighted sum of its features; the weights, windows and traits are
the data of `FORMULA`, which the page gets with a text, so that the editor ranks with the same numbers, at once and
without a network:

- called_so, for a pronoun: ln(1 + number of the same pronouns of C among the last 150 mentions);
- same_string, for others: 1 if a mention of C has the same string;
- same_words, for others if none has: the largest Dice coefficient between the words of a mention of C and those of m;
- recency: ln(1 + number of other chains mentioned since C was), of 150 if C was not;
- near: ln(1 + number of mentions of C among the last 150);
- agreement: Σ ln((same + 0.5) / (same + against + 0.5)) over the known traits of m among gender, number, person and
  being: same is how often mentions of C have the same value, against how often they have another;
- across: 1 if one of the last 150 mentions (or of the next 15) is of C and overlaps m, else 0.

The string of a mention is in lower case, with one blank between words. Its words are those with three or more letters
that are not determiners. Pronouns and traits come from the language's lexicon (`lexical` returns them as plain data);
the features of the mention take precedence.

A `Ranking` follows the state from version to version: a mention is analysed when it is annotated, not when suggestions
are requested.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import Any, NamedTuple, TypeAlias

from aune.tasks.coref.mentions.lexicon import Traits, language_of, lexicon
from aune.tasks.coref.mentions.traits import TRAIT_VALUES
from aune.workbench.model import EMPTY, Mention, State, Text, mention_text

WORD = re.compile(r"\w+")


class Formula(NamedTuple):
    """The formula of the ranking as plain data, for this module and for the page."""

    before: int
    after: int
    """How many mentions before and after a mention have chains that are candidates, whatever their words."""
    similar: int
    """How many mentions with a common word have chains that are candidates, the nearest first."""
    smoothing: float
    pronoun: Mapping[str, float]
    other: Mapping[str, float]
    """The weights of the features for pronouns and for other mentions."""
    reasons: Mapping[str, str]
    """What the features say to the annotator; `recency` where no words are shared."""
    traits: Mapping[str, Mapping[str, str]]
    """Per trait, in the order of `Traits`: what the first letter of a feature's value means."""
    rivals: Sequence[Sequence[str]]
    """Per trait: the values that exclude each other."""


_WEIGHTS = {"near": 0.3, "agreement": 0.45, "across": -2.0}
FORMULA = Formula(
    before=150,
    after=15,
    similar=300,
    smoothing=0.5,
    pronoun={"called_so": 0.8, "recency": -0.75, **_WEIGHTS},
    other={"same_string": 20.0, "same_words": 18.0, "recency": -0.95, **_WEIGHTS},
    reasons={
        "called_so": "called so", "same_string": "same string", "same_words": "shares words", "recency": "recent",
    },
    traits={**TRAIT_VALUES, "being": {}},
    rivals=(
        ("masculine", "feminine", "neuter"),
        ("singular", "plural"),
        ("first", "second", "third"),
        ("person", "thing"),
    ),
)  # fmt: skip

Place: TypeAlias = tuple[int, int, str]
"""The start of a mention, its negated end, and its id: places sort in text order."""


Likeness: TypeAlias = tuple[str, float]
"""The feature that makes a chain like a mention, and its value."""
NOTHING_ALIKE: Likeness = ("", 0.0)


class Lexical(NamedTuple):
    """The closed-class words of a language as plain data, which the page uses too."""

    pronouns: Mapping[str, Traits]
    words: Mapping[str, Traits]
    """Titles and nouns with a known gender, number or being."""
    determiners: frozenset[str]


def lexical(text: Text) -> Lexical:
    """The closed-class words of the language of a text."""
    words = lexicon(language_of([text.characters[start:end] for start, end in text.words()]))
    return Lexical(words.pronouns, {**words.nouns, **words.titles}, frozenset(words.determiners))


class MentionWording(NamedTuple):
    """The linguistic analysis of the words of a mention."""

    string: str
    words: frozenset[str]
    pronoun: bool
    traits: Traits


class Suggestion(NamedTuple):
    """A chain that a mention may belong to, with its score and the reason."""

    chain: str
    score: float
    why: str


def mention_wording(text: Text, mention: Mention, words: Lexical) -> MentionWording:
    """Analyse the words of a mention."""
    string = " ".join(mention_text(text, mention).lower().split())
    pronoun = string in words.pronouns or mention.is_zero
    tokens = WORD.findall(string)
    traits = _stated_traits(mention.features)
    if pronoun:
        traits = traits.completed_by(words.pronouns.get(string, Traits()))
    else:
        for word in tokens:
            traits = traits.completed_by(words.words.get(word, Traits()))
    content_words = () if pronoun else (word for word in tokens if len(word) > 2 and word not in words.determiners)
    return MentionWording(string, frozenset(content_words), pronoun, traits)


def _stated_traits(features: Mapping[str, str]) -> Traits:
    """The traits in the features of a mention, in any notation (Masc, m, masculine…)."""
    traits = {trait: values.get(features.get(trait, "")[:1].lower(), "") for trait, values in FORMULA.traits.items()}
    return Traits(**traits)


class Ranking:
    """An index of the mentions of a state by position and word, with the known traits of each chain."""

    def __init__(self, text: Text, state: State = EMPTY) -> None:
        self.text = text
        self.lexical = lexical(text)
        self.state = EMPTY
        self.wordings: dict[str, MentionWording] = {}
        self.places: list[Place] = []
        """The mentions in text order."""
        self.by_sign: dict[str, list[Place]] = defaultdict(list)
        """The mentions that contain a word, or that are equal to a string, in text order."""
        self.traits: dict[str, Counter[str]] = defaultdict(Counter)
        """How often the mentions of each chain have each trait."""
        self.update(state)

    def update(self, state: State) -> None:
        """Update to a new state; only changed mentions are analysed."""
        before = self.state.mentions
        gone = [name for name, mention in before.items() if state.mentions.get(name) is not mention]
        new = [name for name, mention in state.mentions.items() if before.get(name) is not mention]
        for name in gone:
            self._remove(name, before[name])
        at_once = len(new) > 100
        for name in new:
            self._add(name, state.mentions[name], at_once)
        if at_once:
            self.places.sort()
            for places in self.by_sign.values():
                places.sort()
        self.state = state

    def _add(self, name: str, mention: Mention, at_once: bool) -> None:
        wording = self.wordings[name] = mention_wording(self.text, mention, self.lexical)
        place = _place(name, mention)
        for places in (self.places, *(self.by_sign[sign] for sign in _index_keys(wording))):
            if at_once:
                places.append(place)
            else:
                insort(places, place)
        if mention.chain is not None:
            self.traits[mention.chain].update(filter(None, wording.traits))

    def _remove(self, name: str, mention: Mention) -> None:
        wording = self.wordings.pop(name)
        place = _place(name, mention)
        for places in (self.places, *(self.by_sign[sign] for sign in _index_keys(wording))):
            del places[bisect_left(places, place)]
        if mention.chain is not None:
            self.traits[mention.chain].subtract(filter(None, wording.traits))

    def chains(self, name: str, most: int = 9) -> list[Suggestion]:
        """The likely chains of a mention, best first."""
        mention, wording = self.state.mentions[name], self.wordings[name]
        here = bisect_left(self.places, _place(name, mention))
        since, near, across = self._around(here)
        weights = FORMULA.pronoun if wording.pronoun else FORMULA.other
        alike = (
            self._same_pronoun_chains(wording, here) if wording.pronoun else self._similar_chains(name, wording, here)
        )
        suggestions = []
        for chain in alike.keys() | since.keys():
            likeness, value = alike.get(chain, NOTHING_ALIKE)
            features = {
                likeness: value,
                "recency": log(1 + since.get(chain, FORMULA.before)),
                "near": log(1 + near[chain]),
                "agreement": self._agreement(wording.traits, chain),
                "across": float(chain in across),
            }
            score = sum(weights[feature] * value for feature, value in features.items() if feature)
            suggestions.append(Suggestion(chain, round(score, 6), FORMULA.reasons[likeness or "recency"]))
        return sorted(suggestions, key=lambda suggestion: (-suggestion.score, suggestion.chain))[:most]

    def _chain(self, name: str) -> str | None:
        return self.state.mentions[name].chain

    def _around(self, here: int) -> tuple[dict[str, int], Counter[str], set[str]]:
        """Per chain: how many others were mentioned since, how often it is near, and whether it overlaps a mention."""
        since: dict[str, int] = {}
        near: Counter[str] = Counter()
        across: set[str] = set()
        start, minus_end, _ = self.places[here]
        for _, minus, other in reversed(self.places[max(here - FORMULA.before, 0) : here]):
            if (chain := self._chain(other)) is not None:
                since.setdefault(chain, len(since))
                near[chain] += 1
                if -minus > start:
                    across.add(chain)
        for begins, _, other in self.places[here + 1 : here + 1 + FORMULA.after]:
            if (chain := self._chain(other)) is not None:
                since.setdefault(chain, len(since))
                if begins < -minus_end:
                    across.add(chain)
        return since, near, across

    def _same_pronoun_chains(self, wording: MentionWording, here: int) -> dict[str, Likeness]:
        """The chains that have the same pronoun nearby."""
        times = Counter(
            chain
            for _, _, other in self.places[max(here - FORMULA.before, 0) : here]
            if self.wordings[other].string == wording.string and (chain := self._chain(other)) is not None
        )
        return {chain: ("called_so", log(1 + count)) for chain, count in times.items()}

    def _similar_chains(self, name: str, wording: MentionWording, here: int) -> dict[str, Likeness]:
        """The chains that share words, or the whole string, with a mention."""
        chains: dict[str, Likeness] = {}
        for sign in _index_keys(wording):
            for other in self._nearest(sign, here):
                chain = self._chain(other)
                if other == name or chain is None or chains.get(chain, NOTHING_ALIKE)[0] == "same_string":
                    continue
                likeness = _likeness(wording, self.wordings[other])
                if likeness[0] == "same_string" or likeness[1] > chains.get(chain, NOTHING_ALIKE)[1]:
                    chains[chain] = likeness
        return chains

    def _nearest(self, sign: str, here: int) -> Iterator[str]:
        places = self.by_sign.get(sign, [])
        middle = bisect_left(places, self.places[here])
        for _, _, other in places[max(middle - FORMULA.similar, 0) : middle + FORMULA.after]:
            yield other

    def _agreement(self, traits: Traits, chain: str) -> float:
        """How well a mention agrees with a chain, as a logarithm; 0 if nothing speaks against it."""
        counts = self.traits[chain]
        total = 0.0
        for value, rivals in zip(traits, FORMULA.rivals, strict=True):
            if value:
                against = sum(counts[rival] for rival in rivals if rival != value)
                total += log((counts[value] + FORMULA.smoothing) / (counts[value] + against + FORMULA.smoothing))
        return total


def _likeness(first: MentionWording, second: MentionWording) -> Likeness:
    if first.string == second.string:
        return "same_string", 1.0
    shared = len(first.words & second.words)
    return ("same_words", 2 * shared / (len(first.words) + len(second.words))) if shared else NOTHING_ALIKE


def _index_keys(wording: MentionWording) -> list[str]:
    return [f"={wording.string}", *sorted(wording.words)]


def _place(name: str, mention: Mention) -> Place:
    return mention.start, -mention.end, name


def page_data(words: Lexical) -> dict[str, Any]:
    """The formula and the closed-class words for the page; traits are lists: gender, number, person, being."""
    return {
        "pronouns": {word: list(traits) for word, traits in words.pronouns.items()},
        "words": {word: list(traits) for word, traits in words.words.items()},
        "determiners": sorted(words.determiners),
        "formula": FORMULA._asdict(),
    }
