"""Simple systems: the activation resolver and its rivals on a novel of 30,000 tokens, and chance in twenty draws."""

from __future__ import annotations

import random
from typing import Any

from benchmarks.harness import in_process, table

PEOPLE = [
    "Mr. Darcy",
    "Mrs. Bennet",
    "Elizabeth",
    "Lady Catherine",
    "Captain Wickham",
    "Jane",
    "Mr. Bingley",
    "Charlotte",
]
THINGS = ["the house", "the letter", "the carriage", "the garden", "the regiment", "a ball", "the village", "the road"]
PRONOUNS = ["he", "she", "it", "his", "her", "they", "him"]
TOKENS = 30_000


def main() -> None:
    names = ("activation", "agreement", "same_head", "same_string")
    print(f"a novel of {TOKENS:,} tokens:")
    table([in_process(name, "benchmarks.baselines", "resolve_text", [name], 1) for name in names])
    print("the level of chance on it, 20 draws, every measure:")
    table([in_process("random_profile", "benchmarks.baselines", "draw_levels", [], 1)])


def resolve_text(name: str) -> str:
    from aune import baselines

    [answer] = baselines.baseline("coref", name)([novel()])
    return f"{len(answer)} mentions in {answer.chain_count} chains"


def draw_levels() -> str:
    from aune.baselines.differential import chance

    levels = chance("coref", novel(), "random_profile", draws=20, measures=["all"])
    return f"{len(levels)} values"


def novel() -> Any:
    """A text with people, things and pronouns in turn; every name is a chain, and pronouns are dealt out."""
    from aune.tasks.coref.model import Mention, make_document

    rng = random.Random(1)
    tokens: list[str] = []
    mentions = []
    while len(tokens) < TOKENS:
        number = rng.randrange(200)
        words = rng.choice([PEOPLE, THINGS, PRONOUNS])
        text = words[number % len(words)].split()
        if words is PEOPLE:
            text = [*text, f"Number{number}"]
        mentions.append(Mention(len(tokens), len(tokens) + len(text), number))
        tokens += [*text, *rng.choices(["walked", "saw", "and", "then", "of", "."], k=rng.randrange(3, 9))]
    return make_document("novel", mentions, tokens=tokens)
