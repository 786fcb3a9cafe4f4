"""The protocol: `campaign.toml` is read and checked, and all problems are reported together.

A protocol refers to nothing outside its folder: no remote address, no Python module, no absolute path.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from keyword import iskeyword
from pathlib import Path
from typing import Any, NamedTuple

from aune.campaign.ledger.ledger_file import canonical_json
from aune.campaign.protocol.deadlines import parse_instant, time_zone
from aune.campaign.protocol.phases import (
    ARCHIVE,
    CALL,
    DISTRIBUTING,
    DRY_ADJUDICATION,
    DRY_RUN,
    OPEN,
    PHASES,
    SUBMITTING,
    TEST,
    has_reached,
)
from aune.campaign.protocol.scorer import MEASURE_KIND, PROGRAM_KIND, SCORER, Scorer, declared_measure
from aune.campaign.protocol.toml_positions import KeyPath as Keys
from aune.campaign.protocol.toml_positions import find_positions
from aune.campaign.protocol.visibility import CELLS, HELD_BACK, NEVER, NEVER_PUBLIC
from aune.contract import registry
from aune.contract.measure import Measure
from aune.contract.options import OptionFile, options_of
from aune.contract.task import Task
from aune.errors import AuneError, InputError, Place, Problem, Remedy
from aune.evaluation.plan import resolve_options, select_measures
from aune.files import parse_toml, read_bytes, read_text, sha256_hex
from aune.statistics.paired_tests import TESTS
from aune.statistics.ranking import CORRECTIONS

PROTOCOL_FILE = "campaign.toml"
PLACEHOLDER_LICENCE = "Replace this text by the licence of your texts."
"""The beginning of the placeholder licence in a new campaign, which cannot be used as a licence."""
PIVOT_TASK = "tagging"
"""The task whose runs come with correspondence tables into a pivot tagset."""
REGISTRATIONS = ("invitation", "approval")
NAME_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
ADDRESS_PATTERN = re.compile(r"[A-Za-z0-9+.-]://|^//|^www\.", re.IGNORECASE)
URL_SCHEMES = ("http", "https", "ftp", "s3", "gs", "gcs", "hf", "az", "abfs", "file", "ssh", "git", "data")


class Dataset(NamedTuple):
    """Texts that are handed out in a phase, and the key that scores the responses to them."""

    name: str
    phase: str
    condition: str
    key: str
    """The path of the key, relative to the folder of the campaign."""
    texts: str = ""
    """The file that is handed out, if it contains more than the texts of the key."""
    format: str = ""
    annotators: Mapping[str, str] = {}
    """The file of each annotator of the key's texts, from which their agreement is computed."""
    track: str = ""
    """The track of the dataset; '' for the task and the scoring of the campaign."""
    source: str = ""
    """In the open phase: the test dataset whose texts and newest key are used."""


class Scoring(NamedTuple):
    """How runs are scored and ranked."""

    measures: tuple[str, ...]
    ranking: str
    value: str
    options: Mapping[str, Any]
    convention: str = ""
    unit: str = "document"
    test: str = "randomisation"
    level: float = 0.95
    draws: int = 10_000
    seed: int = 1
    correction: str = "holm"
    rank: str = "all"
    """Which runs are ranked and tested: `all`, or only the `primary` run of each team."""
    scorer: Scorer | None = None
    """The organiser's own scorer, available as the measure `scorer`."""

    def measures_of(self, task: Task, names: Sequence[str]) -> list[Measure]:
        """The measures with these names; the organiser's scorer is built from its declaration, without its code."""
        chosen = {SCORER: declared_measure(self.scorer)} if self.scorer else {}
        return select_measures(task, [chosen.get(name, name) for name in names])


class Track(NamedTuple):
    """A set of datasets with its own task and scoring."""

    name: str
    title: str
    task: str
    scoring: Scoring


class MetadataField(NamedTuple):
    """A field of the description that teams give of each run."""

    name: str
    title: str
    required: bool = False


class Quota(NamedTuple):
    """The submissions and disputes that a team may make for each dataset of a phase."""

    valid: int = 5
    """Valid submissions; those that failed by a fault of the organiser's side count neither here nor in `total`."""
    total: int = 20
    disputes: int = 100
    """Disputes about the key; accepted ones do not count."""


