"""`aune tagging zones`: where taggers would operate once their silences are settled, and where two of them meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from aune.cli._inputs import AS_USUAL, File, Options, Reading
from aune.cli._output import put_json, put_text, warn

if TYPE_CHECKING:
    from aune.tasks.tagging.grace.zone import Zone


def zones(
    key: File,
    /,
    *responses: File,
    constraints: Literal["restrictive", "permissive"] = "restrictive",
    format: Annotated[Literal["table", "json"], Parameter(name=["--format", "-f"])] = "table",
    reading: Reading = AS_USUAL,
    **options: Options,
) -> None:
    """Show the zone of the precision–decision plane that each tagger can reach, and what every two zones share.

    Where two zones overlap, settling silences well or badly can put either tagger before the other.

    Parameters
    ----------
    key
        What is expected: a file or a folder.
    responses
        What the systems gave: files or folders, or name=path to name a system.
    constraints
        Whether settling a silence keeps to its alternatives (restrictive) or not (permissive).
    format
        table, or json with the arcs of every boundary.
    """
    from itertools import combinations

    from aune.core.evaluation import evaluate
    from aune.reports.text import aligned
    from aune.tasks.tagging.grace.zone import zone_of

    given = {**options, "constraints": constraints}
    result = reading.run(evaluate, "tagging", key, responses, ["operating_zone"], given)
    warn(result.warnings)
    found = {one.system: zone_of(one, constraints) for one in result}
    shared = {pair: found[pair[0]].intersection(found[pair[1]]) for pair in combinations(found, 2)}
    if format == "json":
        data = {
            "zones": {one.system: {"signature": str(one.signature), **found[one.system].as_data()} for one in result},
            "intersections": [{"systems": list(pair), **one.as_data()} for pair, one in shared.items()],
        }
        put_json(data, None)
        return
    rows: list[tuple[str, ...]] = [("zone", "area", "triangle", "p_min", "p_max")]
    rows += [(system, *_numbers(one)) for system, one in found.items()]
    rows += [(" ∩ ".join(pair), *_numbers(one)) for pair, one in shared.items()]
    signatures = dict.fromkeys(str(one.signature) for one in result)
    put_text("\n".join([*aligned(rows), "", "values × 100", *signatures]) + "\n", None)


def _numbers(zone: Zone) -> list[str]:
    """The sizes of a zone and where it lies at decision 1; – where it does not get there."""
    numbers = (zone.area, zone.triangle_area, zone.low, zone.high)
    return ["–" if number is None else f"{100 * number:.2f}" for number in numbers]
