"""The exports of other tools in `../shared/data/exports`, with the counts of their READMEs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from aune.contract import registry
from aune.reading.corpus import Corpus, read

EXPORTS = Path(os.environ.get("AUNE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "exports"
needs_exports = pytest.mark.skipif(not EXPORTS.exists(), reason="needs the exports of ../shared/data")


def read_export(task: str, path: str, form: str | None = None, **options: Any) -> Corpus:
    """A file of `exports`, recognised unless a format is named."""
    return read(registry.task(task), str(EXPORTS / path), form, **options)


def span_count(corpus: Corpus) -> int:
    return sum(map(len, corpus.documents))
