"""Deadlines: each is one instant, written in any time zone, shown in UTC, in local time and anywhere on Earth.

>>> print(format_instant(parse_instant("2026-03-28 23:59 AoE"), "Europe/Paris"))
2026-03-29 11:59:00 UTC · 2026-03-29 13:59:00 CEST (Europe/Paris) · 2026-03-28 23:59:00 AoE
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

AOE = timezone(timedelta(hours=-12), "AoE")  # a day ends when it has ended everywhere
LOCAL_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)\s+(\S+)")
EXAMPLE = '"2026-03-28 23:59 AoE", "2026-03-29 12:00 Europe/Paris" or 2026-03-29T12:00:00Z'


def now() -> datetime:
    """The current time, to the microsecond."""
    return datetime.now(UTC)


def parse_instant(text: object) -> datetime:
    """The instant that a text describes, in UTC; raises ValueError if the local time does not exist or is ambiguous.

    >>> parse_instant("2026-07-01 12:00 Europe/Paris")
    datetime.datetime(2026, 7, 1, 10, 0, tzinfo=datetime.timezone.utc)
    """
    if isinstance(text, datetime):
        if text.tzinfo is None:
            raise ValueError(f"no time zone: write {EXAMPLE}")
        return _in_utc(text)
    if not isinstance(text, str):
        raise ValueError(f"no instant: write {EXAMPLE}")
    match = LOCAL_TIME.fullmatch(text.strip())
    if not match:
        return parse_instant(_parse_iso(text.strip()))
    local = datetime.fromisoformat(f"{match[1]}T{match[2]}")
    if match[3].lower() == "aoe":
        return _in_utc(local.replace(tzinfo=AOE))
    zone = time_zone(match[3])
    early, late = (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if early.utcoffset() == late.utcoffset():
        return _in_utc(early)
    if early.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != local:
        raise ValueError(f"clocks in {match[3]} skip this time: write another one, or the instant in UTC")
    raise ValueError(f"clocks in {match[3]} show this time twice: write the instant in UTC")


def _in_utc(local: datetime) -> datetime:
    try:
        return local.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"no year that calendars have: write {EXAMPLE}") from None


def _parse_iso(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"no instant: write {EXAMPLE}") from None


def time_zone(name: str) -> ZoneInfo:
    """A time zone of the IANA database; raises ValueError if the name is unknown."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"no time zone {name!r}: write AoE, UTC or one such as Europe/Paris") from None


def format_instant(moment: datetime, zone: str) -> str:
    """An instant written in UTC, in a time zone and anywhere on Earth."""
    local = moment.astimezone(time_zone(zone))
    parts = [f"{_format_plain(moment.astimezone(UTC))} UTC"]
    if zone != "UTC":
        parts.append(f"{_format_plain(local)} {local.tzname()} ({zone})")
    return " · ".join([*parts, f"{_format_plain(moment.astimezone(AOE))} AoE"])


def _format_plain(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def format_timestamp(moment: datetime) -> str:
    """An instant as records store it.

    >>> format_timestamp(parse_instant("2026-07-01 12:00 UTC"))
    '2026-07-01T12:00:00.000000Z'
    """
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"


def parse_timestamp(text: str) -> datetime:
    """The instant that a record stores."""
    return datetime.fromisoformat(text)
