"""Index files from which the pages of a large board are made: a row per run, and the offsets of its values.

The board itself is one file of the store, whose digest is in the ledger. With ten thousand runs it is too long to be
read for every page. The index files are made from it outside the store, and can be made again at any time.

    work/boards/DIGEST/rows.json       the columns of the table of runs, and the offset of each run's values
    work/boards/DIGEST/values.jsonl    all values of one run per line
    work/boards/DIGEST/pairs.json      the tests of pairs of runs
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.ledger_file import canonical_json
from aune.campaign.publication.static_pages import group_letters
from aune.campaign.runs.jobs import board_is_ready
from aune.campaign.runs.leaderboard import MANY_RUNS
from aune.privacy import make_private_folder

ROWS, VALUES, PAIRS = "rows.json", "values.jsonl", "pairs.json"


class BoardRow(NamedTuple):
    """A run on a board."""

    rank: int | None
    best: int | None
    worst: int | None
    letters: str
    score: float | None
    low: float | None
    high: float | None
    offset: int
    """The offset of its values in the file of values."""
    length: int


class BoardIndex(NamedTuple):
    """A board without the values of its runs."""

    folder: Path
    about: Mapping[str, Any]
    """The measure, value, test and warnings of the board, and the runs whose value is undefined."""
    rows: Mapping[str, BoardRow]

    def values(self, runs: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """All values of some runs."""
        with (self.folder / VALUES).open("rb") as file:
            for run in runs:
                file.seek(self.rows[run].offset)
                yield run, json.loads(file.read(self.rows[run].length))

    def pairs(self, run: str) -> list[dict[str, Any]]:
        """The tests of a run against other runs."""
        pairs: list[dict[str, Any]] = json.loads((self.folder / PAIRS).read_bytes())
        return [pair for pair in pairs if run in (pair["a"], pair["b"])]


def is_large(campaign: Campaign, dataset: str) -> bool:
    """Whether a board has so many runs that each page shows only a part of it."""
    return len(campaign.state.standing_submissions(dataset)) > MANY_RUNS


def read_index(campaign: Campaign, dataset: str) -> BoardIndex | None:
    """The index of the newest board of a dataset; None if it has not been made yet."""
    if not board_is_ready(campaign, dataset):
        return None
    folder = _folder(campaign, dataset)
    return _load_index(folder) if (folder / ROWS).is_file() else None


@lru_cache(maxsize=4)  # a page of ten thousand runs would parse megabytes; a folder is named for what is in it
def _load_index(folder: Path) -> BoardIndex:
    data = json.loads((folder / ROWS).read_bytes())
    return BoardIndex(folder, data["about"], {run: BoardRow(*row) for run, row in data["rows"].items()})


def _folder(campaign: Campaign, dataset: str) -> Path:
    state = campaign.state
    return campaign.folder / "work" / "boards" / state.boards[dataset, state.version(dataset)]


def write_index(campaign: Campaign, dataset: str, board: Mapping[str, Any]) -> None:
    """Make the index of the newest board, and delete those of boards that are no longer shown."""
    target = _folder(campaign, dataset)
    make_private_folder(target.parent)
    if not target.is_dir():
        folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=".new-"))
        _write_files(folder, board)
        with suppress(OSError):  # another process made it meanwhile
            folder.rename(target)
        shutil.rmtree(folder, ignore_errors=True)
    shown = set(campaign.state.boards.values())
    for old in target.parent.iterdir():
        if old.name not in shown and not old.name.startswith(".new-"):
            shutil.rmtree(old, ignore_errors=True)


def _write_files(folder: Path, board: Mapping[str, Any]) -> None:
    ranking, rows, offset = board["ranking"], {}, 0
    ranks = {item["system"]: item for item in ranking["ranks"]}
    letters = group_letters(ranking["groups"])
    with (folder / VALUES).open("wb") as file:
        for run, scores in board["systems"].items():
            line = canonical_json(scores) + b"\n"
            main, rank = scores[board["measure"]]["values"][board["value"]], ranks.get(run, {})
            low, high = main["interval"] or (None, None)
            places = (rank.get("rank"), rank.get("best"), rank.get("worst"))
            rows[run] = BoardRow(*places, letters.get(run, ""), main["score"], low, high, offset, file.write(line))
            offset += len(line)
    about = {name: board[name] for name in ("measure", "value", "test", "warnings")}
    data = {"about": {**about, "undefined": ranking["undefined"]}, "rows": rows}
    (folder / PAIRS).write_bytes(canonical_json(ranking["pairs"]))
    (folder / ROWS).write_bytes(canonical_json(data))
