"""Whether a run is valid: the same check runs on a participant's machine and when a submission is received.

All problems are reported together, with `path:line:column`. The words of a run are compared with those that were
handed out: differences are listed as residue, and the run is refused if they exceed what the protocol allows.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from aune.campaign.keys.texts import Residue, text_differences
from aune.campaign.protocol.protocol_file import Dataset, Limits, Protocol
from aune.campaign.runs.correspondence_tables import identity_problems, load_pivot, table_problems
from aune.campaign.runs.coverage import coverage_problems, measure_coverage
from aune.campaign.runs.published_files import foreign_file_problems
from aune.campaign.runs.uploads import read_upload
from aune.contract import registry
from aune.contract.options import options_of
from aune.errors import AuneError, InputError, Place, Problem, Remedy, make_visible
from aune.evaluation.pairing import MOST_NAMES, pair_corpora
from aune.evaluation.plan import options_for_responses
from aune.files import is_disk_full
from aune.reading.corpus import Corpus, read, read_with_problems

MOST_RESIDUE = 1_000  # places that are listed; all of them are counted
MOST_LABELS = 10  # unknown labels that a note lists


class Run(NamedTuple):
    """The upload of a participant: a file or an archive, and for tagging perhaps a correspondence table."""

    name: str
    data: bytes
    table_name: str = ""
    table: bytes = b""


class Check(NamedTuple):
    """The result of a check."""

    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    residue: tuple[Residue, ...]
    residue_count: int
    documents: int

    @property
    def is_valid(self) -> bool:
        return not self.problems


def unpack_run(folder: Path, run: Run, limits: Limits) -> Path:
    """Write the files of a run into an empty folder; returns the path to read."""
    files = read_upload(run.name, run.data, limits)
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder / next(iter(files)) if len(files) == 1 else folder


def check_run(
    protocol: Protocol, dataset: Dataset, folder: Path, texts: Corpus, run: Run, *, must_cover: bool = True,
    known_labels: Collection[str] = (),
) -> Check:  # fmt: skip
    """Check a run against the texts that were handed out; `folder` contains the files of the protocol.

    `must_cover` is false for a run that was valid before: its coverage was checked, or it is older than that check.
    `known_labels` are the labels of the keys that participants were given: a note reports other labels in a run.
    """
    protocol = protocol.for_dataset(dataset.name)
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        try:
            path = unpack_run(home / "run", run, protocol.limits)
            documents, problems, notes = _read(protocol, path)
        except InputError as error:
            if is_disk_full(error):  # not a fault of the run
                raise
            return Check(_participant_problems(error.problems, home, run), (), (), 0, 0)
        if must_cover and path.is_dir():
            problems += foreign_file_problems(protocol.task, run.name, read_upload(run.name, run.data, protocol.limits))
        if not problems:
            problems += registry.task(protocol.task).reading.check(documents)
        problems = [problem for problem in problems if problem.severity == "error"]
        is_readable = not problems
        pairs, pairing_problems = _pair_documents(protocol, texts, documents, run)
        problems += pairing_problems if documents or not problems else []
        if protocol.task == "tagging":
            tag_problems, tag_notes = _check_tags(protocol, folder, home, documents, run)
            problems += tag_problems
            notes += tag_notes
        notes += unknown_label_notes(protocol.task, documents, known_labels)
        differences = text_differences(protocol.task, pairs)
        if must_cover and is_readable:
            coverage = measure_coverage(protocol.task, pairs, differences)
            problems += coverage_problems(run.name, coverage, protocol.different)
        if differences:
            places = f"{len(differences)} place{'s' * (len(differences) > 1)}"
            notes.append(f"{places} where the text is not what was handed out: words were realigned there")
        return Check(
            _participant_problems(problems, home, run),
            tuple(notes),
            tuple(difference.residue for difference in differences[:MOST_RESIDUE]),
            len(differences),
            len(documents),
        )


def response_reader_options(protocol: Protocol) -> dict[str, Any]:
    """The options of the protocol that readers accept."""
    readers = [form.read for form in registry.formats(protocol.task)]
    known = {name for reader in readers for name in options_of(reader)}
    return {name: value for name, value in options_for_responses(protocol.scoring.options).items() if name in known}


def _read(protocol: Protocol, path: Path) -> tuple[list[Any], list[Problem], list[str]]:
    task = registry.task(protocol.task)
    corpus, problems = read_with_problems(task, str(path), **response_reader_options(protocol))
    return corpus.documents, list(problems), [warning.partition(": ")[2] or warning for warning in corpus.warnings]


def _pair_documents(
    protocol: Protocol, texts: Corpus, documents: Sequence[Any], run: Run
) -> tuple[Sequence[tuple[Any, Any]], list[Problem]]:
    """Pairs of documents handed out and documents of a run, and a problem for each document without a counterpart."""
    place = Place(run.name)
    if not documents:
        add_them = Remedy("add the documents that were handed out")
        return [], [Problem("document.none", place, "no document", "those that were handed out", (add_them,))]
    task = registry.task(protocol.task)
    try:
        pairs, missing, extra, *_ = pair_corpora(task, texts, Corpus(list(documents), run.name), missing="skip")
    except InputError:  # no document has the name of one that was handed out
        names = [document.id for document in texts.documents]
        what = f"{task.reading.part}s with other names than those that were handed out"
        expected = f"names such as {', '.join(map(repr, names[:MOST_NAMES]))}"
        return [], [Problem("document.unknown", place, what, expected, (Remedy("keep the names"),))]
    except AuneError as error:
        return [], [Problem("run.unreadable", place, f"documents that cannot be compared ({error})")]
    part = task.reading.part
    problems = [
        Problem("document.missing", place, f"no {part} {name!r}", "every one that was handed out", (Remedy("add it"),))
        for name in missing.names
    ]
    problems += [
        Problem(
            "document.unexpected",
            place,
            f"the {part} {name!r}, which was not handed out",
            "only those that were",
            (Remedy("remove it"), Remedy("name it as it was handed out")),
        )
        for name in extra.names
    ]
    return pairs, problems


def _check_tags(
    protocol: Protocol, folder: Path, home: Path, documents: Sequence[Any], run: Run
) -> tuple[list[Problem], list[str]]:
    pivot = load_pivot(protocol, folder)
    if not run.table:
        return (identity_problems(run.name, documents, pivot) if documents else []), []
    name = run.table_name or "table.tsv"
    target = home / ("table.toml" if name.endswith(".toml") else "table.tsv")
    target.write_bytes(run.table)
    return table_problems(str(target), name, documents, pivot)


def unknown_label_notes(task: str, documents: Sequence[Any], known: Collection[str]) -> list[str]:
    """A note about the labels of a run that are in no key which participants were given."""
    if task != "entities" or not known:
        return []
    counts = count_labels(documents)
    unknown = sorted((label for label in counts if label not in known), key=lambda label: (-counts[label], label))
    if not unknown:
        return []
    listed = ", ".join(f"{make_visible(label)!r} ({counts[label]:,})" for label in unknown[:MOST_LABELS])
    more = f" and {len(unknown) - MOST_LABELS:,} more" if len(unknown) > MOST_LABELS else ""
    return [f"labels that are in no key that was handed out: {listed}{more}"]


def count_labels(documents: Iterable[Any]) -> Counter[str]:
    """How many entities have each label."""
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update(document.names[code] for code in document.labels.tolist())
    return counts


PARTICIPANT_REMEDIES = {"file.too-large": (Remedy("send it packed less"), Remedy("send less"))}
"""Remedies for participants, for problems where the owner of a machine could change a setting instead."""


def _participant_problems(problems: Sequence[Problem], home: Path, run: Run) -> tuple[Problem, ...]:
    """Problems with the participant's names of files, and with remedies that a participant can apply.

    Remedies with command options are left out, since the protocol sets the options of a campaign.
    """
    return tuple(sorted({_participant_problem(problem, home, run) for problem in problems}))


def _participant_problem(problem: Problem, home: Path, run: Run) -> Problem:
    inside = problem.place.path.removeprefix(f"{home / 'run'}").lstrip("/")
    remedies = PARTICIPANT_REMEDIES.get(problem.code) or tuple(
        remedy for remedy in problem.remedies if not remedy.options
    )
    worded = replace(problem, remedies=remedies)
    if not problem.place.path.startswith(str(home)):
        return worded
    return worded.with_path(run.name if inside in ("", Path(run.name).name) else f"{run.name}!{inside}")


def read_texts(protocol: Protocol, name: str, data: bytes, form: str) -> Corpus:
    """The texts that were handed out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, Path(name).name)
        path.write_bytes(data)
        return read(registry.task(protocol.task), str(path), form, **response_reader_options(protocol))


