"""The sampling units: what an interval or a test treats as independent.

Parts of one text, of one recording or of one speaker are alike, so a test that draws them separately takes chance for
a difference. Where the data marks such clusters (attributes `document`, `recording`, `story`, `session`, `speaker`),
the clusters are drawn, however few they are. Otherwise its sentences or utterances are drawn. If the user names a
smaller unit, it is used, and the result reports that it lies below the clusters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aune.reading.system_names import path_stem
from aune.results.result import Result, SystemScore
from aune.results.rows import Attribute, is_within

AUTO = "auto"
"""The clusters that the data marks; without marks, its sentences or utterances."""
CLUSTERS = ("document", "recording", "story", "session", "speaker")
PARTS = ("sentence", "utterance")
"""The units if the data marks no clusters, in order of preference."""
ENOUGH_UNITS = 5
"""With fewer units no difference can be shown, and intervals are marked as rough."""
ROUGH_BELOW = 20  # with fewer units, a warning calls all intervals and tests rough
FINER_UNITS = ("story", "speaker", "utterance", "sentence")  # other possible units; labels and the like are no sample
UNNAMED_DOCUMENTS = frozenset({"document", "utterance", "1", "all"})  # names that readers use if the data has none
UNNAMED_SPEAKERS = frozenset({"", "-", "unknown", "unk"})
NUMBERED_NAMES = frozenset(
    {"utt", "utterance", "u", "sent", "sentence", "s", "seg", "segment", "line", "file", "audio"}
)
"""The text before the number in names of utterances that name no speaker (`utt-12`)."""


class SamplingUnit(NamedTuple):
    """The unit to draw, and the clusters that it lies below, if any."""

    name: str
    cluster: str = ""
    """The attribute of the clusters that the unit is a part of; '' if there are none."""
    clusters: int = 0
    """The number of clusters; only counted if the unit lies below them."""

    def marks(self, units: int) -> dict[str, str]:
        """The parts of a signature beyond the unit: that it lies below clusters, and that there are too few."""
        below = {"below": self.cluster} if self.cluster else {}
        return below | ({"rough": "yes"} if is_rough(units) else {})

    def warnings(self, score: SystemScore, units: int) -> list[str]:
        """The warnings about drawing this many units."""
        warnings = few_units_warnings(score, units, self.name)
        if not self.cluster:
            return warnings
        below = (
            f"{units:,} {self.name}s of {self.clusters:,} {self.cluster}{'s' * (self.clusters != 1)} are drawn as if "
            f"they were independent: intervals are too narrow, and tests find differences too often"
        )
        return [below, *warnings]


def is_rough(units: int) -> bool:
    """Whether there are so few units that no difference can be shown; a single one has no interval to mark."""
    return 1 < units < ENOUGH_UNITS


def sampling_unit(result: Result, unit: str = AUTO) -> SamplingUnit:
    """The requested unit, or the default: the clusters that the data marks, else its sentences or utterances."""
    scores = list(_scores_by_rows(result))
    cluster = _marked_cluster(scores, _default_names(result))
    if unit != AUTO:
        if cluster not in ("", unit) and all(_is_below(score, unit, cluster) for score in scores):
            return SamplingUnit(unit, cluster, min(units_of(score, cluster) for score in scores))
        return SamplingUnit(unit)
    parts = [name for name in PARTS if not cluster and all(has_units(score, name, 1) for score in scores)]
    return SamplingUnit(cluster or next(iter(parts), "document"))


def _scores_by_rows(result: Result) -> Iterator[SystemScore]:
    """A score of the first system for each kind of rows; all systems are scored on units of the same key."""
    first = {score.measure.units: score for score in result.scores if score.system == result.scores[0].system}
    yield from first.values()


def _default_names(result: Result) -> frozenset[str]:
    """The readers' name for a document that the data does not name."""
    return UNNAMED_DOCUMENTS | {path_stem(source.path) for source in result.inputs if source.path}


def _marked_cluster(scores: Sequence[SystemScore], default_names: frozenset[str]) -> str:
    """The coarsest attribute by which the data marks clusters; '' if it marks none.

    Speakers count if a document has one speaker only and a speaker has several documents: the same names of speakers
    often occur in the next recording.
    """
    cluster = ""
    for name in CLUSTERS:
        if all(_is_marked(score, name, default_names) for score in scores) and (
            not cluster or all(_is_below(score, cluster, name) for score in scores)
        ):
            cluster = name
    return cluster


def _is_marked(score: SystemScore, name: str, default_names: frozenset[str]) -> bool:
    """Whether the data itself gives the cluster of each row."""
    values = score.rows.attributes.get(name, ())
    if not len(values):
        return False
    if name == "document":
        utterances = score.rows.attributes.get("utterance", ())
        if _is_same(values, utterances):
            return False  # utterances without a document
        return has_units(score, name, 2) or values[0] not in default_names
    names = _distinct_names(values)
    if name != "speaker":
        return not names & UNNAMED_SPEAKERS
    return not names & UNNAMED_SPEAKERS and not (len(names) == 1 and names <= NUMBERED_NAMES)


def _is_same(values: Sequence[str], others: Sequence[str]) -> bool:
    if isinstance(values, Attribute) and values.same_as(others):
        return True
    return len(values) == len(others) and is_within(values, others) and list(values) == list(others)


def _distinct_names(values: Sequence[str]) -> set[str]:
    if isinstance(values, Attribute):
        return {name for part in values.parts for name in part.names}
    return set(values)


def _is_below(score: SystemScore, unit: str, cluster: str) -> bool:
    """Whether each unit is in one cluster, and clusters have several of them."""
    units, clusters = (score.rows.attributes.get(name, ()) for name in (unit, cluster))
    if not len(units) or not len(clusters):
        return False
    return is_within(units, clusters) and units_of(score, unit) > units_of(score, cluster)


def has_units(score: SystemScore, unit: str, number: int) -> bool:
    """Whether the rows of a score have at least this many units of a kind, without reading millions of rows."""
    names = score.rows.attributes.get(unit, ())
    return names.has_at_least(number) if isinstance(names, Attribute) else len(set(names)) >= number


def units_of(score: SystemScore, unit: str) -> int:
    """The number of units of a kind among the rows of a score."""
    names = score.rows.attributes.get(unit, ())
    return names.distinct_count if isinstance(names, Attribute) else len(set(names))


def few_units_warnings(score: SystemScore, units: int, unit: str) -> list[str]:
    """The warning about few units, with the other possible units."""
    if units >= ROUGH_BELOW:
        return []
    sizes = {name: units_of(score, name) for name in FINER_UNITS if name != unit}
    finer = [name for name, size in sizes.items() if size >= ROUGH_BELOW]
    hint = f" (there are others to draw: --unit {', '.join(finer)})" if finer else ""
    if units == 1:
        return [f"one {unit} only: nothing can be said about how sure the scores are{hint}"]
    if is_rough(units):
        return [
            f"only {units} {unit}s: nothing can be shown with fewer than {ENOUGH_UNITS}, and intervals are rough{hint}"
        ]
    return [f"only {units} {unit}s: intervals and tests are rough below about {ROUGH_BELOW}{hint}"]
