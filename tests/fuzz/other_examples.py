"""The laws of Hypothesis, asked about other examples than those of the suite, which are the same every time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SUITE = ("-m", "hypothesis", "-n", "2", "--no-header", "--hypothesis-show-statistics")
PASSED, FAILED = re.compile(r"\b(\d+) passed"), re.compile(r"\b(\d+) (?:failed|errors?)\b")
EXAMPLES = re.compile(r"- (\d+) passing")


class Asked(NamedTuple):
    """How many laws were asked about how many examples (of those that count them), and how many do not hold."""

    laws: int = 0
    examples: int = 0
    failures: int = 0

    def plus(self, other: Asked) -> Asked:
        return Asked(max(self.laws, other.laws), self.examples + other.examples, self.failures + other.failures)


def run_laws(seed: int) -> Asked:
    """Every law about examples that a seed gives; what does not hold is shown."""
    environment = {**os.environ, "AUNE_SEEDED": "1", "AUNE_FULL": "1"}
    command = [sys.executable, "-m", "pytest", *SUITE, f"--hypothesis-seed={seed}", "tests"]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    passed, failed = (sum(map(int, pattern.findall(_last(run.stdout)))) for pattern in (PASSED, FAILED))
    result = Asked(passed + failed, sum(map(int, EXAMPLES.findall(run.stdout))), failed)
    if run.returncode:
        print(run.stdout.partition("Hypothesis Statistics")[0], run.stderr, file=sys.stderr)
        return result._replace(failures=max(1, failed))
    return result


def _last(output: str) -> str:
    """The line that counts tests, wherever it stands."""
    return next((line for line in reversed(output.splitlines()) if re.search(r"\d+ (passed|failed).* in ", line)), "")
