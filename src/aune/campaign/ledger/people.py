"""Who the people of a ledger are: it names them by random ids, and their names are here, where they can be deleted.

    folder/people.json    names by id

Ledgers of older versions have the names themselves; they stay as they are.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aune.campaign.ledger.ledger_file import canonical_json
from aune.files import write_atomically

PEOPLE_FILE = "people.json"
FORGOTTEN = "(somebody whose name was deleted)"
ID_PATTERN = re.compile(r"p-[0-9a-f]{16}")
PERSON_FIELDS: Mapping[str, str] = {"team": "members", "member": "member", "left": "member", "assigned": "annotator"}
"""The field of each kind of entry that names people."""


class People:
    """The names of people in a file; whoever changes them holds the lock of the ledger."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._names: dict[str, str] = {}
        self._version: object = None

    def names(self) -> Mapping[str, str]:
        """The names by id, as they are now."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            if self._names:
                self._names, self._version = {}, None
            return self._names
        version = status.st_ino, status.st_mtime_ns, status.st_size
        if version != self._version:
            self._names, self._version = json.loads(self.path.read_bytes()), version
        return self._names

    def identify(self, name: str) -> str:
        """The id of a person, a new one for a new name."""
        names = dict(self.names())
        known = next((person for person, other in names.items() if other == name), "")
        if known:
            return known
        person = f"p-{secrets.token_hex(8)}"
        write_atomically(self.path, canonical_json({**names, person: name}), private=True)
        return person

    def forget(self, name: str) -> bool:
        """Delete a name; whether it was there."""
        names = dict(self.names())
        left = {person: other for person, other in names.items() if other != name}
        if left != names:
            write_atomically(self.path, canonical_json(left), private=True)
        return left != names

    def resolve(self, kind: str, details: Mapping[str, Any]) -> Mapping[str, Any]:
        """The details of an entry with the names of its people."""
        field = PERSON_FIELDS.get(kind)
        if field is None or field not in details:
            return details
        value = details[field]
        named = [self._name(person) for person in value] if isinstance(value, list) else self._name(value)
        return {**details, field: named}

    def _name(self, person: str) -> str:
        return self.names().get(person, FORGOTTEN) if ID_PATTERN.fullmatch(person) else person
