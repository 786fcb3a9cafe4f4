"""What people open and do is sound by the law of rows that come back, whatever file it was."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from aune.errors import InputError
from aune.server import backup_validation
from aune.server.site import Site
from aune.server.workbench import file_exchange
from aune.server.workbench.models import Layer, Snapshot, Source, Text
from aune.workbench.files import TASKS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("beside_a_browser")]


def test_every_sample_that_can_be_opened_is_sound(tmp_path: Path, samples: Path, settings: Any) -> None:
    settings.SITE = Site(folder=str(tmp_path))
    for task in TASKS:
        home = samples / task / "formats" / "samples"
        named = [(path.name, io.BytesIO(path.read_bytes())) for path in sorted(home.iterdir()) if path.is_file()]
        for file in file_exchange.group_companions(named):
            try:
                file_exchange.open_file(file, None, task)
            except InputError:
                continue
    assert Text.objects.count() > 30
    for model in (Source, Text, Layer, Snapshot):
        assert [problem for row in model.objects.all() if (problem := backup_validation.row_problem(row))] == []
    assert [*backup_validation.site_problems(settings.SITE.files, None)] == []
