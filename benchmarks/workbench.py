"""The workbench's own work: keys to annotate a novel, and a text of 100,000 words with 20,000 mentions.

- LitBank's key replayed: at most 1.1 keys a mention when mentions are marked, and 4 in the median to mark one;
- an event folded and checked, likely chains of a mention (a few ms), all measures after an edit (at most 300 ms),
  a comparison with all that a page draws, statistics, the questions of an adjudication, a step of the resolver;
- a file of that size opened and given back;
- 10,000 random operations: undo all is the start, redo all is the end, replay is the state.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from aune.reading.source import Source
from aune.workbench.adjudication import Annotations
from aune.workbench.agreement import agreement
from aune.workbench.comparison import compare_states, scores
from aune.workbench.decisions import decisions, join_event
from aune.workbench.events import event_problems, fold
from aune.workbench.files import export_file, texts
from aune.workbench.layer import Layer, active_events
from aune.workbench.model import Chain, Event, Mention, State, Text, to_builtins
from aune.workbench.questions import Adjudication
from aune.workbench.resolution import steps
from aune.workbench.statistics import profile
from aune.workbench.suggestions import Ranking

WORDS, MENTIONS, CHAINS = 100_000, 20_000, 3_000
ASKED = 200  # questions of each kind in one answer
VOCABULARY = [
    "he",
    "she",
    "her",
    "his",
    "it",
    "they",
    "Ann",
    "Emma",
    "Lee",
    "the",
    "a",
    "old",
    "dog",
    "house",
    "letter",
    "saw",
    "met",
    "of",
    "and",
]
HERE = Path(__file__).parents[1]


def main() -> None:
    text = novel()
    key = make_annotation(text, 0.0)
    response = make_annotation(text, 0.1)
    print(f"{WORDS:,} words, {len(key.mentions):,} mentions, {len(key.chains):,} chains:")
    ranking = Ranking(text, response)
    names = random.Random(3).sample(sorted(response.mentions), 200)
    edited = iter(edits(response, names))
    show("an event checked and folded", lambda: fold_event(text, response, names[0]))
    show("likely chains of a mention, as they are asked for", lambda: ranking.chains(next(cycle)), 200)
    show("likely chains after an edit", lambda: after_edit(ranking, next(edited), names[1]), 20)
    show("all measures after an edit", lambda: scores(text, key, next(edited)), 5)
    show("all that the comparison page draws", lambda: msgspec.json.encode(compare_states(text, key, next(edited))), 2)
    show("statistics", lambda: profile(text, next(edited)), 3)
    show("agreement of two layers", lambda: agreement(text, {"one": key, "other": response}), 1)
    adjudication(text, both(key, response))
    places = iter([*range(MENTIONS // 2, MENTIONS // 4, -1000)] * 2)
    show("ten steps of the resolver, each time further back", lambda: steps(text, key, next(places), 10), 5)
    files(text, key)
    tests("the keys of LitBank", "tests/workbench/test_suggestions.py", "tests/workbench/test_proposals.py")
    tests("10,000 random operations", "tests/workbench/test_layer.py", AUNE_OPERATIONS="10000")


cycle = iter(random.Random(4).choices([f"m{number}" for number in range(MENTIONS)], k=100_000))


def novel() -> Text:
    """A text of words from a small vocabulary, in sentences of twenty."""
    chance = random.Random(1)
    words = chance.choices(VOCABULARY, k=WORDS)
    tokens, place = [], 0
    for word in words:
        tokens += [place, place + len(word)]
        place += len(word) + 1
    return Text(id="novel", characters=" ".join(words), tokens=tokens, sentences=list(range(0, WORDS, 20)))


def make_annotation(text: Text, wrong: float) -> State:
    """Mentions every five words, few chains with many of them; a share of them in another chain."""
    same, other = random.Random(2), random.Random(3)
    mentions = {}
    for number in range(MENTIONS):
        first = 5 * number
        last = first + same.choice((0, 0, 1, 2))
        chain, stray = (int(chance.paretovariate(0.5)) % CHAINS for chance in (same, other))
        parts = ((text.tokens[2 * first], text.tokens[2 * last + 1]),)
        mentions[f"m{number}"] = Mention(parts=parts, chain=f"c{stray if other.random() < wrong else chain}")
    return State(mentions, {mention.chain: Chain() for mention in mentions.values() if mention.chain})


def move_items(state: State, name: str) -> Event:
    record = to_builtins(msgspec.structs.replace(state.mentions[name], chain="c1"))
    return Event(id=name, operation="move", changes=(("mentions", name, record),))


def edits(state: State, names: list[str]) -> Any:
    """States of which each is one edit away from the one before."""
    while True:
        for name in names:
            state, _ = fold(state, move_items(state, name))
            yield state


def fold_event(text: Text, state: State, name: str) -> object:
    event = move_items(state, name)
    return event_problems(text, state, event), fold(state, event)


def after_edit(ranking: Ranking, state: State, name: str) -> object:
    ranking.update(state)
    return ranking.chains(name)


def both(key: State, response: State) -> dict[str, State]:
    return {"key": key, "response": response}


def show(what: str, work: Callable[[], object], times: int = 3) -> None:
    """The median and the worst of several runs."""
    times_taken = []
    for _ in range(times + 1):
        started = perf_counter()
        work()
        times_taken.append(1000 * (perf_counter() - started))
    times_taken = sorted(times_taken[1:])  # the first one warms caches
    print(f"  {what:52} {times_taken[len(times_taken) // 2]:8.1f} ms   worst {times_taken[-1]:8.1f} ms", flush=True)


def adjudication(text: Text, layers: dict[str, State]) -> None:
    """A key begun, its first questions, and answers to them one after the other."""
    show("a key begun, with its first questions", lambda: begin_adjudication(layers), 1)
    annotations = Annotations(layers)
    made = Layer(text, annotations.initial_key())

    def answer() -> None:
        adjudicated = annotations.adjudication(made.state, decisions(active_events(made.log)), ASKED)
        if adjudicated.mentions:
            made.add(annotations.accept_event(made.state, adjudicated.mentions[0].about))
        else:
            made.add(join_event(made.state, adjudicated.ties[0].first, adjudicated.ties[0].second))

    show("an answer, and the questions after it (at most 300 ms)", answer, 20)


def begin_adjudication(layers: dict[str, State]) -> Adjudication:
    annotations = Annotations(layers)
    return annotations.adjudication(annotations.initial_key(), [], ASKED)


def files(text: Text, state: State) -> None:
    """The same text as a file: opened, and given back with one mention less."""
    source = Source("novel.txt", text.characters.encode())
    data = export_file(source, "coref", "text", {"novel": state}, to="jsonlines").data
    [(_, opened)] = texts(Source("novel.jsonl", data), "coref", "jsonlines")
    fewer = State({name: mention for name, mention in opened.mentions.items() if name != "m9"}, opened.chains)
    show("opening it from JSON lines", lambda: texts(Source("novel.jsonl", data), "coref", "jsonlines"), 1)
    again = {"novel": fewer}
    show(
        "giving it back after an edit", lambda: export_file(Source("novel.jsonl", data), "coref", "jsonlines", again), 1
    )


def tests(what: str, *paths: str, **environment: str) -> None:
    """Tests that print figures, or that are small in `make test`."""
    started = perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *paths]
    done = subprocess.run(
        command, cwd=HERE, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    print(f"{what}: {'passed' if not done.returncode else 'FAILED'} in {perf_counter() - started:.0f} s")
    print("".join(f"  {line}\n" for line in done.stdout.splitlines() if "keys" in line or done.returncode), end="")


if __name__ == "__main__":
    main()
