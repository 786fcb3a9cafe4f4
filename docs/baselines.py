"""Makes the tables of docs/baselines.md again: every measure for every baseline beside the real systems.

    python docs/baselines.py

needs the corpora beside the repository (or at AUNE_DATA), which stay where they are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aune import Result, baselines, evaluate
from aune.baselines.differential import Level, ablations, chance
from aune.contract import registry
from aune.reading.corpus import Corpus, read

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("AUNE_DATA", ROOT.parent / "shared" / "data")) / "coref"
PAGE = ROOT / "docs" / "baselines.md"
SIMPLE = ("singletons", "one_chain", "same_string", "same_head", "agreement", "activation")
DRAWS = 20
CORPORA = {
    "litbank": ("english", {"litbank/key": ("s1-strmatch", "s2-sieve", "s3-goldment")}),
    "fr-litbank": (
        "french",
        {
            "fr-litbank/test.V2.key": ("test.V2.s1-strmatch", "test.V2.s2-sieve", "test.V2.s3-goldment"),
            "fr-litbank/test.V2.gold": ("test.V2.camembert",),  # the same key in another layout
        },
    ),
}
ELSEWHERE = frozenset(f"coref.{name}" for name in ("bridging", "non_referring", "split_antecedents", "zeros"))
"""Measures of what these texts have none of."""


def main() -> None:
    text = PAGE.read_text()
    for name, (language, keys) in CORPORA.items():
        text = fill_page(text, name, compare_sides(language, keys))
    text = fill_page(text, "chance", chance_table())
    text = fill_page(text, "ablation", ablation_table())
    PAGE.write_text(text)


def fill_page(text: str, name: str, table: str) -> str:
    """The page with a table between its marks."""
    marks = re.compile(rf"(<!-- table: {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    return marks.sub(lambda text: f"{text[1]}\n{table}\n{text[2]}", text)


def compare_sides(language: str, keys: Mapping[str, tuple[str, ...]]) -> str:
    """Every measure for every baseline and system, in percent."""
    options: dict[str, Any] = {"measures": ["all"], "kinds": language, "duplicates": "conll"}
    corpus = first_key(keys)
    answers = {name: Corpus(baselines.baseline("coref", name)(corpus.documents)) for name in SIMPLE}
    results = [evaluate("coref", corpus, answers, **options)]
    for key, systems in keys.items():
        responses = {system.removeprefix("test.V2."): path(f"{Path(key).parent}/{system}") for system in systems}
        results.append(evaluate("coref", path(key), responses, **options))
    levels = {
        (item.measure, item.value): item for item in chance("coref", corpus, "random_profile", draws=DRAWS, **options)
    }
    scores = [score for result in results for score in result]
    return table(Result("coref", scores), levels)


def first_key(keys: Mapping[str, tuple[str, ...]]) -> Corpus:
    return read(registry.task("coref"), path(next(iter(keys))))


def path(name: str) -> str:
    return str(DATA / f"{name}.conll.gz")


def table(result: Result, levels: Mapping[tuple[str, str], Level]) -> str:
    simple = [name for name in result.systems if name in SIMPLE]
    real = [name for name in result.systems if name not in SIMPLE]
    rows = [["measure", *(name.replace("_", " ") for name in simple), "random", *(f"**{name}**" for name in real)]]
    for measure in (item for item in result.measures if item.name not in ELSEWHERE):
        main = measure.headline
        show = percent if measure.percent else plainly
        level = levels[measure.name, main]
        cells = {name: show(result[name, measure.name].values[main]) for name in result.systems}
        name = measure.name.removeprefix("coref.") + ("" if main in ("f1", measure.name[6:]) else f" {main}")
        drawn = f"{show(level.mean)} ± {show(level.deviation)}"
        rows.append([name, *(cells[item] for item in simple), drawn, *(cells[item] for item in real)])
    return markdown(rows)


def plainly(number: float | None) -> str:
    return "–" if number is None else f"{number:.2f}".replace("-", "−")


def percent(number: float | None) -> str:
    return "–" if number is None else f"{100 * number:.1f}".replace("-", "−")


def markdown(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---|" + "--:|" * (len(rows[0]) - 1))
    return "\n".join(lines) + "\n"


def chance_table() -> str:
    rows = [["corpus", "measure", "mean", "deviation", "lowest", "highest", "hoped for"]]
    for name in ("litbank", "fr-litbank"):
        levels = chance(
            "coref", first_key(CORPORA[name][1]), "random_profile", draws=100, measures=["entropy", "kappa"]
        )
        for level in levels:
            if level.value in ("f1", "kappa"):
                short = "H (f1)" if level.value == "f1" else "κ"
                rows.append([name, short, *(percent(number) for number in level[2:6]), "0"])
    return markdown(rows)


def ablation_table() -> str:
    rows: list[list[str]] = []
    for name in ("litbank", "fr-litbank"):
        for ablation in ablations("coref", first_key(CORPORA[name][1]), "activation"):
            scores = {measure.removeprefix("coref."): score for measure, score in ablation.scores.items()}
            rows = rows or [["corpus", "off", *scores, "mean", "loss"]]
            numbers = [*scores.values(), ablation.mean, ablation.loss]
            rows.append([name, " + ".join(ablation.off) or "nothing", *map(percent, numbers)])
    return markdown(rows)


if __name__ == "__main__":
    main()
