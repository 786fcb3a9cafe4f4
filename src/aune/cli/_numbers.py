"""Numbers that commands are given, each with its range: what lies outside is refused before any work is done."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from cyclopts import Parameter

from aune.core.options import MOST_DIGITS, MOST_DRAWS, Range


def within(low: float, high: float = float("inf")) -> Parameter:
    """A parameter that takes the finite numbers from `low` to `high`."""
    limits = Range(low, high)

    def check(kind: Any, value: Any) -> None:
        if value is not None and value not in limits:
            raise ValueError(f"expected a number, {limits}")

    return Parameter(validator=check)


MOST = 10**12  # of anything that is counted
Digits: TypeAlias = Annotated[int, within(0, MOST_DIGITS)]
Draws: TypeAlias = Annotated[int, within(1, MOST_DRAWS)]
OptionalDraws: TypeAlias = Annotated[int | None, within(1, MOST_DRAWS)]
Level: TypeAlias = Annotated[float, within(0.0001, 0.9999)]
Limit: TypeAlias = Annotated[int | None, within(0, MOST)]
Rounds: TypeAlias = Annotated[int, within(1, 100_000)]
Samples: TypeAlias = Annotated[int, within(0, 1_000_000)]
Seed: TypeAlias = Annotated[int, within(0)]
Size: TypeAlias = Annotated[int, within(1, 100)]
Count: TypeAlias = Annotated[int, within(0, MOST)]
Share: TypeAlias = Annotated[float, within(0, 1)]
Workers: TypeAlias = Annotated[int, within(1, 1024)]
Strength: TypeAlias = Annotated[float, within(1e-12)]
Port: TypeAlias = Annotated[int, within(0, 65_535)]
Most: TypeAlias = Annotated[int | None, within(1, MOST)]
Largest: TypeAlias = Annotated[int, within(1, 100_000)]
