"""Confidence intervals, as every command that offers them is asked for them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from aune.cli._numbers import Draws, Level, Seed

if TYPE_CHECKING:
    from aune.core.result import Result


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Intervals:
    """Whether values get confidence intervals, and how these are made."""

    ci: Annotated[bool, Parameter(negative=())] = False
    """Give every value its confidence interval."""
    ci_method: str | None = None
    """percentile (bootstrap), bca, jackknife, delta, or auto: percentile, or jackknife where resampling would bias."""
    level: Level = 0.95
    """How often the intervals should hold the true value."""
    draws: Draws = 10_000
    """Bootstrap replicates."""
    seed: Seed = 1
    """Where the random draws start."""
    unit: str = "auto"
    """What is drawn: document, sentence, speaker…; auto: documents, or what they hold if they are fewer than five."""

    @property
    def wanted(self) -> bool:
        return self.ci or self.ci_method is not None

    @property
    def settings(self) -> dict[str, Any]:
        """What a bootstrap or a test is given."""
        return {"level": self.level, "draws": self.draws, "seed": self.seed, "unit": self.unit}

    def check(self) -> None:
        """Refuse settings of intervals when there are none to set."""
        from aune.core.errors import UsageError

        idle = [f"--{field.name}" for field in fields(self) if getattr(self, field.name) != field.default]
        if idle and not self.wanted:
            raise UsageError(f"{', '.join(idle)}: about confidence intervals, so ask for them too: --ci")

    def of(self, result: Result) -> Result:
        """The result with its intervals, where they are wanted."""
        if not self.wanted:
            return result
        from aune.statistics.intervals import with_intervals

        return with_intervals(result, self.ci_method or "auto", **self.settings)  # type: ignore[arg-type]


NONE = Intervals()
