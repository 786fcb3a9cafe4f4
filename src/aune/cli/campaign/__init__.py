"""`aune campaign`: run an evaluation campaign from a folder, from the call to the archive.

Whoever has the folder is the organiser. A command opens the campaign, does one thing, and prints what came of it.
"""

from __future__ import annotations

from aune.cli.campaign import _prepare, _publish, _score, _take_part  # noqa: F401 - each adds its commands
from aune.cli.campaign._shared import app

__all__ = ["app"]
