from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from aune.campaign.protocol.deadlines import format_instant, format_timestamp, parse_instant, parse_timestamp


def test_an_instant_is_the_same_in_every_zone() -> None:
    expected = datetime(2026, 3, 29, 11, 59, tzinfo=UTC)
    for text in (
        "2026-03-28 23:59 AoE",
        "2026-03-29 13:59 Europe/Paris",
        "2026-03-29T11:59:00Z",
        "2026-03-29 11:59 UTC",
    ):
        assert parse_instant(text) == expected
    assert parse_instant(expected.astimezone()) == expected


def test_daylight_saving() -> None:
    """The offset is that of the day, not of today."""
    assert parse_instant("2026-03-28 12:00 Europe/Paris") == datetime(2026, 3, 28, 11, tzinfo=UTC)
    assert parse_instant("2026-03-29 12:00 Europe/Paris") == datetime(2026, 3, 29, 10, tzinfo=UTC)
    assert "CET" in format_instant(parse_instant("2026-03-28 12:00 Europe/Paris"), "Europe/Paris")
    assert "CEST" in format_instant(parse_instant("2026-03-29 12:00 Europe/Paris"), "Europe/Paris")
    assert parse_instant("2026-10-04 12:00 Australia/Lord_Howe") == datetime(2026, 10, 4, 1, tzinfo=UTC)  # half an hour


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2026-03-29 02:30 Europe/Paris", "skip"),
        ("2026-10-25 02:30 Europe/Paris", "twice"),
        ("2026-03-29 02:30", "time zone"),
        ("2026-03-29 02:30 Europe/Atlantis", "no time zone 'Europe/Atlantis'"),
        ("2026-03-29 02:30 ../../etc/passwd", "no time zone"),
        ("tomorrow", "write"),
        ("2026-13-29 02:30 UTC", "month"),
    ],
)
def test_times_that_mean_nothing_or_two_things_are_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_instant(text)


def test_records_keep_microseconds_and_order() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    later = moment + timedelta(microseconds=1)
    assert format_timestamp(moment) < format_timestamp(later)
    assert parse_timestamp(format_timestamp(later)) == later
