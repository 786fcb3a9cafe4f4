"""The tables of docs/any-output.md, from the real answers in ../shared/data: run it to write them again."""

from __future__ import annotations

import json
import os
import random
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from aune import evaluate, score
from aune.contract import registry
from aune.reading.corpus import read
from aune.tasks.entities.model import Document, Span, StringEntity, make_document

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("AUNE_DATA", ROOT.parent / "shared" / "data"))
PAGE = ROOT / "docs" / "any-output.md"
SYSTEMS = ("arcada", "drexel_cci", "flytxt", "mic-cis", "sjtu_adapt", "spinningbytes", "uh_ritual")
CZECH = {
    "qwen2.5-72b": "qwen2.5-72b (train2, English prompt)",
    "qwen2.5-14b": "qwen2.5-14b (train, English prompt)",
    "llama3.1-70b": "llama3.1-70b (English prompt)",
    "deepseek-r1-70b": "deepseek-r1-70b (test2, not cleaned)",
    "deepseek-r1-70b, Czech prompt": "deepseek-r1-70b (Czech prompt)",
}
BIODIVERSITY = ("gpt-4o-2024-05-13", "gpt-4o-mini", "Meta-Llama-3.1-70B-Instruct", "Meta-Llama-3.1-405B-Instruct")
AUTHORS = {  # TP, FP, FN of the authors' own parser, in the README beside the answers
    "gpt-4o-2024-05-13": (418, 573, 864), "gpt-4o-mini": (411, 651, 871),
    "Meta-Llama-3.1-70B-Instruct": (451, 638, 831), "Meta-Llama-3.1-405B-Instruct": (472, 721, 810),
}  # fmt: skip
Item = tuple[str, str]


class Sentence(NamedTuple):
    """A sentence with the entities of the key, and those of a response as strings."""

    words: list[str]
    key: list[Span]
    given: list[Item]

    def places(self, string: str) -> list[tuple[int, int]]:
        size = len(string.split(" "))
        return [(at, at + size) for at in range(len(self.words)) if " ".join(self.words[at : at + size]) == string]


# What papers do, each in a line: from a sentence to (correct, given, expected).


def strings_as_a_set(it: Sentence) -> tuple[int, int, int]:
    actual, expected = set(it.given), {(" ".join(it.words[s.start : s.end]), s.label) for s in it.key}
    return len(actual & expected), len(actual), len(expected)


def strings_as_a_multiset(it: Sentence) -> tuple[int, int, int]:
    counts, expected = Counter(it.given), Counter((" ".join(it.words[s.start : s.end]), s.label) for s in it.key)
    return sum((counts & expected).values()), sum(counts.values()), sum(expected.values())


def _place_items(it: Sentence, spans: set[tuple[int, int, str]]) -> tuple[int, int, int]:
    expected = {(span.start, span.end, span.label) for span in it.key}
    return len(spans & expected), len(spans), len(expected)


def first_place_or_dropped(it: Sentence) -> tuple[int, int, int]:
    return _place_items(it, {(*places[0], label) for string, label in it.given if (places := it.places(string))})


def every_place_or_dropped(it: Sentence) -> tuple[int, int, int]:
    return _place_items(it, {(*place, label) for string, label in it.given for place in it.places(string)})


PRACTICES: dict[str, Callable[[Sentence], tuple[int, int, int]]] = {
    "strings as a set, places ignored": strings_as_a_set,
    "strings as a multiset, places ignored": strings_as_a_multiset,
    "first place; not found: dropped": first_place_or_dropped,
    "every place; not found: dropped": every_place_or_dropped,
}
POLICIES = {
    "aune: in order; not found: wrong": {},
    "aune: in order; not found: ignored": {"unplaced": "ignore"},
    "aune: first place; not found: wrong": {"place": "first"},
    "aune: every place; not found: wrong": {"place": "all"},
}


def sentences(system: str) -> list[Sentence]:
    """The sentences of WNUT-17 with what a system found, as strings."""
    keys = (key for _, key in marked_sentences("gold"))
    return [
        Sentence(words, key, [(" ".join(words[s.start : s.end]), s.label) for s in response])
        for key, (words, response) in zip(keys, marked_sentences(system), strict=True)
    ]