OPEN_QUOTA = Quota(valid=100, total=300, disputes=0)
"""The default quota of the open phase."""
OPEN_ENDING = "-open"
"""The suffix of dataset names in the open phase."""


class Limits(NamedTuple):
    """The largest upload, and the most time and memory that scoring may take."""

    upload: int = 100_000_000
    unpacked: int = 500_000_000
    files: int = 10_000
    ratio: int = 200
    seconds: int = 600
    memory: int = 4_000_000_000


@dataclass(frozen=True)
class Protocol:
    """The settings of a campaign."""

    name: str
    title: str
    task: str
    zone: str
    licence: str
    conditions: Mapping[str, str]
    """Titles by name."""
    datasets: Mapping[str, Dataset]
    scoring: Scoring
    pivot: str
    """The tagset that correspondence tables map to: the name of one in aune, or a file; '' for tasks without one."""
    pivot_version: str
    quotas: Mapping[str, Quota]
    deadlines: Mapping[str, datetime]
    """The end of each phase."""
    phases: tuple[str, ...]
    public: Mapping[str, str]
    limits: Limits
    files: Mapping[str, str]
    """The digests of the files that the protocol names, except keys and texts: they are part of the protocol."""
    text: str = field(repr=False, default="")
    different: float = 0.0
    """The share of the words handed out that a valid run may leave out, add or change."""
    agreement: Mapping[str, Any] = field(default_factory=dict)
    """How the agreement of annotators is measured: options of the agreement measures of the task."""
    tracks: Mapping[str, Track] = field(default_factory=dict)
    metadata: Mapping[str, MetadataField] = field(default_factory=dict)
    """The fields of the description that teams give of each run, by name."""
    contact: str = ""
    """The contact that the public page shows."""
    registration: str = "invitation"
    """How teams join: by `invitation`, or by an application that the organiser must approve (`approval`)."""

    @property
    def digest(self) -> str:
        """The digest that a frozen protocol is recorded with: of its text and of the files that it names."""
        return sha256_hex(canonical_json({"text": self.text, "files": dict(self.files)}))

    @property
    def scoring_digest(self) -> str:
        """A digest of everything that scores depend on: protocols with the same digest give the same scores."""
        scoring = self.scoring
        return sha256_hex(canonical_json({
            "task": self.task, "measures": scoring.measures, "options": dict(scoring.options),
            "convention": scoring.convention, "pivot": self.pivot,
            "formats": {name: dataset.format for name, dataset in self.datasets.items() if not dataset.source},
            "files": {path: digest for path, digest in self.files.items() if path != self.licence},
            **({"scorer": scoring.scorer} if scoring.scorer else {}),
        }))  # fmt: skip

    @property
    def handed_files(self) -> Mapping[str, str]:
        """The files that participants get with the protocol; the organiser's scorers are only in the archive."""
        scorings = (self.scoring, *(track.scoring for track in self.tracks.values()))
        kept_back = {path for scoring in scorings if scoring.scorer for path in scoring.scorer.paths}
        return {path: digest for path, digest in self.files.items() if path not in kept_back}

    def is_key_published(self, name: str) -> bool:
        """Whether the key of a dataset is eventually published, which keys of licensed corpora are not."""
        dataset = self.datasets.get(name)
        return dataset is None or self.public.get(f"{dataset.phase} key") != NEVER

    def for_dataset(self, name: str) -> Protocol:
        """The protocol for one dataset, with the task and the scoring of its track."""
        track = self.tracks.get(self.datasets[name].track) if name in self.datasets else None
        if track is None:
            return self
        return replace(
            self, task=track.task, scoring=track.scoring, pivot=self.pivot if track.task == PIVOT_TASK else "",
            agreement=self.agreement if track.task == self.task else {},
        )  # fmt: skip

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks of all datasets."""
        return tuple(dict.fromkeys(self.for_dataset(name).task for name in self.datasets)) or (self.task,)

    def datasets_in(self, phase: str) -> list[Dataset]:
        return [dataset for dataset in self.datasets.values() if dataset.phase == phase]


def read_protocol(folder: Path) -> Protocol:
    """The protocol in a campaign's folder; raises InputError with all its problems."""
    path = folder / PROTOCOL_FILE
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        what, remedy = f"no readable file ({error})", Remedy("`aune campaign new` writes one")
        raise InputError([Problem("protocol.unreadable", Place(str(path)), what, "a protocol", (remedy,))]) from None
    return parse_protocol(text, folder, str(path))


