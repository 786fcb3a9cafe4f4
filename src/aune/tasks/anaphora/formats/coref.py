"""Coref: anaphors drawn from a file of coreference chains, in any format of the coref task.

Pronouns are anaphors, and so is any other mention that is not the first of its chain under `anaphors:all`. The
antecedent is the closest mention of the chain before the anaphor, or any mention before it under `antecedents:all`. A
pronoun without a mention of its chain before it is not anaphoric. Which mentions are pronouns is said by the file, or
by the closed list of the language (`language:auto` takes the one whose function words the text uses).

Candidates are the mentions before the anaphor in its sentence and in the two sentences before (`window`), or the ten
mentions before it in a file without sentences, except those that contain it. The attributes are `pronoun` (its word),
`gender`, `number` and `distance`, in sentences to the closest antecedent.

>>> from aune.reading.corpus import Source
>>> text = '{"sentences": [["Ann", "saw", "herself", "."]], "clusters": [[[0, 0], [2, 2]]]}'
>>> [found] = read(Source("a.jsonl", text.encode()))
>>> [(one.mention, one.antecedents, one.attributes["gender"]) for one in found.anaphors]
[('2', ('0',), 'feminine')]
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Annotated, Literal

from aune.contract import registry
from aune.contract.format import Format
from aune.contract.options import HiddenAtDefault, Range, options_of
from aune.errors import InputError, UsageError
from aune.numeric.grouping import group_items
from aune.reading.recognition import recognise_format
from aune.reading.source import Source
from aune.tasks.anaphora.formats import gap, jsonlines, pairs
from aune.tasks.anaphora.model import Anaphor, Candidate, Document, make_document, span_name
from aune.tasks.coref.mentions.lexicon import Traits
from aune.tasks.coref.mentions.traits import MentionDescriptions, describe_mentions
from aune.tasks.coref.model import Document as Chains
from aune.tasks.coref.model import token_spans

MAX_CANDIDATES = 10  # candidates in a text without sentences


def read(
    source: Source,
    *,
    antecedents: Annotated[Literal["closest", "all"], "which mentions of a chain are antecedents"] = "closest",
    anaphors: Annotated[Literal["pronouns", "all"], "which mentions are anaphors, besides the pronouns"] = "pronouns",
    language: Annotated[Literal["auto", "english", "french"], "whose pronouns"] = "auto",
    window: Annotated[int, "how many sentences before the anaphor's own have candidates", Range(0)] = 2,
    chains_format: Annotated[str, "the coref format of the file, when it should not be recognised"] = "auto",
    clusters_field: Annotated[
        str,
        "the field of a record with the chains; auto: clusters, or predicted_clusters where it is alone",
        HiddenAtDefault,
    ] = "auto",
) -> Iterator[Document]:
    """The anaphors of each document."""
    task = registry.task("coref")
    form = recognise_format(task, source) if chains_format == "auto" else registry.format("coref", chains_format)
    if form is None:
        return
    try:
        documents = list(form.read(source, **_chain_options(form, clusters_field)))
    except InputError as error:
        source.problems.extend(error.problems)
        return
    repeated = 0
    for document in documents:
        names = [span_name(start, end) for start, end in token_spans(document).tolist()]
        repeated += len(names) - len(set(names))
        yield _document_from_chains(document, names, antecedents, anaphors, language, window)
    if repeated:
        source.warn(f"{repeated} repeated mentions kept only in the chain opened first")


def _chain_options(form: Format, clusters_field: str) -> dict[str, str]:
    """The options of the format of chains, which are refused where it has none."""
    if clusters_field == "auto":
        return {}
    if "clusters_field" not in options_of(form.read):
        raise UsageError(f"--clusters-field {clusters_field}: chains in {form.name} have no such field")
    return {"clusters_field": clusters_field}


def _document_from_chains(
    source_document: Chains, names: list[str], antecedents: str, anaphors: str, language: str, window: int
) -> Document:
    words = describe_mentions(source_document, language)
    text = _Mentions(source_document, names, words, window)
    results = []
    for index in text.mentions:
        pronoun = words.kinds[index] == "pronoun"
        closest = text.closest(index)
        if pronoun or (anaphors == "all" and closest is not None):
            antecedent_indices = text.before(index, 1 if antecedents == "closest" else None)
            results.append(
                Anaphor(
                    names[index],
                    tuple(names[other] for other in antecedent_indices),
                    text.candidates(index),
                    text.attributes(index, closest),
                    int(source_document.lines[index]) if source_document.lines is not None else source_document.line,
                )
            )
    chains = group_items((int(source_document.chains[index]), names[index]) for index in text.mentions)
    return make_document(
        source_document.id,
        results,
        chains=list(chains.values()),
        kinds={names[index]: words.kinds[index] for index in text.mentions},
        texts={names[index]: words.texts[index] for index in text.mentions if words.texts[index]},
        attributes=source_document.attributes,
        path=source_document.path,
        line=source_document.line,
    )


class _Mentions:
    """The mentions of a document in order, each span once."""

    def __init__(self, document: Chains, names: list[str], words: MentionDescriptions, window: int) -> None:
        self.names, self.words, self.window = names, words, window
        self.chains = document.chains.tolist()
        self.spans = token_spans(document).tolist()
        starts = list(document.sentences) if document.sentences is not None else []
        self.sentences = [bisect_right(starts, start) for start, _ in self.spans] if starts else []
        opened = document.order.tolist() if document.order is not None else list(range(len(names)))
        first: dict[str, int] = {}
        for index in sorted(range(len(names)), key=opened.__getitem__):
            first.setdefault(names[index], index)
        self.mentions = sorted(first.values())
        self.by_chain = group_items((self.chains[index], index) for index in self.mentions)
        self.place = {index: place for place, index in enumerate(self.mentions)}
        self.candidate = [
            [Candidate(name, agrees, text) for agrees in (False, True)]
            for name, text in zip(names, words.texts, strict=True)
        ]

    def before(self, index: int, most: int | None = None) -> list[int]:
        """The mentions of the chain before this one: all of them, or so many of the last."""
        chain = self.by_chain[self.chains[index]]
        end = bisect_left(chain, index)
        return chain[0 if most is None else max(end - most, 0) : end]

    def closest(self, index: int) -> int | None:
        return next(iter(self.before(index, 1)), None)

    def candidates(self, index: int) -> tuple[Candidate, ...]:
        (start, end), traits = self.spans[index], self.words.traits
        candidates: list[Candidate] = []
        for place in range(self.place[index] - 1, -1, -1):
            other = self.mentions[place]
            if (
                self.sentence_distance(index, other) > self.window
                if self.sentences
                else len(candidates) >= MAX_CANDIDATES
            ):
                break
            if not (self.spans[other][0] <= start and end <= self.spans[other][1]):
                candidates.append(self.candidate[other][can_agree(traits[index], traits[other])])
        return tuple(reversed(candidates))

    def sentence_distance(self, index: int, other: int) -> int:
        """How many sentences lie between two mentions."""
        return self.sentences[index] - self.sentences[other]

    def attributes(self, index: int, closest: int | None) -> dict[str, str]:
        traits = self.words.traits[index]
        attributes = {"pronoun": self.words.texts[index].lower(), "gender": traits.gender, "number": traits.number}
        if closest is not None and self.sentences:
            distance = self.sentence_distance(index, closest)
            attributes["distance"] = str(distance) if distance < 3 else "3+"
        return attributes


def can_agree(first: Traits, second: Traits) -> bool:
    """Whether two mentions can agree in gender and number; what is unknown agrees with everything."""
    same_gender = not first.gender or not second.gender or first.gender == second.gender
    return same_gender and (not first.number or not second.number or first.number == second.number)


def sniff(head: str) -> bool:
    """Whether a format of the coref task knows the file, and no other format of this one."""
    is_own = any(form.sniff(head) for form in (gap, jsonlines, pairs))
    return not is_own and any(form.sniff(head) for form in registry.formats("coref"))


FORMAT = Format(read, sniff)
