"""Times on a page: rendered in UTC, and converted by `campaign.js` to the reader's time zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from aune.campaign.protocol.deadlines import now, parse_timestamp

register = template.Library()


@register.filter
def moment(instant: str | datetime) -> SafeString:
    """A time, to the second."""
    when = (parse_timestamp(instant) if isinstance(instant, str) else instant).astimezone(UTC)
    return format_html('<time datetime="{}">{} UTC</time>', f"{when:%Y-%m-%dT%H:%M:%SZ}", f"{when:%Y-%m-%d %H:%M:%S}")


@register.filter
def remaining(instant: datetime) -> str:
    """The time left until then."""
    return time_left(instant - now())


def time_left(span: timedelta) -> str:
    """A duration in its two largest units.

    >>> time_left(timedelta(days=3, hours=2, minutes=5)), time_left(timedelta(seconds=70)), time_left(timedelta(-1))
    ('3 days 2 hours left', '1 minute left', 'over')
    """
    if span <= timedelta():
        return "over"
    minutes = int(span.total_seconds()) // 60
    parts = [(minutes // 1440, "day"), (minutes // 60 % 24, "hour"), (minutes % 60, "minute")]
    named = [f"{number} {unit}{'s' if number != 1 else ''}" for number, unit in parts if number]
    return f"{' '.join(named[:2]) or 'less than a minute'} left"
