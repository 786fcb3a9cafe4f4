"""`aune tagging zones`: where taggers would operate once their silences are settled, and where two of them meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from aune.cli._inputs import DEFAULT_READING, File, Options, Reading
from aune.cli._output import put_json, put_text, warn

if TYPE_CHECKING:
    from aune.tasks.tagging.grace.zone import Zone


def zones(
    key: File,
    /,
    *responses: File,
    constraints: Literal["restrictive", "permissive"] = "restrictive",
    format: Annotated[Literal["table", "json"], Parameter(name=["--format", "-f"])] = "table",
    reading: Reading = DEFAULT_READING,
    **options: Options,
) -> None:
    """Show the zone of the precision–decision plane that each tagger can reach, and what every two zones share.

    Where two zones overlap, settling silences well or badly can put either tagger before the other.

    Parameters
    ----------
    key
        The key (gold, reference): a file or a folder.
    responses
        The responses (predictions, hypotheses): files or folders, or name=path to name a system.
    constraints
        Whether settling a silence keeps to its alternatives (restrictive) or not (permissive).
    format
        table, or json with the arcs of every boundary.
    """
    from itertools import combinations

    from aune.evaluation.pipeline import evaluate
    from aune.reports.text import align_columns
    from aune.tasks.tagging.grace.zone import zone_of

    settings = {**options, "constraints": constraints}
    result = reading.run(evaluate, "tagging", key, responses, ["operating_zone"], settings)
    warn(result.warnings)
    by_system = {entry.system: zone_of(entry, constraints) for entry in result}
    shared = {pair: by_system[pair[0]].intersection(by_system[pair[1]]) for pair in combinations(by_system, 2)}
    if format == "json":
        data = {
            "zones": {
                entry.system: {"signature": str(entry.signature), **by_system[entry.system].as_data()}
                for entry in result
            },
            "intersections": [{"systems": list(pair), **entry.as_data()} for pair, entry in shared.items()],
        }
        put_json(data, None)
        return
    rows: list[tuple[str, ...]] = [("zone", "area", "triangle", "p_min", "p_max")]
    rows += [(system, *_numbers(entry)) for system, entry in by_system.items()]
    rows += [(" ∩ ".join(pair), *_numbers(entry)) for pair, entry in shared.items()]
    signatures = dict.fromkeys(str(entry.signature) for entry in result)
    put_text("\n".join([*align_columns(rows), "", "values × 100", *signatures]) + "\n", None)


def _numbers(zone: Zone) -> list[str]:
    """The sizes of a zone and where it lies at decision 1; – where it does not get there."""
    numbers = (zone.area, zone.triangle_area, zone.low, zone.high)
    return ["–" if number is None else f"{100 * number:.2f}" for number in numbers]
