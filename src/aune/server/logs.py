"""The log format: one line per event, whatever names it contains, and a traceback only for an internal error."""

from __future__ import annotations

import logging

from aune.errors import make_visible
from aune.files import is_disk_full
from aune.server.policy import is_database_down


class Line(logging.Formatter):
    r"""Format log lines so that names in requests cannot forge other lines; tracebacks are indented.

    >>> print(Line().format(logging.makeLogRecord({"levelname": "ERROR", "msg": "Not Found: /a\naune: ERROR /b"})))
    aune: ERROR Not Found: /a\naune: ERROR /b
    """

    def format(self, record: logging.LogRecord) -> str:
        line = make_visible(f"aune: {record.levelname} {record.getMessage()}")
        error = record.exc_info[1] if record.exc_info else None
        if record.exc_info is None or error is None:
            return line
        if is_disk_full(error) or is_database_down(error):
            return f"{line} ({make_visible(str(error)).strip()})"
        return "\n    ".join([line, *map(make_visible, self.formatException(record.exc_info).splitlines())])
