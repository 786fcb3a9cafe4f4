"""The protocol: what `campaign.toml` says, read back and checked, all problems at once.

Nothing in it names anything outside its folder: no remote address, no Python module, no absolute path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from aune.campaign.instants import instant, zone_named
from aune.campaign.ledger import canonical
from aune.campaign.phases import ARCHIVE, CALL, DISTRIBUTING, DRY_ADJUDICATION, DRY_RUN, PHASES, SUBMITTING, since
from aune.campaign.places import Path as Keys
from aune.campaign.places import places
from aune.campaign.policy import CELLS, HELD_BACK
from aune.core import registry
from aune.core.asked import asked_options, chosen_measures
from aune.core.errors import AuneError, InputError, Problem
from aune.core.files import bytes_of, digest_of, text_of, toml_of
from aune.core.options import File, options_of
from aune.core.task import Task
from aune.statistics.paired import TESTS
from aune.statistics.ranking import CORRECTIONS

FILE = "campaign.toml"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
ADDRESS = re.compile(r"[A-Za-z0-9+.-]://|^//|^www\.", re.IGNORECASE)
SCHEMES = ("http", "https", "ftp", "s3", "gs", "gcs", "hf", "az", "abfs", "file", "ssh", "git", "data")


class Dataset(NamedTuple):
    """Texts that are handed out in a phase, and the key that responses to them are scored with."""

    name: str
    phase: str
    condition: str
    key: str
    """The path of the key in the folder of the campaign."""
    texts: str = ""
    """What is handed out when that is more than the texts of the key."""
    format: str = ""
    annotators: Mapping[str, str] = {}
    """What each annotator made of the key's texts, for their agreement."""


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


class Quota(NamedTuple):
    """What a team has for each dataset of a phase."""

    valid: int = 5
    """Valid submissions; what was our fault counts neither here nor among all."""
    total: int = 20
    disputes: int = 100
    """Disputes about the key, but for those that were accepted."""


class Limits(NamedTuple):
    """What an upload may weigh, and what scoring it may take."""

    upload: int = 100_000_000
    unpacked: int = 500_000_000
    files: int = 10_000
    ratio: int = 200
    seconds: int = 600
    memory: int = 4_000_000_000


@dataclass(frozen=True)
class Protocol:
    """What a campaign does."""

    name: str
    title: str
    task: str
    zone: str
    licence: str
    conditions: Mapping[str, str]
    """Names and titles."""
    datasets: Mapping[str, Dataset]
    scoring: Scoring
    pivot: str
    """The tagset that tables lead into: a name that comes with aune, or a file; '' for a task without one."""
    pivot_version: str
    quotas: Mapping[str, Quota]
    deadlines: Mapping[str, datetime]
    """When phases end."""
    phases: tuple[str, ...]
    public: Mapping[str, str]
    limits: Limits
    files: Mapping[str, str]
    """The files that the protocol names, but for keys and texts, and their digests: what they hold is part of it."""
    text: str = field(repr=False, default="")

    @property
    def digest(self) -> str:
        """What the protocol is frozen by: its text and the files that it names."""
        return digest_of(canonical({"text": self.text, "files": dict(self.files)}))

    @property
    def scoring_digest(self) -> str:
        """What the scores of a run depend on: protocols with the same one give the same scores."""
        scoring = self.scoring
        return digest_of(canonical({
            "task": self.task, "measures": scoring.measures, "options": dict(scoring.options),
            "convention": scoring.convention, "pivot": self.pivot,
            "formats": {one.name: one.format for one in self.datasets.values()},
            "files": {path: digest for path, digest in self.files.items() if path != self.licence},
        }))  # fmt: skip

    def of_phase(self, phase: str) -> list[Dataset]:
        return [dataset for dataset in self.datasets.values() if dataset.phase == phase]


def protocol(folder: Path) -> Protocol:
    """The protocol of a campaign's folder, or everything that is wrong with it."""
    path = folder / FILE
    try:
        text = text_of(path)
    except (OSError, UnicodeDecodeError) as error:
        what = f"found no readable file ({error}), expected a protocol: `aune campaign new` writes one"
        raise InputError([Problem(str(path), 1, 1, what)]) from None
    return protocol_of(text, folder, str(path))