def parse_protocol(text: str, folder: Path, name: str = PROTOCOL_FILE, *, complete: bool = True) -> Protocol:
    """The protocol in a text; if `complete`, its files must all exist: an archive lacks keys that are not published."""
    try:
        data = parse_toml(text)
    except ValueError as error:
        line, column = map(
            int, re.findall(r"line (\d+), column (\d+)", str(error))[0] if "line" in str(error) else (1, 1)
        )
        raise InputError(
            [Problem("toml.malformed", Place(name, line, column), f"no valid TOML ({error})", "a protocol")]
        ) from None
    checking = _ProtocolReader(data, find_positions(text), folder, name, complete)
    plan = checking.build_protocol(text)
    if checking.problems or plan is None:
        raise InputError(checking.problems)
    return plan


class _ProtocolReader:
    """Reads one protocol and collects its problems."""

    def __init__(
        self, data: dict[str, Any], positions: Mapping[Keys, tuple[int, int]], folder: Path, name: str, complete: bool
    ) -> None:
        self.data, self.positions, self.folder, self.name, self.complete = data, positions, folder, name, complete
        self.problems: list[Problem] = []
        self.files: dict[str, str] = {}
        self._check_addresses((), data)

    def add_problem(self, code: str, keys: Keys, found: str, expected: str = "", *remedies: Remedy) -> None:
        """Report a problem at the value of a key, or at the innermost enclosing table that the file contains."""
        while keys not in self.positions:
            keys = keys[:-1]
        self.problems.append(Problem(code, Place(self.name, *self.positions[keys]), found, expected, remedies))

    def _check_addresses(self, keys: Keys, value: Any) -> None:
        """Report every value that is a remote address."""
        if isinstance(value, Mapping):
            for key, inner in value.items():
                self._check_addresses((*keys, key), inner)
        elif isinstance(value, list):
            for number, inner in enumerate(value):
                self._check_addresses((*keys, number), inner)
        elif isinstance(value, str) and (
            ADDRESS_PATTERN.search(value) or (value.partition(":")[0].lower() in URL_SCHEMES and ":" in value)
        ):
            self.add_problem(
                "protocol.remote-address",
                keys,
                f"an address ({value!r})",
                "none in a protocol",
                Remedy("use a file of the folder"),
            )

    def table(self, keys: Keys, known: Sequence[str] | None, required: Sequence[str] = ()) -> dict[str, Any]:
        """A table; if `known` is given, other keys are reported."""
        table: Any = self.data
        for key in keys:
            if isinstance(table, list) and isinstance(key, int):
                table = table[key]
            else:
                table = table.get(key, {}) if isinstance(table, Mapping) else {}
        if not isinstance(table, dict):
            self.add_problem("protocol.no-table", keys, f"{table!r}", "a table")
            return {}
        for key in table:
            if known is not None and key not in known:
                self.add_problem(
                    "protocol.unknown-key",
                    (*keys, key),
                    f"{key!r}",
                    f"one of {', '.join(known)}",
                    Remedy("rename or remove it"),
                )
        for key in required:
            if key not in table:
                self.add_problem("protocol.missing-key", keys, f"no {key!r}", "one", Remedy("add it"))
        return table

    def check_text(self, keys: Keys, value: Any, default: str = "") -> str:
        if value is None:
            return default
        if not isinstance(value, str):
            self.add_problem("protocol.no-text", keys, f"{value!r}", "text in quotes")
            return default
        return value

    def check_name(self, keys: Keys, value: Any) -> str:
        text = self.check_text(keys, value)
        if value is not None and not NAME_PATTERN.fullmatch(text):
            self.add_problem("protocol.bad-name", keys, f"{text!r}", "a name of letters, digits, '.', '_' and '-'")
        return text

    def check_choice(self, keys: Keys, value: Any, known: Sequence[str], default: str) -> str:
        text = self.check_text(keys, value, default)
        if text not in known:
            self.add_problem("protocol.unknown-choice", keys, f"{text!r}", f"one of {', '.join(known)}")
            return default
        return text

    def check_number(self, keys: Keys, value: Any, default: Any, least: float, most: float) -> Any:
        if value is None:
            return default
        is_whole = isinstance(default, int)
        if (
            isinstance(value, bool)
            or not isinstance(value, int if is_whole else (int, float))
            or not least <= value <= most
        ):
            self.add_problem(
                "protocol.no-number", keys, f"{value!r}", f"a{' whole' * is_whole} number from {least:g} to {most:g}"
            )
            return default
        return value

    def check_flag(self, keys: Keys, value: Any) -> bool:
        if value is not None and not isinstance(value, bool):
            self.add_problem("protocol.no-flag", keys, f"{value!r}", "true or false")
        return value is True

    def check_path(self, keys: Keys, value: Any) -> str:
        """A path, which must stay inside the folder."""
        text = self.check_text(keys, value)
        if not text:
            return ""
        inside = Path(text)
        if inside.is_absolute() or ".." in inside.parts or "\\" in text or "\0" in text:
            self.add_problem(
                "protocol.path-outside", keys, f"{text!r}", "a path inside the folder of the campaign, without '..'"
            )
            return ""
        real = Path(os.path.realpath(self.folder / inside))
        if not real.is_relative_to(os.path.realpath(self.folder)):
            self.add_problem(
                "protocol.path-outside", keys, f"{text!r}, which leads out of the folder", "a file inside it"
            )
            return ""
        if self.complete and not _is_file(real):
            self.add_problem(
                "protocol.file-missing",
                keys,
                f"no file {text!r}",
                "one in the folder of the campaign",
                Remedy("put it there"),
            )
        return text

    def add_file(self, path: str) -> None:
        """Add a file to those that are part of the protocol."""
        if path and _is_file(self.folder / path):
            self.files[path] = sha256_hex(read_bytes(self.folder / path))

    def build_protocol(self, text: str) -> Protocol | None:
        known = ("campaign", "conditions", "data", "scoring", "referential", "quotas", "phases", "public", "limits",
                 "coverage", "agreement", "metadata", "tracks", "open")  # fmt: skip
        self.table((), known, ("campaign", "data", "scoring"))
        about = self.table(("campaign",), ("name", "title", "task", "zone", "licence", "contact", "registration"),
                           ("name", "task"))  # fmt: skip
        name = self.check_name(("campaign", "name"), about.get("name"))
        task = self.check_choice(("campaign", "task"), about.get("task"), registry.task_names(), "")
        if not task:
            return None  # nothing else can be checked without a known task
        zone = self._zone(about.get("zone"))
        licence = self.check_path(("campaign", "licence"), about.get("licence"))
        self.add_file(licence)
        conditions = self._conditions()
        phases, deadlines = self._phases()
        tracks = self._tracks(task)
        datasets = self._datasets(registry.task(task), conditions, tracks)
        datasets |= self._open_datasets(datasets)
        scoring = self._scoring(registry.task(task))
        pivot, version = self._referential({task, *(track.task for track in tracks.values())})
        plan = Protocol(
            name, self.check_text(("campaign", "title"), about.get("title"), name), task, zone, licence, conditions,
            datasets, scoring, pivot, version, self._quotas(), deadlines, phases, self._public(), self._limits(),
            dict(sorted(self.files.items())), text, self._coverage(),
            self._agreement(registry.task(task)), tracks, self._metadata(),
            self.check_text(("campaign", "contact"), about.get("contact")),
            self.check_choice(("campaign", "registration"), about.get("registration"), REGISTRATIONS, REGISTRATIONS[0]),
        )  # fmt: skip
        return plan if not self.problems else None

    def _zone(self, value: Any) -> str:
        zone = self.check_text(("campaign", "zone"), value, "UTC")
        try:
            time_zone(zone)
        except ValueError as error:
            self.add_problem("protocol.unknown-zone", ("campaign", "zone"), f"{error}")
            return "UTC"
        return zone

    def _tables(self, key: str) -> list[tuple[Keys, Any]]:
        """The entries of an array of tables."""
        entries = self.data.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            self.add_problem("protocol.no-table", (key,), f"{entries!r}", f"tables [[{key}]]")
            return []
        return [((key, number), entry) for number, entry in enumerate(entries)]

    def _conditions(self) -> dict[str, str]:
        conditions: dict[str, str] = {}
        for keys, entry in self._tables("conditions"):
            self.table(keys, ("name", "title"), ("name",))
            name = self.check_name((*keys, "name"), entry.get("name"))
            if name in conditions:
                self.add_problem(
                    "protocol.repeated-condition", (*keys, "name"), f"the condition {name!r} a second time", "it once"
                )
            conditions[name] = self.check_text((*keys, "title"), entry.get("title"), name)
        return conditions or {"all": "all"}

    def _tracks(self, usual_task: str) -> dict[str, Track]:
        """The tracks, which have other tasks and scorings than the campaign."""
        tracks: dict[str, Track] = {}
        for keys, entry in self._tables("tracks"):
            self.table(keys, Track._fields, ("name", "scoring"))
            name = self.check_name((*keys, "name"), entry.get("name"))
            if name in tracks:
                self.add_problem(
                    "protocol.repeated-track", (*keys, "name"), f"the track {name!r} a second time", "every name once"
                )
            task = self.check_choice((*keys, "task"), entry.get("task"), registry.task_names(), usual_task)
            title = self.check_text((*keys, "title"), entry.get("title"), name)
            tracks[name] = Track(name, title, task, self._scoring(registry.task(task), (*keys, "scoring")))
        return tracks

    def _metadata(self) -> dict[str, MetadataField]:
        """The fields of the description that teams give of each run."""
        fields: dict[str, MetadataField] = {}
        for keys, entry in self._tables("metadata"):
            self.table(keys, MetadataField._fields, ("name",))
            name = self.check_name((*keys, "name"), entry.get("name"))
            if name in fields:
                self.add_problem(
                    "protocol.repeated-metadata", (*keys, "name"), f"the field {name!r} a second time", "it once"
                )
            title = self.check_text((*keys, "title"), entry.get("title"), name)
            fields[name] = MetadataField(name, title, self.check_flag((*keys, "required"), entry.get("required")))
        return fields

    def _datasets(
        self, task: Task, conditions: Mapping[str, str], tracks: Mapping[str, Track]
    ) -> dict[str, Dataset]:  # fmt: skip
        datasets: dict[str, Dataset] = {}
        known = ("name", "phase", "condition", "key", "texts", "format", "annotators", "track")
        for keys, entry in self._tables("data"):
            track = self.check_choice((*keys, "track"), entry.get("track"), [*tracks, ""], "")
            formats = [form.name for form in registry.formats(tracks[track].task if track else task.name)]
            self.table(keys, known, ("name", "phase", "key"))
            name = self.check_name((*keys, "name"), entry.get("name"))
            if name in datasets:
                self.add_problem(
                    "protocol.repeated-dataset", (*keys, "name"), f"the data {name!r} a second time", "every name once"
                )
            annotators = self.table((*keys, "annotators"), None)
            form = entry.get("format")
            datasets[name] = Dataset(
                name,
                self.check_choice((*keys, "phase"), entry.get("phase"), DISTRIBUTING, DISTRIBUTING[0]),
                self.check_choice(
                    (*keys, "condition"), entry.get("condition"), list(conditions), next(iter(conditions))
                ),
                self.check_path((*keys, "key"), entry.get("key")),
                self.check_path((*keys, "texts"), entry.get("texts")),
                self.check_choice((*keys, "format"), form, formats, formats[0]) if form is not None else "",
                {
                    self.check_name((*keys, "annotators", annotator), annotator): self.check_path(
                        (*keys, "annotators", annotator), path
                    )
                    for annotator, path in annotators.items()
                },
                track,
            )
        return datasets

    def _open_datasets(self, datasets: Mapping[str, Dataset]) -> dict[str, Dataset]:
        """The test datasets under new names, for the open phase, which has a leaderboard of its own."""
        table = self.table(("open",), ("data",), ("data",) if "open" in self.data else ())
        names = self._texts(("open", "data"), table.get("data", []))
        again = {}
        for number, name in enumerate(names):
            source = datasets.get(name)
            if source is None or source.phase != TEST:
                known = ", ".join(dataset.name for dataset in datasets.values() if dataset.phase == TEST)
                self.add_problem("protocol.unknown-choice", ("open", "data", number), f"{name!r}", f"one of {known}")
                continue
            open_name = f"{name}{OPEN_ENDING}"
            if open_name in datasets:
                self.add_problem(
                    "protocol.repeated-dataset", ("open", "data", number), f"the data {open_name!r} a second time",
                    "another name: this is what they are called in the open phase",
                )  # fmt: skip
            again[open_name] = source._replace(name=open_name, phase=OPEN, annotators={}, source=name)
        return again

    def _scoring(self, task: Task, here: Keys = ("scoring",)) -> Scoring:
        table = self.table(here, Scoring._fields, ("ranking",))
        scorer = self._scorer((*here, "scorer")) if "scorer" in table else None
        ranking = self._measure((*here, "ranking"), table.get("ranking"), task, scorer)
        listed = table.get("measures", [])
        if not isinstance(listed, list):
            self.add_problem("protocol.no-list", (*here, "measures"), f"{listed!r}", "a list of measures")
            listed = []
        measures = [
            self._measure((*here, "measures", number), name, task, scorer) for number, name in enumerate(listed)
        ]
        chosen = tuple(dict.fromkeys(name for name in (ranking, *measures) if name))
        by_name = [name for name in chosen if name != SCORER]
        options, convention = self._options(task, by_name, table.get("convention"), here)
        values, headline = _values_of(ranking, task, scorer)
        tests = [*TESTS, *task.extras.paired_tests]
        return Scoring(
            chosen,
            ranking,
            self.check_choice((*here, "value"), table.get("value"), tuple(values), headline),
            options,
            convention,
            self.check_choice(
                (*here, "unit"),
                table.get("unit"),
                ("document", "sentence", "speaker", "story", "utterance"),
                "document",
            ),
            self.check_choice(
                (*here, "test"), table.get("test"), [name for name in tests if name in TESTS], "randomisation"
            ),
            self.check_number((*here, "level"), table.get("level"), 0.95, 0.5, 0.9999),
            self.check_number((*here, "draws"), table.get("draws"), 10_000, 100, 1_000_000),
            self.check_number((*here, "seed"), table.get("seed"), 1, 0, 2**31),
            self.check_choice((*here, "correction"), table.get("correction"), list(CORRECTIONS), "holm"),
            self.check_choice((*here, "rank"), table.get("rank"), ("all", "primary"), "all"),
            scorer,
        )

    def _scorer(self, here: Keys) -> Scorer | None:
        """The organiser's own scorer; its files are part of the protocol and frozen with it."""
        known = ("file", "kind", "values", "better", "range", "files", "seconds", "memory")
        table = self.table(here, known, ("file", "kind", "values"))
        file = self.check_path((*here, "file"), table.get("file"))
        beside = self._texts((*here, "files"), table.get("files", []))
        files = [self.check_path((*here, "files", number), path) for number, path in enumerate(beside)]
        values = self._texts((*here, "values"), table.get("values", []))
        if "values" in table and not (values and all(map(_is_value_name, values)) and len({*values}) == len(values)):
            expected = "names of letters, digits and '_', each once"
            self.add_problem("protocol.bad-name", (*here, "values"), f"{table['values']!r}", expected)
        low, high = self._bounds((*here, "range"), table.get("range", [0, 1]))
        for path in (file, *files):
            self.add_file(path)
        usual = Scorer("", "", ())
        return Scorer(
            file,
            self.check_choice((*here, "kind"), table.get("kind"), (MEASURE_KIND, PROGRAM_KIND), PROGRAM_KIND),
            tuple(name for name in values if _is_value_name(name)) or ("value",),
            self.check_choice((*here, "better"), table.get("better"), ("higher", "lower", "zero"), "higher"),  # type: ignore[arg-type]
            low, high, tuple(files),
            self.check_number((*here, "seconds"), table.get("seconds"), usual.seconds, 1, 3600),
            self.check_number((*here, "memory"), table.get("memory"), usual.memory, 1_000_000, 2**40),
        )  # fmt: skip

    def _texts(self, keys: Keys, value: Any) -> list[str]:
        """A list of strings."""
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            self.add_problem("protocol.no-list", keys, f"{value!r}", "a list of texts in quotes")
            return []
        return value

    def _bounds(self, keys: Keys, value: Any) -> tuple[float, float]:
        """The lowest and the highest possible value."""
        is_pair = isinstance(value, list) and len(value) == 2
        if not is_pair or not all(isinstance(end, int | float) and math.isfinite(end) for end in value):
            self.add_problem("protocol.no-number", keys, f"{value!r}", "the lowest and the highest value, [0.0, 1.0]")
            return 0.0, 1.0
        if not value[0] < value[1]:
            self.add_problem("protocol.no-number", keys, f"{value!r}", "the lower end first")
        return float(value[0]), float(value[1])

    def _measure(self, keys: Keys, value: Any, task: Task, scorer: Scorer | None = None) -> str:
        """The name of a measure of aune, or of the organiser's scorer."""
        text = self.check_text(keys, value)
        if not text or (text == SCORER and scorer):
            return text
        try:
            if ":" in text or registry.user_modules(text):
                self.add_problem(
                    "protocol.foreign-measure",
                    keys,
                    f"{text!r}",
                    "a measure of aune",
                    Remedy("a protocol loads no module"),
                )
                return ""
            [measure] = select_measures(task, [text])
            return measure.name
        except (AuneError, ValueError) as error:
            self.add_problem("protocol.unknown-measure", keys, f"{text!r}: {error}")
            return ""

    def _options(
        self, task: Task, measures: Sequence[str], convention: Any, here: Keys
    ) -> tuple[dict[str, Any], str]:  # fmt: skip
        keys: Keys = (*here, "options")
        options = self.table(keys, None)
        convention_name = self.check_text((*here, "convention"), convention)
        if convention_name and convention_name not in task.comparing.conventions:
            self.add_problem(
                "protocol.unknown-choice",
                (*here, "convention"),
                f"{convention_name!r}",
                f"one of {', '.join(task.comparing.conventions)}",
            )
            convention_name = ""
        chosen = select_measures(task, list(measures)) if measures else []
        for name, value in options.items():
            try:
                resolve_options(task, chosen, convention_name or None, {name: value})
            except AuneError as error:
                self.add_problem("protocol.bad-option", (*keys, name), f"{name} = {value!r}: {error}")
            self._option_file((*keys, name), task, name, value)
        return options, convention_name

    def _option_file(self, keys: Keys, task: Task, name: str, value: Any) -> None:
        """Check that an option which names a file names one inside the folder."""
        takes = options_of(task.comparing.compare).get(name)
        is_file = takes is not None and takes.type is OptionFile
        if (
            isinstance(value, str)
            and value
            and (is_file or "/" in value or "\\" in value or _is_file(self.folder / value))
        ):
            self.add_file(self.check_path(keys, value))
        elif isinstance(value, str) and Path(value).is_absolute():
            self.add_problem("protocol.path-outside", keys, f"{value!r}", "a path inside the folder")

    def _referential(self, tasks: Collection[str]) -> tuple[str, str]:
        table = self.table(("referential",), ("pivot", "version"), ("pivot",) if "referential" in self.data else ())
        pivot = self.check_text(("referential", "pivot"), table.get("pivot"))
        if pivot and PIVOT_TASK not in tasks:
            self.add_problem(
                "protocol.unexpected-referential",
                ("referential",),
                "a referential",
                f"none for {', '.join(tasks)}",
                Remedy("only tagging has tables"),
            )
        if pivot.endswith(".toml"):
            self.add_file(self.check_path(("referential", "pivot"), pivot))
        elif pivot:
            from aune.tasks.tagging.grace.tagset import SHIPPED  # noqa: PLC0415 - needed by one task only

            shipped = sorted(file.stem for file in SHIPPED.glob("*.toml"))
            self.check_choice(("referential", "pivot"), pivot, shipped, shipped[0])
        return pivot, self.check_text(("referential", "version"), table.get("version"), "1") if pivot else ""

    def _quotas(self) -> dict[str, Quota]:
        quotas = {}
        self.table(("quotas",), SUBMITTING)
        for phase in SUBMITTING:
            keys: Keys = ("quotas", phase)
            table = self.table(keys, Quota._fields)
            least, usual_quota = Quota(valid=1, total=1, disputes=0), OPEN_QUOTA if phase == OPEN else Quota()
            quota = Quota(
                *(
                    self.check_number((*keys, name), table.get(name), usual, fewest, 100_000)
                    for name, usual, fewest in zip(Quota._fields, usual_quota, least, strict=True)
                )
            )
            if quota.total < quota.valid:
                self.add_problem(
                    "protocol.quota-order", keys, f"{quota.total} in total", f"at least the {quota.valid} valid ones"
                )
            quotas[phase] = quota
        return quotas

    def _phases(self) -> tuple[tuple[str, ...], dict[str, datetime]]:
        """The phases of the campaign, and when they end."""
        self.table(("phases",), PHASES)
        table = self.data.get("phases", {})
        left_out = [phase for phase, ends in table.items() if ends is False] if isinstance(table, dict) else []
        needed = (CALL, "test", "test adjudication", "publication", ARCHIVE)
        for phase in left_out:
            if phase in needed:
                self.add_problem(
                    "protocol.missing-phase", ("phases", phase), f"no {phase}", "this phase in every campaign"
                )
        deadlines: dict[str, datetime] = {}
        for phase, ends in table.items() if isinstance(table, dict) else ():
            if isinstance(ends, bool):
                if ends:
                    self.add_problem(
                        "protocol.bad-deadline",
                        ("phases", phase),
                        "true",
                        "when the phase ends, or false for no such phase",
                    )
                continue
            try:
                deadlines[phase] = parse_instant(ends)
            except (ValueError, TypeError) as error:
                self.add_problem("protocol.bad-deadline", ("phases", phase), f"{ends!r}: {error}")
        in_order = [(phase, deadlines[phase]) for phase in PHASES if phase in deadlines]
        for (before, early), (after, late) in pairwise(in_order):
            if late < early:
                self.add_problem(
                    "protocol.deadline-order",
                    ("phases", after),
                    f"an end of {after} before that of {before}",
                    "it after",
                )
        without = {*left_out, *([DRY_ADJUDICATION] if DRY_RUN in left_out else [])}
        if "open" not in self.data:
            without.add(OPEN)
            if OPEN in deadlines:
                self.add_problem("protocol.missing-key", ("phases", OPEN), "no table [open]", "one, with its data")
        return tuple(phase for phase in PHASES if phase not in without), deadlines

    def _public(self) -> dict[str, str]:
        """The phases from which things are public, if later than in the table of `visibility`."""
        table = self.table(("public",), HELD_BACK)
        delays = {}
        for thing, value in table.items():
            never = (NEVER,) if thing in NEVER_PUBLIC else ()
            phase = self.check_choice(("public", thing), value, (*PHASES, *never), ARCHIVE)
            if phase == NEVER:
                delays[thing] = NEVER
            elif thing in CELLS:
                first = next(name for name, cell in zip(PHASES, CELLS[thing], strict=True) if "v" in cell)
                if not has_reached(phase, first):
                    self.add_problem(
                        "protocol.early-publication",
                        ("public", thing),
                        f"{phase!r}",
                        f"{first!r} or later",
                        Remedy("it would leak"),
                    )
                delays[thing] = phase
        return delays | ({"open key": NEVER} if delays.get("test key") == NEVER else {})

    def _coverage(self) -> float:
        """The share of the words that may be missing or different in a valid run."""
        table = self.table(("coverage",), ("different",))
        share: float = self.check_number(("coverage", "different"), table.get("different"), 0.0, 0, 1)
        return share

    def _agreement(self, task: Task) -> dict[str, Any]:
        """The options of annotator agreement, such as `unmarked` for coreference."""
        keys: Keys = ("agreement",)
        judgements = task.agreement.judgements
        known = options_of(judgements) if judgements else {}
        if keys[0] in self.data and not known:
            self.add_problem(
                "protocol.unknown-key", keys, "'agreement'", f"none: {task.name} has no options of agreement",
                Remedy("remove it"),
            )  # fmt: skip
            return {}
        chosen: dict[str, Any] = {}
        for name, value in self.table(keys, tuple(known)).items():
            try:
                chosen |= {name: known[name].convert(value)} if name in known else {}
            except AuneError as error:
                self.add_problem("protocol.bad-option", (*keys, name), f"{name} = {value!r}: {error}")
        return chosen

    def _limits(self) -> Limits:
        table = self.table(("limits",), Limits._fields)
        defaults = Limits()._asdict()
        return Limits(
            **{
                name: self.check_number(("limits", name), table.get(name), defaults[name], 1, 2**40)
                for name in Limits._fields
            }
        )


def _values_of(ranking: str, task: Task, scorer: Scorer | None) -> tuple[tuple[str, ...], str]:
    """The names of the values of the ranking measure, and the one that ranks by default."""
    if scorer and ranking == SCORER:
        return scorer.values, scorer.values[0]
    measure = registry.measure(ranking, task.name) if ranking else None
    return (tuple(measure.values), measure.headline) if measure else (("",), "")


def _is_value_name(text: str) -> bool:
    return text.isidentifier() and text.isascii() and not text.startswith("_") and not iskeyword(text)


def _is_file(path: Path) -> bool:
    """Whether the file exists; False if its name is too long or a loop of links."""
    with suppress(OSError, ValueError):
        return path.is_file()
    return False
