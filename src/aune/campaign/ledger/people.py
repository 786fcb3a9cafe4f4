"""The people of a ledger: entries contain random ids, and the names are stored here, where they can be deleted.

    folder/people.json    names by id

Ledgers of older versions contain the names themselves; they stay unchanged.
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


def names_person(kind: str, details: Mapping[str, Any], name: str) -> bool:
    """Whether the details of an entry name a person, as the one it is about or as its author.

    Other fields do not count: somebody may be called like a team, a dataset or a phase.

    >>> entry = {"team": "t-1", "kind": "participant", "members": ["Ann"]}
    >>> names_person("team", entry, "Ann"), names_person("team", entry, "participant")
    (True, False)
    """
    about = details.get(PERSON_FIELDS.get(kind, ""), [])
    return name in (*(about if isinstance(about, list) else [about]), details.get("author"))


class People:
    """The names of people in a file; writers must hold the lock of the ledger."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._names: dict[str, str] = {}
        self._version: object = None

    def names(self) -> Mapping[str, str]:
        """The current names by id."""
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
        """The id of a person; a new name gets a new id."""
        names = dict(self.names())
        known = next((person for person, other in names.items() if other == name), "")
        if known:
            return known
        person = f"p-{secrets.token_hex(8)}"
        write_atomically(self.path, canonical_json({**names, person: name}), private=True)
        return person

    def forget(self, name: str) -> bool:
        """Delete a name; returns whether it existed."""
        names = dict(self.names())
        left = {person: other for person, other in names.items() if other != name}
        if left != names:
            write_atomically(self.path, canonical_json(left), private=True)
        return left != names

    def resolve(self, kind: str, details: Mapping[str, Any]) -> Mapping[str, Any]:
        """The details of an entry with names in place of ids."""
        field = PERSON_FIELDS.get(kind)
        if field is None or field not in details:
            return details
        value = details[field]
        named = [self._name(person) for person in value] if isinstance(value, list) else self._name(value)
        return {**details, field: named}

    def _name(self, person: str) -> str:
        return self.names().get(person, FORGOTTEN) if ID_PATTERN.fullmatch(person) else person