@cache
def wnut(name: str) -> Document:
    [document] = read(registry.task("entities"), DATA / "entities" / "wnut17" / f"{name}.conll").documents
    return document


def marked_sentences(system: str) -> list[tuple[list[str], list[Span]]]:
    """The sentences of WNUT-17's key with the entities that a system found, or that the key has."""
    gold, result = wnut("gold"), wnut(system)
    assert gold.sentences is not None
    tokens, edges = list(gold.tokens or ()), [*gold.sentences.tolist(), gold.length]
    cut = (tokens[start:end] for start, end in pairwise(edges))
    return [(words, sorted(spans)) for words, spans in zip(cut, by_sentence(result, edges), strict=True)]


def by_sentence(it: Document, edges: Sequence[int]) -> list[list[Span]]:
    """The entities of each sentence, counted from its first word."""
    cut: list[list[Span]] = [[] for _ in edges[1:]]
    for start, end, label in it.triples():
        number = bisect_right(edges, start) - 1
        if end <= edges[number + 1]:
            cut[number].append(Span(start - edges[number], end - edges[number], label))
    return cut


def with_inventions(cut: Sequence[Sentence], share: float = 0.1) -> list[Sentence]:
    """One string more for every ten, a name that the sentence does not have."""
    generator = random.Random(1)
    names = sorted({item for it in cut for item in it.given})
    return [
        it._replace(given=[*it.given, *(new for _ in it.given if generator.random() < share
                                        for new in [generator.choice(names)] if not it.places(new[0]))])
        for it in cut
    ]  # fmt: skip


def f_of(correct: int, actual: int, expected: int) -> float:
    return 200 * correct / (actual + expected)


def f_of_practice(cut: Sequence[Sentence], practice: Callable[[Sentence], tuple[int, int, int]]) -> float:
    return f_of(*(sum(column) for column in zip(*map(practice, cut), strict=True)))


def f_of_policy(cuts: Mapping[str, Sequence[Sentence]], policy: dict[str, str]) -> float:
    """The mean of the systems."""
    keys = [
        make_document(str(number), it.key, length=len(it.words), words=it.words.copy)
        for number, it in enumerate(next(iter(cuts.values())))
    ]
    responses = {system: [answer(number, it) for number, it in enumerate(cut)] for system, cut in cuts.items()}
    result = evaluate("entities", keys, responses, measures=["f_measure"], **policy)
    return sum(100 * (scored.f1 or 0.0) for scored in result) / len(cuts)


def answer(number: int, it: Sentence) -> Document:
    return replace(
        make_document(str(number), []), listed=tuple(StringEntity(string, label) for string, label in it.given)
    )


def conventions() -> Iterator[list[str]]:
    """Mean F of the seven systems as strings, and with one string in ten made up."""
    yield ["practice", "F", "with 10 % invented"]
    plain = {system: sentences(system) for system in SYSTEMS}
    invented = {system: with_inventions(cut) for system, cut in plain.items()}
    for name, practice in PRACTICES.items():
        yield _row(name, *(sum(f_of_practice(c, practice) for c in all_.values()) / 7 for all_ in (plain, invented)))
    for name, policy in POLICIES.items():
        yield _row(name, *(f_of_policy(all_, policy) for all_ in (plain, invented)))


def _row(name: str, *numbers: float) -> list[str]:
    return [name, *(f"{number:.2f}" for number in numbers)]


# Real answers.


