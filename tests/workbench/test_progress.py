"""Where texts stand, what people have done, what comes next."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from aune.workbench.markdown import render_markdown
from aune.workbench.progress import Work, order_open_work, summarize_people, text_status

TODAY = date(2027, 1, 15)


def work(text: str, annotator: str, **more: Any) -> Work:
    known: dict[str, Any] = {"is_begun": False, "is_done": False, "mentions": 0, "seconds": 0}
    return Work(layer=f"{text} {annotator}", text=text, annotator=annotator, **{**known, **more})


DONE = {"is_begun": True, "is_done": True, "mentions": 3, "seconds": 60}


def test_a_text_waits_for_its_annotators() -> None:
    pair = [work("one", "Ann", **DONE), work("one", "Ben")]
    assert text_status(pair, []).waits_for == ("Ben",)
    assert text_status([work("one", "Ann", **DONE), work("one", "Ben", **DONE)], []).state == "ready"
    assert text_status(pair, [False]).state == "adjudicating"
    assert text_status(pair, [False, True]).state == "adjudicated"


def test_people_are_summarized() -> None:
    items = [
        work("one", "Ann", **DONE), work("one", "Ben", due=date(2027, 1, 14)), work("two", "Ben", is_begun=True),
        work("two", "Ann"), work("three", "Ben"),
    ]  # fmt: skip
    ann, ben = summarize_people(items, TODAY)
    assert (ann.annotator, ann.texts, ann.done, ann.mentions, ann.seconds, ann.blocks) == ("Ann", 2, 1, 3, 60, 0)
    assert (ben.texts, ben.begun, ben.done, ben.overdue, ben.blocks) == (3, 1, 0, 1, 1)


def test_what_was_begun_last_is_next_then_what_is_due_first() -> None:
    items = [
        work("later", "Ann", due=date(2027, 3, 1)), work("never", "Ann"), work("done", "Ann", **DONE),
        work("soon", "Ann", due=date(2027, 2, 1)),
        work("old", "Ann", is_begun=True, changed=datetime(2027, 1, 1, tzinfo=UTC)),
        work("new", "Ann", is_begun=True, changed=datetime(2027, 1, 2, tzinfo=UTC)),
    ]  # fmt: skip
    assert [item.text for item in order_open_work(items)] == ["new", "old", "soon", "later", "never"]


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "[a](javascript:alert(1))",
        "![a](http://a.org/a.png)",
        "<img src=x onerror=a>",
    ],
)
def test_guidelines_run_and_load_nothing(source: str) -> None:
    html = render_markdown(source)
    assert "<script" not in html and "<img" not in html and 'href="javascript' not in html
