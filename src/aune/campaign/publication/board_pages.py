"""One page of a large board: some of its runs, in an order, with their values; and the tests of one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.state import Submission
from aune.campaign.protocol.visibility import Viewer
from aune.campaign.publication.board_index import BoardIndex, BoardRow
from aune.campaign.publication.static_pages import OTHER_RUNS, certainty_note, html_table, interval_figure, values_table
from aune.campaign.publication.visible_results import (
    BLOCKS,
    BOARD_COLUMNS,
    board_csv_rows,
    disqualified_runs,
    run_blocks,
    run_labels,
)
from aune.reports.delimited import delimited_text

ROWS_PER_PAGE = 100
ORDERS = ("rank", "run", "value")


class ShownRun(NamedTuple):
    """A run as a page displays it."""

    id: str
    label: str
    row: BoardRow
    figure: str
    is_own: bool

    @property
    def between(self) -> str:
        """The best and the worst rank that the tests allow."""
        return "" if self.row.rank is None else f"{self.row.best}–{self.row.worst}"

    @property
    def interval(self) -> str:
        return "" if self.row.low is None or self.row.high is None else f"{self.row.low:.4f}–{self.row.high:.4f}"

    @property
    def score(self) -> str:
        return "undefined" if self.row.score is None else f"{self.row.score:.4f}"


class BoardPage(NamedTuple):
    """One page of a board."""

    runs: list[ShownRun]
    blocks: list[tuple[str, int]]
    """The titles of the blocks that have runs, with the numbers of their runs."""
    block: str
    order: str
    page: int
    pages: int
    values: str
    """All values of the runs on this page, as HTML."""
    certainty: str


class LargeBoard:
    """A large board as a viewer may see it."""

    def __init__(self, campaign: Campaign, viewer: Viewer, dataset: str, index: BoardIndex) -> None:
        campaign.check(viewer, f"{campaign.dataset(dataset).phase} scores")
        self._index, self._viewer, self._version = index, viewer, campaign.state.version(dataset)
        self._runs = {run.id: run for run in campaign.state.standing_submissions(dataset) if run.id in index.rows}
        self._labels = run_labels(campaign, viewer, list(self._runs.values()))
        self._blocks = run_blocks(campaign, dataset, list(self._runs.values()))
        self.disqualified = disqualified_runs(campaign, viewer, dataset)

    def page(self, block: str, order: str, number: int) -> BoardPage:
        """One page of the runs of a block; an unknown block or order means the first."""
        blocks = [
            (title, sum(other == title for other in self._blocks.values())) for title in (*BLOCKS.values(), OTHER_RUNS)
        ]
        blocks = [(title, count) for title, count in blocks if count]
        block = block if block in dict(blocks) else blocks[0][0]
        order = order if order in ORDERS else ORDERS[0]
        runs = sorted(
            (run for run in self._runs if self._blocks[run] == block), key=lambda run: self._place(run, order)
        )
        pages = max(-(-len(runs) // ROWS_PER_PAGE), 1)
        number = min(max(number, 1), pages)
        shown = runs[(number - 1) * ROWS_PER_PAGE : number * ROWS_PER_PAGE]
        scale = self._scale()
        return BoardPage(
            [self._shown_run(run, scale) for run in shown], blocks, block, order, number, pages, self._values(shown),
            certainty_note({"test": self._index.about["test"], "version": self._version}),
        )  # fmt: skip

    def submissions(self, page: BoardPage) -> list[Submission]:
        """The submissions of the runs on a page."""
        return [self._runs[shown.id] for shown in page.runs]

    def _place(self, run: str, order: str) -> tuple[Any, ...]:
        row, label = self._index.rows[run], self._labels[run]
        if order == "run":
            return (label,)
        if order == "value":
            return (row.score is None, -(row.score or 0.0), label)
        return (row.rank is None, row.rank or 0, label)

    def _shown_run(self, run: str, scale: tuple[float, float]) -> ShownRun:
        row = self._index.rows[run]
        interval = None if row.low is None else [row.low, row.high]
        figure = interval_figure({"score": row.score, "interval": interval}, scale)
        is_own = bool(self._viewer.team) and self._runs[run].team == self._viewer.team
        return ShownRun(run, self._labels[run], row, figure, is_own)

    def _scale(self) -> tuple[float, float]:
        rows = self._index.rows.values()
        numbers = [number for row in rows for number in (row.score, row.low, row.high) if number is not None]
        return (min(numbers), max(numbers)) if numbers else (0.0, 1.0)

    def _values(self, runs: Sequence[str]) -> str:
        systems = {self._labels[run]: scores for run, scores in self._index.values(runs)}
        return values_table(systems) if systems else ""

    def pairs(self, label: str) -> str:
        """The tests of a run, as HTML; '' if there is no such run, or it was not tested."""
        run = next((run for run, known in self._labels.items() if known == label), "")
        tested = self._index.pairs(run) if run else []
        rows = [
            [self._labels[pair["a"]], self._labels[pair["b"]], pair["difference"], *(pair["interval"] or (None, None)),
             pair["p"], pair["corrected"]]
            for pair in tested if {pair["a"], pair["b"]} <= self._labels.keys()
        ]  # fmt: skip
        header = ["run", "against", "difference", "low", "high", "p", "p corrected"]
        return html_table(f"{label} against others, by {self._index.about['value']}", header, rows) if rows else ""

    def csv(self) -> Iterator[str]:
        """All values of all runs, run by run."""
        yield delimited_text([BOARD_COLUMNS], ",")
        for run, scores in self._index.values(self._runs):
            row = self._index.rows[run]
            rank = {} if row.rank is None else {"rank": row.rank, "best": row.best, "worst": row.worst}
            yield delimited_text(board_csv_rows(self._labels[run], self._blocks[run], rank, scores), ",")

    @property
    def warnings(self) -> list[str]:
        return list(self._index.about["warnings"])

    @property
    def unranked_reasons(self) -> Mapping[str, str]:
        """The reason why each unranked run is not ranked, by label."""
        return {self._labels[run]: why for run, why in self._index.about["undefined"].items() if run in self._labels}