def describe_check(check: Check) -> Iterator[str]:
    """A check in words, for people."""
    yield f"{check.documents} document{'s' * (check.documents != 1)}"
    yield from check.notes
    for residue in check.residue[:20]:
        where = f"line {residue.line}" if residue.line else f"word {residue.word:,}"
        yield f"residue: {residue.document}, {where}: expected {residue.expected!r}, found {residue.found!r}"
    if check.residue_count > 20:
        yield f"residue: … and {check.residue_count - 20} more"


class RefusedRunError(AuneError):
    """A campaign refused a run because of problems in its files."""

    exit_code = InputError.exit_code


def stored_problem_line(path: str, line: int, column: int, message: str) -> str:
    """A problem in one line, as the results of a campaign store it, with the wording that its team reads."""
    return make_visible(f"{Place(path, line, column)}: {message}")


def check_data(check: Check) -> Mapping[str, Any]:
    """A check as plain data."""
    return {
        "problems": [
            [problem.place.path, problem.place.line, problem.place.column, problem.for_web_page()]
            for problem in check.problems
        ],
        "codes": [problem.code for problem in check.problems],
        "notes": list(check.notes),
        "residue": [list(residue) for residue in check.residue],
        "residue_count": check.residue_count,
        "documents": check.documents,
    }