def key_of(folder: str) -> list[Document]:
    """The key of a set of answers; a sentence whose published key is another's is left out."""
    keys = []
    for line in (DATA / "llm" / folder / "gold.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        if not record.get("gold_of_another_sentence"):
            gold_spans = record.get("gold_spans")
            spans = (
                [Span(first, last + 1, label) for _, label, first, last in gold_spans]
                if gold_spans is not None
                else [Span(first, last + 1, record["label"]) for first, last in record["spans"]]
            )
            words = list(record["tokens"])
            keys.append(make_document(record["id"], spans, length=len(words), words=words.copy))
    return keys


def marked_as_the_authors_do(model: str) -> tuple[int, int, int]:
    """Correct, given and expected as GPT-NER's script counts: see the page."""
    text = (DATA / "llm" / "czech-at-hash-cnec" / "answers.jsonl").read_text("utf-8")
    answers = [json.loads(line) for line in text.splitlines()]
    fields = {answer["id"]: answer["answer"].split() for answer in answers if answer["model"] == model}
    correct = actual = expected = 0
    for key in key_of("czech-at-hash-cnec"):
        words, right = list(key.tokens or ()), Counter((start, end) for start, end, _ in key.triples())
        found = _names_found(words, fields[key.id])
        correct += sum((found & right).values())
        actual, expected = actual + sum(found.values()), expected + sum(right.values())
    return correct, actual, expected


def _names_found(words: Sequence[str], message: Sequence[str]) -> Counter[tuple[int, int]]:
    """Where names marked @@so## stand: other words move a cursor on, a name that is not found sends it to the end."""
    counts: Counter[tuple[int, int]] = Counter()
    cursor, inside = 0, False
    for at, word in enumerate(message):
        if re.match("@@.", word):
            inside = True
            last = next((to for to in range(at, len(message)) if re.search(".##$", message[to])), None)
            if last is not None:
                name, size = " ".join(message[at : last + 1])[2:-2], last - at + 1
                places = (place for place in range(cursor, len(words)) if " ".join(words[place : place + size]) == name)
                cursor = next(places, max(cursor, len(words)))
                counts.update([(cursor, cursor + size)] if cursor < len(words) else [])
        if re.search(".##$", word):
            inside = False
        elif not inside:
            cursor += 1
    return counts


def _prf(correct: int, actual: int, expected: int) -> str:
    return f"{100 * correct / actual:.2f} / {100 * correct / expected:.2f} / {f_of(correct, actual, expected):.2f}"


def _score_sides(folder: str, model: str, format: str, **options: str) -> tuple[str, list[str]]:
    result = score(
        "entities", key_of(folder), str(DATA / "llm" / folder / "answers.jsonl"), measures=["f_measure"],
        response_format=format, model=model, unreadable="skip", **options,
    )  # fmt: skip
    counts = result["f_measure"].counts
    text = _prf(int(counts["key_correct"]), int(counts["response"]), int(counts["key"]))
    return text, [warning for warning in result.warnings if "located in" in warning or "could not" in warning]


def czech() -> Iterator[list[str]]:
    yield ["model", "the authors' script", "aune", "unreadable", "approximate", "unplaced"]
    for name, model in CZECH.items():
        ours, message = _score_sides("czech-at-hash-cnec", model, "inline_text", realign="words", other_text="unplaced")
        yield [name, _prf(*marked_as_the_authors_do(model)), ours, *(_count(message, what) for what in (
            r"(\d+) answers? or parts", r"(\d+) approximate", r"(\d+) unplaced"))]  # fmt: skip


def tokens() -> Iterator[list[str]]:
    yield ["model", "the authors' parser", "aune", "unreadable", "moved", "unplaced"]
    for model in BIODIVERSITY:
        right, wrong, missed = AUTHORS[model]
        ours, message = _score_sides("biodivner-tokens", model, "llm_json")
        yield [model, _prf(right, right + wrong, right + missed), ours, *(_count(message, what) for what in (
            r"(\d+) answers? or parts", r"(\d+) not where", r"(\d+) unplaced"))]  # fmt: skip


def _count(message: Sequence[str], pattern: str) -> str:
    return next((match[1] for text in message if (match := re.search(pattern, text))), "0")


TABLES = {"conventions": conventions, "czech": czech, "tokens": tokens}


def markdown(rows: Iterator[list[str]]) -> str:
    head, *body = rows
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *body]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    text = PAGE.read_text("utf-8")
    for name in sys.argv[1:] or TABLES:
        new = f"<!-- table: {name} -->\n{markdown(TABLES[name]())}<!-- end -->"
        text = re.sub(rf"<!-- table: {name} -->\n.*?<!-- end -->", lambda _, new=new: new, text, flags=re.DOTALL)
    PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
