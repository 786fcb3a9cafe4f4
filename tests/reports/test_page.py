"""The report in a real browser: every view, from a score to a text, and no text that is taken for markup."""

from __future__ import annotations

import csv
import io
import os
import re
from pathlib import Path
from typing import Any

import pytest

from aune.cli import run
from aune.explain.analysis import split_errors, study
from aune.reports.confidence import with_confidence
from aune.reports.figures import drawings
from aune.reports.page import write
from aune.tasks.coref.model import Mention, make_document
from tests.browsing import WIDE_LETTERS

VIEWS = ("ranking", "text", "confusions", "errors", "documents", "figures")
SYSTEMS = ("strings", "recency", "neural")
WIDE, NARROW = (1280, "light"), (390, "dark")
LOOKS = [(*WIDE, ""), (*NARROW, WIDE_LETTERS)]
if os.environ.get("AUNE_FULL"):
    LOOKS += [(*WIDE, WIDE_LETTERS), (*NARROW, "")]
"""Widths, schemes and fonts: those of the machine, whatever they are, and wide ones, for which a phone is narrowest."""

every_look = pytest.mark.parametrize(("width", "scheme", "letters"), LOOKS, ids=lambda item: str(item)[:5])


def page_of(key: Any, systems: Any, task: str = "coref", **options: Any) -> str:
    result, test = with_confidence(study(task, key, systems, **options), level=0.95, draws=200, seed=1)
    return write(result, test=test, figures=list(drawings(result)))


