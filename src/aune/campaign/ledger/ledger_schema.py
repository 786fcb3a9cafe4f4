"""The fields of each kind of ledger entry, and the values that they may have.

A ledger may come from a stranger, in a backup, with all hashes right. Names in it become names of files, and digests
become paths in the store, so all values are checked before use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from aune.campaign.protocol.phases import PHASES

Name = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")]
NameOrNone = Annotated[str, msgspec.Meta(pattern=r"\A(?:[A-Za-z0-9][A-Za-z0-9._-]{0,99})?\Z")]
"""The id or name of a team, a run, a submission, a dispute or a dataset."""
FileName = Annotated[str, msgspec.Meta(pattern=r"\A(?!\.{1,2}\Z)[^/\\\x00-\x1f]+\Z")]
"""The name of a file without folders."""
RelativePath = Annotated[str, msgspec.Meta(pattern=r"\A(?!(?:.*/)?\.\.(?:/|\Z))[^/\\\x00-\x1f][^\\\x00-\x1f]*\Z")]
"""A path that stays in its folder."""
Digest = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
DigestOrNone = Annotated[str, msgspec.Meta(pattern=r"\A(?:[0-9a-f]{64})?\Z")]
Salt = Annotated[str, msgspec.Meta(pattern=r"\A(?:[0-9a-f]{2})*\Z")]
Version = Annotated[int, msgspec.Meta(ge=1)]
Phase: Any = Literal[PHASES]


class _Phase(msgspec.Struct):
    """The beginning of a phase, perhaps before every dispute was settled."""

    phase: Phase
    unsettled: list[Name] = []


class _Layer(msgspec.Struct):
    """The file of one annotator."""

    name: FileName
    digest: Digest


FIELDS: Mapping[str, Mapping[str, Any]] = {
    "protocol": {
        "version": Version, "digest": Digest, "text": Digest, "files": dict[RelativePath, Digest], "reason": str,
        "author": str,
    },
    "team": {"team": Name, "name": str, "country": str, "kind": str, "pseudonym": str, "members": list[str]},
    "renamed": {"team": Name, "name": str},
    "member": {"team": Name, "member": str},
    "left": {"team": Name, "member": str},
    "consent": {"team": Name, "consent": str},
    "validated": {"team": Name},
    "withdrawn": {"team": Name, "reason": str},
    "licence": {"team": Name},
    "download": {"team": NameOrNone, "dataset": Name},
    "key": {
        "dataset": Name, "version": Version, "digest": Digest, "salt": Salt, "commitment": Digest,
        "disputes": list[Name], "protocol": int, "scoring": str,
    },
    "texts": {"dataset": Name, "digest": Digest, "name": FileName, "format": str},
    "commitment": {"dataset": Name, "version": Version, "commitment": Digest},
    "submission": {
        "submission": Name, "team": Name, "run": Name, "dataset": Name, "upload": Digest, "name": str,
        "table": DigestOrNone, "table_name": str, "idempotency": str,
    },
    "leased": {"submission": Name, "version": Version, "attempt": int, "until": str},
    "ended": {
        "submission": Name, "version": Version, "state": Literal["scored", "refused", "fault"],
        "result": DigestOrNone, "reason": str,
    },
    "dispute": {
        "dispute": Name, "team": NameOrNone, "dataset": Name, "document": str, "claim": str,
        "edit": dict[str, Any], "argument": str,
    },
    "decision": {"dispute": Name, "decision": str, "author": str, "reason": str},
    "table": {"dispute": Name, "submission": Name, "digest": Digest, "version": Version},
    "board": {"dataset": Name, "version": Version, "digest": Digest, "runs": list[str]},
    "page": {"submission": Name, "version": Version, "digest": Digest},
    "made": {"dataset": Name, "key": Digest, "layers": list[_Layer], "author": str},
    "agreement": {"dataset": Name, "digest": Digest},
    "about": {"digest": Digest, "author": str},
    "attached": {
        "name": Name, "title": str, "file": FileName, "digest": Digest, "size": int, "phase": Phase,
        "audience": Literal["everybody", "teams"], "licence": bool, "author": str,
    },
    "detached": {"name": Name, "author": str},
    "doi": {"doi": str, "author": str},
    "message": {"teams": list[Name], "subject": str, "text": str, "author": str},
    "primary": {"submission": Name},
    "described": {"submission": Name, "digest": Digest},
    "retracted": {"submission": Name},
    "disqualified": {"submission": Name, "reason": str, "author": str},
    "reinstated": {"submission": Name, "reason": str, "author": str},
    "assigned": {"annotator": str, "texts": list[str], "author": str},
    "archived": {"manifest": Digest, "files": int},
}  # fmt: skip
"""The fields that every entry of a kind must have; it may have more."""
SCHEMAS: Mapping[str, type[msgspec.Struct]] = {"phase": _Phase} | {
    kind: msgspec.defstruct(f"An entry {kind!r}", [*fields.items()]) for kind, fields in FIELDS.items()
}


def check_details(kind: str, details: Any) -> Mapping[str, Any]:
    """Check the details of an entry of some kind; raises ValueError if aune could not have written them.

    >>> check_details("licence", {"team": "t-1"})
    {'team': 't-1'}
    >>> check_details("licence", {"team": "../../a"})
    Traceback (most recent call last):
    ValueError: ...at `$.team`
    """
    if kind not in SCHEMAS:
        raise ValueError(f"an entry of an unknown kind, {str(kind)[:40]!r}")
    try:
        msgspec.convert(details, SCHEMAS[kind])
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    checked_details: Mapping[str, Any] = details
    return checked_details
