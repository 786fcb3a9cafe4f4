"""The report of a large corpus: 10 systems × 350 documents × 170,000 tokens, its size and how fast it opens.

Then one text of 100,000 tokens with 20,000 mentions, key and response beside each other.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from aune.explain.analysis import study
from aune.reports.confidence import with_confidence
from aune.reports.figures import drawings
from aune.reports.page import write
from aune.tasks.coref.model import Document, Mention, make_document

SYSTEMS, DOCUMENTS, TOKENS, MENTIONS = 10, 350, 486, 62
VIEWS = ("ranking", "text?doc=d200", "errors?system=s9&versus=s1", "documents", "confusions")


def main() -> None:
    key, systems = corpus(random.Random(1))
    started = time.perf_counter()
    evaluated, test = with_confidence(study("coref", key, systems), level=0.95, draws=2_000, seed=1)
    scored = time.perf_counter()
    page = write(evaluated, test=test, figures=list(drawings(evaluated)))
    print(f"scores, intervals and tests {scored - started:.1f} s, page {time.perf_counter() - scored:.1f} s")
    errors = sum(map(len, evaluated.cases.values()))
    print(f"{len(page.encode()) / 1e6:.1f} MB with {errors:,} errors (at most 15 MB)")
    for view, seconds in time_views(page, VIEWS):
        print(f"{view}: {seconds:.2f} s (at most 2 s)")
    novel = write(study("coref", [long_text(400)], {"s": [long_text(300)]}, measures=["muc"]))
    for view, seconds in time_views(novel, ("text",)):
        print(f"{view} of 100,000 tokens and 20,000 mentions a side: {seconds:.2f} s")


def long_text(chains: int) -> Document:
    """A mention every five words."""
    mentions = [Mention(place * 5, place * 5 + 1 + place % 3, place % chains) for place in range(20_000)]
    return make_document(
        "novel", mentions, tokens=[f"word{n % 977}" for n in range(100_000)], sentences=range(0, 100_000, 20)
    )


def corpus(rng: random.Random) -> tuple[list[Document], dict[str, list[Document]]]:
    """Texts of made-up words in Zipf's proportions, and systems from good to bad."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(8_000)]
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    key: list[Document] = []
    systems: dict[str, list[Document]] = {f"s{number}": [] for number in range(SYSTEMS)}
    for number in range(DOCUMENTS):
        words = rng.choices(vocabulary, weights, k=TOKENS)
        starts = [rng.randrange(TOKENS - 5) for _ in range(MENTIONS)]
        spans = sorted({(start, start + rng.choice((1, 1, 1, 2, 2, 3, 4))) for start in starts})
        chains = [int(rng.paretovariate(0.6)) % 18 for _ in spans]
        text = {"tokens": words, "sentences": list(range(0, TOKENS, 18))}
        right = list(zip(spans, chains, strict=True))
        key.append(make_document(f"d{number}", [Mention(*span, chain) for span, chain in right], **text))
        for place, documents in enumerate(systems.values()):
            quality = 0.95 - 0.05 * place
            mentions = {span: Mention(*span, chain) for span, chain in answers(rng, right, quality)}
            documents.append(make_document(f"d{number}", mentions.values(), **text))
    return key, systems


def answers(
    rng: random.Random, right: list[tuple[tuple[int, int], int]], quality: float
) -> Iterator[tuple[tuple[int, int], int]]:
    for (start, end), chain in right:
        if rng.random() < quality:
            yield (start, end), chain if rng.random() < quality else rng.randrange(18)
        elif rng.random() < 0.4:
            yield (start, end + 1), chain


def time_views(page: str, views: Sequence[str]) -> Iterator[tuple[str, float]]:
    """How long each view takes from an empty window, in Chromium."""
    chromium = os.environ.get("AUNE_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        print("no browser: apt-get install chromium to see how fast it opens")
        return
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "report.html"
        path.write_text(page)
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        window = browser.new_page()
        for view in views:
            window.goto("about:blank")
            started = time.perf_counter()
            window.goto(f"{path.as_uri()}#{view}")
            window.wait_for_selector("body[data-ready]")
            yield view.partition("?")[0], time.perf_counter() - started
        browser.close()


if __name__ == "__main__":
    main()