@pytest.fixture(scope="module")
def report(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the bundled example."""
    folder = examples / "coref"
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page_of(str(folder / "key.conll"), {name: str(folder / f"{name}.conll") for name in SYSTEMS}))
    return path


@every_look
def test_every_view_opens(browser: Any, visiting: Any, report: Path, width: int, scheme: str, letters: str) -> None:
    with visiting(browser, report, width, scheme, letters) as visit:
        for view in VIEWS:
            visit.go(view)
            assert visit.count(f"#view-{view}:not([hidden])") == 1
            assert visit.text(f"#view-{view}").strip() not in ("", "…")
            assert visit.count("main section:not([hidden])") == 1
            visit.keep(f"{view}-{width}-{scheme}{'-wide' * bool(letters)}")
            visit.clean()
        assert visit.page.evaluate("document.documentElement.dataset.theme") == scheme


def test_from_a_score_to_a_text(browser: Any, visiting: Any, report: Path) -> None:
    with visiting(browser, report) as visit:
        visit.page.click("#view-ranking tbody tr:first-child td.number a")
        visit.settled("documents")
        visit.page.click("#view-documents tbody tr:first-child td.number a")
        visit.settled("text")
        assert visit.count("#view-text .sentence") > 1 and visit.count("#view-text .sheet .m") > 10
        visit.page.click("#view-text .sheet .m")
        assert visit.count("#view-text .aside li") > 0 and visit.count("#view-text .aside .map rect") > 1
        visit.page.click("#view-text .aside li a")
        assert visit.count("#view-text .m.target") > 0
        visit.keep("chain-1280-light")
        visit.clean()


def test_from_an_error_to_its_place(browser: Any, visiting: Any, report: Path) -> None:
    with visiting(browser, report) as visit:
        visit.go("errors?system=recency")
        visit.page.click("#view-errors .card a")
        visit.settled("text")
        assert visit.count("#view-text .m.target") > 0 and visit.count("#view-text .sentence.here") == 1
        visit.clean()


def number(text: str) -> int:
    return int(text.split(maxsplit=1)[0].replace(",", ""))


def test_filters_and_search(browser: Any, visiting: Any, report: Path) -> None:
    with visiting(browser, report) as visit:
        visit.go("errors?system=recency")
        whole = number(visit.text("#view-errors [role=status]"))
        facet = visit.page.locator("#view-errors .facets button").first
        wanted = number(facet.locator("span").last.inner_text())
        facet.click()
        visit.page.wait_for_selector("#view-errors .facets button[aria-pressed=true]")
        assert number(visit.text("#view-errors [role=status]")) == wanted < whole
        assert visit.count("#view-errors .card") == min(wanted, 40)
        visit.go("errors?system=strings&q=zzzz-nowhere")
        assert number(visit.text("#view-errors [role=status]")) == 0
        visit.clean()


def test_two_systems_split_as_in_python(browser: Any, visiting: Any, report: Path, examples: Path) -> None:
    folder = examples / "coref"
    evaluated = study("coref", str(folder / "key.conll"), {name: str(folder / f"{name}.conll") for name in SYSTEMS})
    split = split_errors(evaluated.cases["strings"], evaluated.cases["neural"])
    with visiting(browser, report) as visit:
        visit.go("errors?system=strings&versus=neural")
        shown = visit.page.locator("#view-errors .panel a").all_inner_texts()
        assert [number(text) for text in shown] == [len(split.fixed), len(split.broken), len(split.both)]
        visit.keep("versus-1280-light")
        visit.clean()


def test_switching_systems(browser: Any, visiting: Any, report: Path) -> None:
    with visiting(browser, report) as visit:
        visit.go("text?system=strings")
        assert visit.page.locator("#view-text .sides strong").all_inner_texts() == ["Key", "strings"]
        visit.page.locator("#view-text .controls select").nth(1).select_option("neural")
        visit.page.wait_for_function(
            "() => document.querySelectorAll('#view-text .sides strong')[1]?.innerText === 'neural'"
        )
        visit.page.locator("#view-text .controls select").nth(2).select_option("recency")
        visit.page.wait_for_function("() => document.querySelectorAll('#view-text .sides strong').length === 3")
        visit.clean()


def test_ranking_by_another_measure(browser: Any, visiting: Any, report: Path) -> None:
    with visiting(browser, report) as visit:
        first = visit.text("#view-ranking tbody tr:first-child th")
        assert first == "neural"
        visit.page.locator("#view-ranking .controls select").select_option("coref.mentions precision")
        visit.page.wait_for_function(
            "() => document.querySelector('#view-ranking .small').innerText.startsWith('Ranked by mentions precision')"
        )
        assert visit.page.locator("#view-ranking thead .over").first.inner_text() == "mentions"
        visit.clean()


def copies(visit: Any, view: str) -> dict[str, str]:
    """What the first row of buttons of a view copies."""
    visit.page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    buttons = visit.page.locator(f"#view-{view} .copies").first.locator("button")
    copied = {}
    for index in range(buttons.count()):
        buttons.nth(index).click()
        copied[buttons.nth(index).inner_text()] = visit.page.evaluate("window.copied")
    return copied


@pytest.mark.parametrize(("task", "systems"), [("coref", SYSTEMS), ("entities", ("rules", "tagger"))])
def test_the_report_shows_what_the_command_prints(
    browser: Any,
    visiting: Any,
    examples: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    task: str,
    systems: tuple[str, ...],
) -> None:
    """With nothing said about units and draws: the entities are one document, so both draw its sentences."""
    files = [str(examples / task / f"{name}.conll") for name in ("key", *systems)]
    apart = ["--baselines", systems[0]]
    assert run(["report", task, *files, *apart, "-o", str(tmp_path / "report.html")]) == 0
    with visiting(browser, tmp_path / "report.html") as visit:
        copied = copies(visit, "ranking")
        cells = visit.page.locator("#view-ranking table.ranking tbody tr").evaluate_all(
            "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText.trim()))"
        )
        visit.clean()
    capsys.readouterr()
    for name, form in (("CSV", "csv"), ("Markdown", "markdown"), ("LaTeX", "latex")):
        assert run(["score", task, *files, "--layout", "paper", "--ci", *apart, "-f", form]) == 0
        assert capsys.readouterr().out == copied[name]
    assert cells == list(csv.reader(io.StringIO(copied["CSV"])))[1:]


def test_every_table_can_be_copied(browser: Any, visiting: Any, report: Path) -> None:
    with visiting(browser, report) as visit:
        for view in ("ranking", "confusions", "documents"):
            visit.go(view)
            text = copies(visit, view)["CSV"]
            rows = list(csv.reader(io.StringIO(text)))
            assert len(rows) > 1 and {len(row) for row in rows} == {len(rows[0])}
        assert "Copied as CSV" in visit.text("#toast")
        visit.clean()


def test_confusions_lead_to_their_cases(browser: Any, visiting: Any, report: Path) -> None:
    with visiting(browser, report) as visit:
        visit.go("confusions?system=strings")
        cell = visit.page.locator("#view-confusions td a").first
        wanted = int(cell.inner_text())
        cell.click()
        visit.settled("errors")
        assert number(visit.text("#view-errors [role=status]")) == wanted
        visit.go("confusions?system=strings&diagonal=no")
        assert not visit.page.locator("#view-confusions td.right bdi").first.is_visible()
        visit.clean()


def test_points_and_cells_open_their_document(browser: Any, visiting: Any, report: Path) -> None:
    with visiting(browser, report) as visit:
        for mark in (".heat a", ".plot:not(.heat) a"):
            visit.go("documents")
            visit.page.locator(f"#view-documents {mark}").first.dispatch_event("click")
            visit.settled("text")
        visit.clean()


def test_figures_lead_to_their_systems(browser: Any, visiting: Any, report: Path) -> None:
    with visiting(browser, report) as visit:
        visit.go("figures")
        figure = "#figure-recall_precision"
        assert visit.page.locator(f"{figure} svg a title").first.text_content().startswith("strings:")
        visit.page.locator(f"{figure} a").last.dispatch_event("click")
        visit.settled("errors")
        assert visit.page.locator("#view-errors select").first.input_value() == "neural"
        visit.clean()


def test_without_the_extra_the_page_names_it(
    browser: Any, visiting: Any, examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aune.reports.figures.export.find_spec", lambda name: None)
    files = [str(examples / "coref" / f"{name}.conll") for name in ("key", *SYSTEMS)]
    assert run(["report", "coref", *files, "--draws", "99", "-o", str(tmp_path / "report.html")]) == 0
    with visiting(browser, tmp_path / "report.html") as visit:
        visit.go("figures")
        assert "pip install 'aune[figures]'" in visit.text("#view-figures")
        visit.go("ranking")
        assert visit.count("#view-ranking table") >= 1
        visit.clean()


def test_keyboard(browser: Any, visiting: Any, report: Path) -> None:
    with visiting(browser, report) as visit:
        visit.page.keyboard.press("2")
        visit.settled("text")
        visit.page.locator("#view-text .sheet").focus()
        visit.page.keyboard.press("ArrowRight")
        assert visit.count("#view-text .m.current") == 1
        assert "chain" in visit.page.locator("#view-text .unseen").text_content()
        visit.page.keyboard.press("Enter")
        assert visit.count("#view-text .aside") == 1
        visit.page.keyboard.press("Escape")
        assert visit.count("#view-text .aside") == 0
        before = visit.text("#view-text h2")
        visit.page.keyboard.press("]")
        visit.page.wait_for_function(
            "before => document.querySelector('#view-text h2').innerText !== before", arg=before
        )
        visit.clean()


def test_light_dark_and_print(browser: Any, visiting: Any, report: Path) -> None:
    with visiting(browser, report) as visit:
        paper = "getComputedStyle(document.body).backgroundColor"
        light = visit.page.evaluate(paper)
        visit.page.click("#theme")
        assert visit.page.evaluate(paper) != light
        visit.page.emulate_media(media="print")
        assert not visit.page.locator("#bar").is_visible() and not visit.page.locator(".controls").first.is_visible()
        assert visit.page.locator("#view-ranking table").first.is_visible()
        folded = "document.querySelectorAll('details:not([open])').length"
        before = visit.page.evaluate(folded)
        assert before > 0
        visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert visit.page.evaluate(folded) == 0, "what is folded is printed open"
        visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert visit.page.evaluate(folded) == before
        assert not visit.page.locator(".foot .on-screen").is_visible()
        displays = visit.page.locator("main > section, .view, .titled").evaluate_all(
            "parts => parts.map((part) => getComputedStyle(part).display)"
        )
        assert not {"grid", "flex"} & set(displays), "a cut table would be printed over"
        across = "getComputedStyle(document.body).page"
        assert visit.page.evaluate(across) == "across", "many columns need a wide page"
        visit.go("text")
        assert visit.page.evaluate(across) == "auto"
        visit.clean()


def test_the_value_that_ranks_is_in_sight_on_a_phone(browser: Any, visiting: Any, report: Path) -> None:
    with visiting(browser, report, width=390) as visit:
        cell, frame = (visit.page.locator(f"#view-ranking {what}").first.bounding_box() for what in (
            ".ranking td:has(.whisker)", ".scroll"))  # fmt: skip
        assert cell["x"] >= frame["x"] and cell["x"] + cell["width"] <= frame["x"] + frame["width"] + 1
        names = visit.page.locator("#view-ranking .ranking tbody th").first.bounding_box()
        cells = visit.page.locator("#view-ranking .ranking tbody tr:first-child td").all()
        boxes = [entry.bounding_box() for entry in cells]
        edge = names["x"] + names["width"]
        assert not [box for box in boxes if box["x"] + 1 < edge < box["x"] + box["width"] - 1], "no number is cut"


def test_figures_can_be_read_on_a_phone(browser: Any, visiting: Any, report: Path) -> None:
    """They are moved, not made small: letters of 12 stay about 9 pixels tall, and none is cut at the left."""
    with visiting(browser, report, width=390) as visit:
        visit.go("figures")
        shares = visit.page.locator("#view-figures svg").evaluate_all(
            "drawn => drawn.map((one) => one.getBoundingClientRect().width / one.viewBox.baseVal.width)"
        )
        assert shares and min(shares) > 0.7
        lefts = visit.page.locator("#view-figures .drawing").evaluate_all(
            "frames => frames.map((frame) => Math.min(...[...frame.querySelectorAll('text')]"
            ".map((text) => text.getBoundingClientRect().left)) - frame.getBoundingClientRect().left)"
        )
        assert min(lefts) >= 0
        visit.clean()


def contrast(text: str, other: str) -> float:
    """The contrast ratio of two colours as the browser gives them (WCAG 2)."""

    def light(colour: str) -> float:
        parts = [float(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")[:3]]
        return sum(
            weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
            for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
        )

    high, low = sorted((light(text), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


COLOURS = """names => names.map((name) => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = `var(--${name})`;
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(browser: Any, visiting: Any, report: Path, scheme: str) -> None:
    with visiting(browser, report, scheme=scheme) as visit:
        for name in ("ink", "soft", "accent", "good", "bad", "warn"):
            for ground in ("paper", "raised", "sunken"):
                colours = visit.page.evaluate(COLOURS, [name, ground])
                assert contrast(*colours) >= 4.5, (name, ground)


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_no_view_keeps_anyone_out(browser: Any, visiting: Any, report: Path, scheme: str, width: int) -> None:
    with visiting(browser, report, width, scheme) as visit:
        for view in (*VIEWS, "errors?system=strings&versus=neural"):
            visit.go(view)
            if view == "text":
                visit.page.locator("#view-text .sheet .m").first.click()
            assert visit.violations() == [], view


HOSTILE = [
    "<script>window.hacked=1</script>", "</script><script>window.hacked=2</script>",
    "<img src=x onerror=window.hacked=3>",
    "\"'><b data-hostile>", "&lt;b&gt;", "{{7*7}}", "${7*7}", "<!--", "]]>",
    "\u202eevil\u202c", "שלום", "e\u0301\u0323\u0302", "👩‍👩‍👧",
    "\u2028", "=1+1", "a|b", "x" * 10_000, "\\", "--><svg onload=window.hacked=4>", "]", "[",
]  # fmt: skip


def hostile_corpus(which: int) -> list[Any]:
    rows = []
    for index, name in enumerate(HOSTILE[:6]):
        mentions = [
            Mention(
                place, place + 1, f"{HOSTILE[place % 5]}{place % (3 + which)}", features={"kind": HOSTILE[place % 4]}
            )
            for place in range(which, len(HOSTILE))
        ]
        rows.append(
            make_document(f"{name} {index}", mentions, tokens=HOSTILE, sentences=[0, 7], attributes={"genre": name})
        )
    return rows


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "hostile.html"
    systems = {HOSTILE[0]: hostile_corpus(1), HOSTILE[3]: hostile_corpus(2), "\u202eevil": hostile_corpus(0)}
    result, test = with_confidence(study("coref", hostile_corpus(0), systems), level=0.95, draws=100, seed=1)
    path.write_text(write(result, title=HOSTILE[1], test=test, figures=list(drawings(result))))
    return path


@every_look
def test_hostile_text_stays_text(
    browser: Any, visiting: Any, hostile: Path, width: int, scheme: str, letters: str
) -> None:
    with visiting(browser, hostile, width, scheme, letters) as visit:
        for view in (
            *VIEWS,
            "errors?versus=%22%27%3E%3Cb+data-hostile%3E",
            "text?versus=%22%27%3E%3Cb+data-hostile%3E",
            "errors?q=%3Cscript%3E",
        ):
            visit.go(view)
            for mark in visit.page.locator("#view-text .sheet .m").all()[:3]:
                mark.dispatch_event("click")
            assert visit.page.evaluate("window.hacked") is None
            assert visit.count("[data-hostile]") == visit.count("main script") == visit.count("main img") == 0
            visit.clean()
        visit.go("text")
        assert HOSTILE[0] in visit.page.locator("#view-text .sheet").text_content()
        assert visit.text("h1") == HOSTILE[1]
        visit.keep(f"hostile-{width}")


def test_large_pages_are_unpacked_when_asked(browser: Any, visiting: Any, tmp_path: Path) -> None:
    """Texts beyond a small size are compressed, document by document."""
    words = [f"word{place}" for place in range(2_000)]
    key = [
        make_document(f"d{n}", [Mention(p, p + 1, p % 9) for p in range(n, 300, 7)], tokens=words) for n in range(30)
    ]
    response = [
        make_document(f"d{n}", [Mention(p, p + 1, p % 8) for p in range(n, 300, 7)], tokens=words) for n in range(30)
    ]
    text = page_of(key, {"s": response}, measures=["conll", "muc"])
    (tmp_path / "large.html").write_text(text)
    assert 'type="text/plain" id="texts-0"' in text
    with visiting(browser, tmp_path / "large.html") as visit:
        visit.go("text?doc=d29")
        assert visit.text("#view-text h2") == "d29"
        assert "word1999" in visit.page.locator("#view-text .sheet").text_content()
        visit.go("errors")
        assert visit.count("#view-errors .card") > 0
        visit.clean()


EXAMPLES = {
    "entities": ("key.ne", "structured.ne", "careless.ne"),
    "tagging": ("key.conllu", "response.conllu"),
    "anaphora": ("key.tsv", "careful.tsv", "nearest.tsv"),
    "speech": ("key.jsonl", "north.jsonl", "south.jsonl"),
}


@pytest.mark.parametrize("task", EXAMPLES)
def test_every_task_has_its_views(browser: Any, visiting: Any, examples: Path, tmp_path: Path, task: str) -> None:
    """Each view of each task opens, and an error leads to its place in the text."""
    key, *responses = (str(examples / task / name) for name in EXAMPLES[task])
    (tmp_path / "report.html").write_text(page_of(key, {Path(entry).stem: entry for entry in responses}, task))
    with visiting(browser, tmp_path / "report.html") as visit:
        for view in visit.page.locator("#bar a").evaluate_all("links => links.map((link) => link.dataset.view)"):
            visit.go(view)
            visit.keep(f"{task}-{view}-1280-light")
            if view in ("text", "errors"):
                assert visit.violations() == [], view
            visit.clean()
        visit.go("errors")
        visit.page.click("#view-errors .card a")
        visit.settled("text")
        assert visit.count("#view-text .sheet .target") > 0
        visit.clean()


def test_a_gap_item_is_shown_in_its_passage(browser: Any, visiting: Any, examples: Path, tmp_path: Path) -> None:
    key, response = (str(examples / "anaphora" / f"gap-{name}.tsv") for name in ("key", "response"))
    (tmp_path / "report.html").write_text(page_of(key, {"system": response}, "anaphora"))
    passage = Path(key).read_text().splitlines()[1].split("\t")[1]
    with visiting(browser, tmp_path / "report.html") as visit:
        visit.go("text")
        assert " ".join(passage.split()[:6]) in re.sub(
            r"\d", "", visit.page.locator("#view-text .text").first.text_content()
        )
        visit.go("errors")
        assert len(visit.text("#view-errors .card .context").split()) > 8 and visit.count("#view-errors .card mark") > 0
        visit.page.click("#view-errors .card a")
        visit.settled("text")
        assert visit.count("#view-text .m.target") > 0
        visit.keep("gap-text-1280")
        visit.clean()


WORDS = " ".join(text for text in HOSTILE if text.split() == [text])


def speech_page() -> str:
    by_name = {
        f"{HOSTILE[0]} {n}": {"words": WORDS.split(), "entities": [(0, 2, HOSTILE[3])], "document": HOSTILE[1]}
        for n in range(6)
    }
    heard = {name: {"words": [*reversed(WORDS.split()), HOSTILE[2]]} for name in by_name}
    return page_of(by_name, {HOSTILE[3]: heard, "s": by_name}, "speech")


def entities_page() -> str:
    spans = [(place, place + 2, HOSTILE[place % 5]) for place in range(0, 8, 3)]
    key = {name: {"tokens": HOSTILE, "spans": spans} for name in HOSTILE[:5]}
    response = {name: {"tokens": HOSTILE, "spans": [(0, 1, HOSTILE[2]), (3, 5, HOSTILE[0])]} for name in HOSTILE[:5]}
    return page_of(key, {HOSTILE[0]: response, HOSTILE[3]: key}, "entities")


def tagging_page() -> str:
    words = WORDS.split()
    key = {name: [(word, HOSTILE[place % 5]) for place, word in enumerate(words)] for name in HOSTILE[:5]}
    response = {name: [(word, HOSTILE[place % 4]) for place, word in enumerate(words)] for name in HOSTILE[:5]}
    return page_of(key, {HOSTILE[0]: response, HOSTILE[3]: key}, "tagging")


def anaphora_page() -> str:
    key = {name: {HOSTILE[0]: HOSTILE[2], HOSTILE[3]: HOSTILE[1]} for name in HOSTILE[:5]}
    response = {name: {HOSTILE[0]: HOSTILE[4], HOSTILE[5]: HOSTILE[1]} for name in HOSTILE[:5]}
    return page_of(key, {HOSTILE[0]: response, HOSTILE[3]: key}, "anaphora")


@pytest.mark.parametrize("made", [speech_page, entities_page, tagging_page, anaphora_page])
def test_hostile_text_in_every_task(browser: Any, visiting: Any, tmp_path: Path, made: Any) -> None:
    (tmp_path / "hostile.html").write_text(made())
    with visiting(browser, tmp_path / "hostile.html") as visit:
        for view in visit.page.locator("#bar a").evaluate_all("links => links.map((link) => link.dataset.view)"):
            visit.go(view)
            assert visit.page.evaluate("window.hacked") is None
            assert visit.count("[data-hostile]") == visit.count("main script") == visit.count("main img") == 0
            visit.clean()