def protocol_of(text: str, folder: Path, name: str = FILE, *, complete: bool = True) -> Protocol:
    """The protocol in a text, whose files are in a folder: all of them, or some where keys are not for everybody."""
    try:
        given = toml_of(text)
    except ValueError as error:
        line, column = map(
            int, re.findall(r"line (\d+), column (\d+)", str(error))[0] if "line" in str(error) else (1, 1)
        )
        raise InputError([Problem(name, line, column, f"found no valid TOML ({error}), expected a protocol")]) from None
    checking = _Checking(given, places(text), folder, name, complete)
    found = checking.protocol(text)
    if checking.problems or found is None:
        raise InputError(checking.problems)
    return found


class _Checking:
    """One reading of a protocol: what it says, and what is wrong with it."""

    def __init__(
        self, given: dict[str, Any], where: Mapping[Keys, tuple[int, int]], folder: Path, name: str, complete: bool
    ) -> None:
        self.given, self.where, self.folder, self.name, self.complete = given, where, folder, name, complete
        self.problems: list[Problem] = []
        self.files: dict[str, str] = {}
        self._no_addresses((), given)

    def problem(self, keys: Keys, message: str) -> None:
        while keys not in self.where:
            keys = keys[:-1]
        self.problems.append(Problem(self.name, *self.where[keys], message))

    def _no_addresses(self, keys: Keys, value: Any) -> None:
        """Nothing anywhere names a remote address."""
        if isinstance(value, Mapping):
            for key, inner in value.items():
                self._no_addresses((*keys, key), inner)
        elif isinstance(value, list):
            for number, inner in enumerate(value):
                self._no_addresses((*keys, number), inner)
        elif isinstance(value, str) and (
            ADDRESS.search(value) or (value.partition(":")[0].lower() in SCHEMES and ":" in value)
        ):
            self.problem(keys, f"found an address ({value!r}), expected none in a protocol: use a file of the folder")

    def table(self, keys: Keys, known: Sequence[str] | None, required: Sequence[str] = ()) -> dict[str, Any]:
        """A table whose keys are known, or anybody's."""
        found: Any = self.given
        for key in keys:
            if isinstance(found, list) and isinstance(key, int):
                found = found[key]
            else:
                found = found.get(key, {}) if isinstance(found, Mapping) else {}
        if not isinstance(found, dict):
            self.problem(keys, f"found {found!r}, expected a table")
            return {}
        for key in found:
            if known is not None and key not in known:
                self.problem((*keys, key), f"found {key!r}, expected one of {', '.join(known)}: rename or remove it")
        for key in required:
            if key not in found:
                self.problem(keys, f"found no {key!r}, expected one: add it")
        return found

    def text_in(self, keys: Keys, value: Any, default: str = "") -> str:
        if value is None:
            return default
        if not isinstance(value, str):
            self.problem(keys, f"found {value!r}, expected text in quotes")
            return default
        return value

    def name_in(self, keys: Keys, value: Any) -> str:
        text = self.text_in(keys, value)
        if value is not None and not NAME.fullmatch(text):
            self.problem(keys, f"found {text!r}, expected a name of letters, digits, '.', '_' and '-'")
        return text

    def one_of(self, keys: Keys, value: Any, known: Sequence[str], default: str) -> str:
        text = self.text_in(keys, value, default)
        if text not in known:
            self.problem(keys, f"found {text!r}, expected one of {', '.join(known)}")
            return default
        return text

    def number(self, keys: Keys, value: Any, default: Any, least: float, most: float) -> Any:
        if value is None:
            return default
        whole = isinstance(default, int)
        if (
            isinstance(value, bool)
            or not isinstance(value, int if whole else (int, float))
            or not least <= value <= most
        ):
            self.problem(keys, f"found {value!r}, expected a{' whole' * whole} number from {least:g} to {most:g}")
            return default
        return value

    def path_in(self, keys: Keys, value: Any) -> str:
        """A path that stays in the folder."""
        text = self.text_in(keys, value)
        if not text:
            return ""
        inside = Path(text)
        if inside.is_absolute() or ".." in inside.parts or "\\" in text or "\0" in text:
            self.problem(keys, f"found {text!r}, expected a path inside the folder of the campaign, without '..'")
            return ""
        real = Path(os.path.realpath(self.folder / inside))
        if not real.is_relative_to(os.path.realpath(self.folder)):
            self.problem(keys, f"found {text!r}, which leads out of the folder, expected a file inside it")
            return ""
        if self.complete and not _is_file(real):
            self.problem(keys, f"found no file {text!r}, expected one in the folder of the campaign: put it there")
        return text

    def kept(self, path: str) -> None:
        """A file that is part of the protocol."""
        if path and _is_file(self.folder / path):
            self.files[path] = digest_of(bytes_of(self.folder / path))

    def protocol(self, text: str) -> Protocol | None:
        known = ("campaign", "conditions", "data", "scoring", "referential", "quotas", "phases", "public", "limits")
        self.table((), known, ("campaign", "data", "scoring"))
        about = self.table(("campaign",), ("name", "title", "task", "zone", "licence"), ("name", "task"))
        name = self.name_in(("campaign", "name"), about.get("name"))
        task = self.one_of(("campaign", "task"), about.get("task"), registry.task_names(), "")
        if not task:
            return None  # nothing else can be said of a task that nobody knows
        zone = self._zone(about.get("zone"))
        licence = self.path_in(("campaign", "licence"), about.get("licence"))
        self.kept(licence)
        conditions = self._conditions()
        phases, deadlines = self._phases()
        datasets = self._datasets(registry.task(task), conditions)
        scoring = self._scoring(registry.task(task))
        pivot, version = self._referential(task)
        found = Protocol(
            name, self.text_in(("campaign", "title"), about.get("title"), name), task, zone, licence, conditions,
            datasets, scoring, pivot, version, self._quotas(), deadlines, phases, self._public(), self._limits(),
            dict(sorted(self.files.items())), text,
        )  # fmt: skip
        return found if not self.problems else None

    def _zone(self, value: Any) -> str:
        zone = self.text_in(("campaign", "zone"), value, "UTC")
        try:
            zone_named(zone)
        except ValueError as error:
            self.problem(("campaign", "zone"), f"found {error}")
            return "UTC"
        return zone

    def _list(self, key: str) -> list[tuple[Keys, Any]]:
        """The entries of an array of tables."""
        given = self.given.get(key, [])
        if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
            self.problem((key,), f"found {given!r}, expected tables [[{key}]]")
            return []
        return [((key, number), one) for number, one in enumerate(given)]

    def _conditions(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for keys, one in self._list("conditions"):
            self.table(keys, ("name", "title"), ("name",))
            name = self.name_in((*keys, "name"), one.get("name"))
            if name in found:
                self.problem((*keys, "name"), f"found the condition {name!r} a second time, expected it once")
            found[name] = self.text_in((*keys, "title"), one.get("title"), name)
        return found or {"all": "all"}

    def _datasets(self, task: Task, conditions: Mapping[str, str]) -> dict[str, Dataset]:
        found: dict[str, Dataset] = {}
        known = ("name", "phase", "condition", "key", "texts", "format", "annotators")
        formats = [form.name for form in registry.formats(task.name)]
        for keys, one in self._list("data"):
            self.table(keys, known, ("name", "phase", "key"))
            name = self.name_in((*keys, "name"), one.get("name"))
            if name in found:
                self.problem((*keys, "name"), f"found the data {name!r} a second time, expected every name once")
            annotators = self.table((*keys, "annotators"), None)
            form = one.get("format")
            found[name] = Dataset(
                name,
                self.one_of((*keys, "phase"), one.get("phase"), DISTRIBUTING, DISTRIBUTING[0]),
                self.one_of((*keys, "condition"), one.get("condition"), list(conditions), next(iter(conditions))),
                self.path_in((*keys, "key"), one.get("key")),
                self.path_in((*keys, "texts"), one.get("texts")),
                self.one_of((*keys, "format"), form, formats, formats[0]) if form is not None else "",
                {
                    self.name_in((*keys, "annotators", who), who): self.path_in((*keys, "annotators", who), path)
                    for who, path in annotators.items()
                },
            )
        return found

    def _scoring(self, task: Task) -> Scoring:
        known = (
            "measures",
            "ranking",
            "value",
            "options",
            "convention",
            "unit",
            "test",
            "level",
            "draws",
            "seed",
            "correction",
        )
        here: Keys = ("scoring",)
        given = self.table(here, known, ("ranking",))
        ranking = self._measure((*here, "ranking"), given.get("ranking"), task)
        listed = given.get("measures", [])
        if not isinstance(listed, list):
            self.problem((*here, "measures"), f"found {listed!r}, expected a list of measures")
            listed = []
        measures = [self._measure((*here, "measures", number), one, task) for number, one in enumerate(listed)]
        chosen = tuple(dict.fromkeys(one for one in (ranking, *measures) if one))
        options, convention = self._options(task, chosen, given.get("convention"))
        values = registry.measure(ranking, task.name).values if ranking else ("",)
        headline = registry.measure(ranking, task.name).headline if ranking else ""
        tests = [*TESTS, *task.tests]
        return Scoring(
            chosen,
            ranking,
            self.one_of((*here, "value"), given.get("value"), tuple(values), headline),
            options,
            convention,
            self.one_of(
                (*here, "unit"),
                given.get("unit"),
                ("document", "sentence", "speaker", "story", "utterance"),
                "document",
            ),
            self.one_of((*here, "test"), given.get("test"), [one for one in tests if one in TESTS], "randomisation"),
            self.number((*here, "level"), given.get("level"), 0.95, 0.5, 0.9999),
            self.number((*here, "draws"), given.get("draws"), 10_000, 100, 1_000_000),
            self.number((*here, "seed"), given.get("seed"), 1, 0, 2**31),
            self.one_of((*here, "correction"), given.get("correction"), list(CORRECTIONS), "holm"),
        )

    def _measure(self, keys: Keys, value: Any, task: Task) -> str:
        """The name of a measure that comes with aune."""
        text = self.text_in(keys, value)
        if not text:
            return ""
        try:
            if ":" in text or registry.own_modules(text):
                self.problem(keys, f"found {text!r}, expected a measure of aune: a protocol loads no module")
                return ""
            [measure] = chosen_measures(task, [text])
            return measure.name
        except (AuneError, ValueError) as error:
            self.problem(keys, f"found {text!r}: {error}")
            return ""

    def _options(self, task: Task, measures: Sequence[str], convention: Any) -> tuple[dict[str, Any], str]:
        keys: Keys = ("scoring", "options")
        given = self.table(keys, None)
        named = self.text_in(("scoring", "convention"), convention)
        if named and named not in task.conventions:
            self.problem(("scoring", "convention"), f"found {named!r}, expected one of {', '.join(task.conventions)}")
            named = ""
        chosen = chosen_measures(task, list(measures)) if measures else []
        for name, value in given.items():
            try:
                asked_options(task, chosen, named or None, {name: value})
            except AuneError as error:
                self.problem((*keys, name), f"found {name} = {value!r}: {error}")
            self._option_file((*keys, name), task, name, value)
        return given, named

    def _option_file(self, keys: Keys, task: Task, name: str, value: Any) -> None:
        """An option that names a file names one of the folder."""
        takes = options_of(task.compare).get(name)
        is_file = takes is not None and takes.type is File
        if (
            isinstance(value, str)
            and value
            and (is_file or "/" in value or "\\" in value or _is_file(self.folder / value))
        ):
            self.kept(self.path_in(keys, value))
        elif isinstance(value, str) and Path(value).is_absolute():
            self.problem(keys, f"found {value!r}, expected a path inside the folder")

    def _referential(self, task: str) -> tuple[str, str]:
        given = self.table(("referential",), ("pivot", "version"), ("pivot",) if "referential" in self.given else ())
        pivot = self.text_in(("referential", "pivot"), given.get("pivot"))
        if pivot and task != "tagging":
            self.problem(("referential",), f"found a referential, expected none for {task}: only tagging has tables")
        if pivot.endswith(".toml"):
            self.kept(self.path_in(("referential", "pivot"), pivot))
        elif pivot:
            from aune.tasks.tagging.grace.tagset import SHIPPED  # noqa: PLC0415 - of one task only

            shipped = sorted(file.stem for file in SHIPPED.glob("*.toml"))
            self.one_of(("referential", "pivot"), pivot, shipped, shipped[0])
        return pivot, self.text_in(("referential", "version"), given.get("version"), "1") if pivot else ""

    def _quotas(self) -> dict[str, Quota]:
        found = {}
        self.table(("quotas",), SUBMITTING)
        for phase in SUBMITTING:
            keys: Keys = ("quotas", phase)
            given = self.table(keys, Quota._fields)
            least = Quota(valid=1, total=1, disputes=0)
            quota = Quota(
                *(
                    self.number((*keys, name), given.get(name), usual, fewest, 100_000)
                    for name, usual, fewest in zip(Quota._fields, Quota(), least, strict=True)
                )
            )
            if quota.total < quota.valid:
                self.problem(keys, f"found {quota.total} in total, expected at least the {quota.valid} valid ones")
            found[phase] = quota
        return found

    def _phases(self) -> tuple[tuple[str, ...], dict[str, datetime]]:
        """Which phases there are, and when they end."""
        self.table(("phases",), PHASES)
        given = self.given.get("phases", {})
        left_out = [phase for phase, ends in given.items() if ends is False] if isinstance(given, dict) else []
        needed = (CALL, "test", "test adjudication", "publication", ARCHIVE)
        for phase in left_out:
            if phase in needed:
                self.problem(("phases", phase), f"found no {phase}, expected this phase in every campaign")
        deadlines: dict[str, datetime] = {}
        for phase, ends in given.items() if isinstance(given, dict) else ():
            if isinstance(ends, bool):
                if ends:
                    self.problem(
                        ("phases", phase), "found true, expected when the phase ends, or false for no such phase"
                    )
                continue
            try:
                deadlines[phase] = instant(ends)
            except (ValueError, TypeError) as error:
                self.problem(("phases", phase), f"found {ends!r}: {error}")
        in_order = [(phase, deadlines[phase]) for phase in PHASES if phase in deadlines]
        for (before, early), (after, late) in pairwise(in_order):
            if late < early:
                self.problem(("phases", after), f"found an end of {after} before that of {before}, expected it after")
        without = {*left_out, *([DRY_ADJUDICATION] if DRY_RUN in left_out else [])}
        return tuple(phase for phase in PHASES if phase not in without), deadlines

    def _public(self) -> dict[str, str]:
        """From which phase things are public, later than the table of the policy has it."""
        given = self.table(("public",), HELD_BACK)
        found = {}
        for thing, value in given.items():
            phase = self.one_of(("public", thing), value, PHASES, ARCHIVE)
            if thing in CELLS:
                first = next(name for name, cell in zip(PHASES, CELLS[thing], strict=True) if "v" in cell)
                if not since(phase, first):
                    self.problem(("public", thing), f"found {phase!r}, expected {first!r} or later: it would leak")
                found[thing] = phase
        return found

    def _limits(self) -> Limits:
        given = self.table(("limits",), Limits._fields)
        usual = Limits()._asdict()
        return Limits(
            **{name: self.number(("limits", name), given.get(name), usual[name], 1, 2**40) for name in Limits._fields}
        )


def _is_file(path: Path) -> bool:
    """Whether there is such a file; a name that is too long, or a loop of links, is none."""
    with suppress(OSError, ValueError):
        return path.is_file()
    return False
