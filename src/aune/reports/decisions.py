"""Decisions of gates for people and programs: lines, JUnit XML, a summary for a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from aune.errors import make_visible
from aune.reports import render_tables
from aune.reports.comparison import decision_table
from aune.reports.markdown import escape as escape_markdown
from aune.statistics.decisions import goal_text

if TYPE_CHECKING:
    from aune.statistics.comparison import Comparisons
    from aune.statistics.decisions import Decision


def junit_text(comparisons: Comparisons) -> str:
    """The decisions as JUnit XML: a test case for each, with a failure for each that did not pass."""
    cases = [_test_case(decision, comparisons) for decision in comparisons.decisions]
    failures = sum(not decision.is_shown for decision in comparisons.decisions)
    suite = f'<testsuite name="aune compare" tests="{len(cases)}" failures="{failures}" errors="0" skipped="0">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", suite, *cases, "</testsuite>",
                      "</testsuites>", ""])  # fmt: skip


def _test_case(decision: Decision, comparisons: Comparisons) -> str:
    measure = next(measure for measure in comparisons.result.measures if measure.name == decision.measure)
    group = _quote_text(f"{comparisons.result.task}.{decision.new}")
    name = _quote_text(f"{measure.short}.{decision.value} is {goal_text(decision, measure)}")
    if decision.is_shown:
        return f"<testcase classname={group} name={name}/>"
    message, detail = _quote_text(decision.message), "\n".join(map(_escape_text, _setting_lines(comparisons)))
    failure = f"<failure type={_quote_text(decision.outcome)} message={message}>{detail}</failure>"
    return f"<testcase classname={group} name={name}>\n{failure}\n</testcase>"


def _escape_text(text: str) -> str:
    return escape(make_visible(text))


def _quote_text(text: str) -> str:
    return quoteattr(make_visible(text))


def summary_text(comparisons: Comparisons, digits: int = 2) -> str:
    """The decisions as Markdown for a pull request: the verdict first, then a table, then the method."""
    verdict = "passed" if comparisons.all_shown else "failed"
    table = decision_table(comparisons.decisions, comparisons, digits)
    lines = "".join(f"- {escape_markdown(decision.message)}\n" for decision in comparisons.decisions)
    return f"## aune compare: {verdict}\n\n{lines}\n{render_tables(table, 'markdown')}"


def _setting_lines(comparisons: Comparisons) -> list[str]:
    """The basis of the decisions: the units, the level, and the signatures of the scores."""
    settings = "|".join(f"{name}:{comparisons.settings[name]}" for name in ("unit", "units", "level"))
    first = comparisons.result.systems[0]
    return [settings, *(str(score.signature) for score in comparisons.result if score.system == first)]
