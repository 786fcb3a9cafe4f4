"""The report at any size: seven systems on an earnings call corpus, twenty systems, two thousand documents.

`make test` runs each of them small; AUNE_FULL=1 runs them whole.
"""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from aune.explain.analysis import Study, study
from aune.reports.confidence import with_confidence
from aune.reports.figures import drawings
from aune.reports.figures.export import can_render
from aune.reports.page import write

FULL = bool(os.environ.get("AUNE_FULL"))
TEAMS = [f"a system of team {number}" for number in range(20)]


def page_of(outcome: Study, path: Path, **options: Any) -> Path:
    result, test = with_confidence(outcome, level=0.95, draws=100, seed=1)
    path.write_text(write(result, test=test, figures=list(drawings(result)) if can_render() else [], **options))
    return path


def number(text: str) -> int:
    return int(text.split(maxsplit=1)[0].replace(",", ""))


def every_view(visit: Any) -> None:
    for view in visit.page.locator("#bar a").evaluate_all("links => links.map((link) => link.dataset.view)"):
        visit.go(view)
        assert visit.text(f"#view-{view}").strip() not in ("", "…")
        visit.clean()


@pytest.fixture(scope="module")
def calls(data: Path) -> Study:
    """Seven recognisers on earnings calls: 19,523 utterances in 44 documents, or the first 40 of each document."""
    key: dict[str, Any] = {}
    systems: dict[str, dict[str, Any]] = {}
    seen: Counter[str] = Counter()
    with gzip.open(data / "speech" / "earnings21" / "segments.jsonl.gz", "rt", encoding="utf-8") as lines:
        for place, line in enumerate(lines):
            segment = json.loads(line)
            seen[segment["doc"]] += 1
            if FULL or seen[segment["doc"]] <= 40:
                key[f"u{place}"] = {"words": segment["ref"], "document": segment["doc"]}
                for system, words in segment["hyps"].items():
                    systems.setdefault(system, {})[f"u{place}"] = {"words": words}
    return study("speech", key, systems, measures=["wer"], normalise="case")


@pytest.fixture(scope="module")
def page_of_calls(calls: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_of(calls, tmp_path_factory.mktemp("calls") / "calls.html", most_errors=500)


@pytest.mark.parametrize("width", [1400, 390])
def test_seven_systems_on_earnings_calls(
    browser: Any, visiting: Any, calls: Study, page_of_calls: Path, width: int
) -> None:
    system = calls.result.systems[1]
    cases = calls.cases[system]
    (expected, actual), times = Counter(
        (case.key, case.response) for case in cases if case.key and case.response
    ).most_common(1)[0]
    document, here = Counter(case.document for case in cases).most_common()[-1]
    with visiting(browser, page_of_calls, width) as visit:
        assert f"{len(calls.result.scores[0].rows.attributes['utterance']):,} utterances in 44 documents" in visit.text(
            ".head"
        )
        every_view(visit)
        visit.go(f"errors?system={system}")
        status = visit.text("#view-errors [role=status]")
        assert number(status) == len(cases) and "500, drawn evenly" in status
        kinds = dict(Counter(case.kind for case in cases))
        table = visit.page.locator("#view-errors .kinds tbody tr").evaluate_all(
            "rows => rows.map((row) => [row.cells[0].innerText, Number(row.cells[1].innerText)])"
        )
        assert dict(table[:-1]) == kinds and table[-1] == ["all", len(cases)], "bars and list agree"
        assert "kind" not in visit.page.locator("#view-errors legend").all_inner_texts(), "a facet appears once"
        visit.go(f"errors?system={system}&f.document={document}")
        assert number(visit.text("#view-errors [role=status]")) == here, "errors in this document: all of them"
        visit.go(f"errors?system={system}&f.key={expected}&f.response={actual}")
        assert number(visit.text("#view-errors [role=status]")) == times
        visit.go(f"confusions?system={system}")
        rows = visit.page.locator("#view-confusions tbody tr").evaluate_all(
            "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText.trim()))"
        )
        header = visit.page.locator("#view-confusions thead th").all_inner_texts()
        shown = next(row for row in rows if row[0] == expected)[header.index(actual)]
        assert int(shown) == times, "a confusion counts all errors"
        visit.keep(f"calls-confusions-{width}")
        visit.clean()


@pytest.fixture(scope="module")
def twenty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    key = {f"d{n}": [[(0, 1), (2, 3), (6, 7)], [(4, 5), (8, 9)]] for n in range(12)}
    systems = {name: {d: c if int(d[1:]) < n % 7 else c[:1] for d, c in key.items()} for n, name in enumerate(TEAMS)}
    return page_of(study("coref", key, systems), tmp_path_factory.mktemp("twenty") / "twenty.html")


@pytest.mark.parametrize("width", [1400, 390])
def test_twenty_systems(browser: Any, visiting: Any, twenty: Path, width: int) -> None:
    with visiting(browser, twenty, width) as visit:
        every_view(visit)
        visit.go("ranking")
        names = visit.page.locator("#view-ranking table.ranking tbody th").all_inner_texts()
        assert sorted(names) == sorted(TEAMS)
        header = visit.page.locator("#view-ranking table.ranking thead tr:last-child > *").all_inner_texts()
        assert header.count("recall") == header.count("precision") >= 5, "no value is dropped"
        visit.keep(f"twenty-ranking-{width}")
        visit.go("figures")
        visit.keep(f"twenty-figures-{width}")


@pytest.mark.parametrize("width", [1400, 390])
def test_two_thousand_documents(browser: Any, visiting: Any, tmp_path: Path, width: int) -> None:
    many = 2_000 if FULL else 300
    words = [f"w{place}" for place in range(12)]
    key = {f"document {n:04}": {"tokens": words, "spans": [(0, 2, "PER"), (4, 5, "LOC")]} for n in range(many)}
    systems = {
        name: {
            d: {"tokens": words, "spans": [(0, 2, "PER" if n % step else "ORG"), (4, 5, "LOC")]}
            for n, d in enumerate(key)
        }
        for name, step in (("A", 3), ("B", 5))
    }
    path = page_of(study("entities", key, systems, measures=["f_measure"]), tmp_path / "many.html")
    with visiting(browser, path, width) as visit:
        every_view(visit)
        visit.go("documents")
        assert visit.count("#view-documents tbody tr") == 100 and visit.count("#view-documents .heat a") == 120
        assert f"60 of {many:,} documents" in visit.text("#view-documents .panel")
        visit.page.click("#view-documents .more button")
        visit.page.wait_for_function("() => document.querySelectorAll('#view-documents tbody tr').length > 100")
        visit.go("text?system=A")
        finder = visit.page.locator("#view-text input[list]")
        finder.fill("0123")
        finder.press("Enter")
        visit.page.wait_for_function("() => document.querySelector('#view-text h2').innerText === 'document 0123'")
        visit.keep(f"many-text-{width}")
        visit.clean()
