"""Membership of teams, email addresses, and applications; everything else about a campaign is in its ledger."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from aune.server.accounts.models import Account, identifier


class Membership(models.Model):
    """An account that acts for a team."""

    account = models.OneToOneField(Account, primary_key=True, on_delete=models.CASCADE, related_name="membership")
    team = models.CharField(max_length=32, db_index=True)
    """The team's id in the ledger."""


class Address(models.Model):
    """The email address for notices; people without one get no emails."""

    account = models.OneToOneField(Account, primary_key=True, on_delete=models.CASCADE, related_name="address")
    email = models.EmailField()
    confirmed = models.BooleanField(default=True)
    """Whether the owner confirmed the address; True for addresses from older versions, which did not ask."""


class Application(models.Model):
    """An application to take part. It is deleted when the organiser has approved or declined it."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    team = models.CharField(max_length=200)
    country = models.CharField(max_length=80, blank=True)
    email = models.EmailField(unique=True)
    text = models.CharField(max_length=2000, blank=True)
    made = models.DateTimeField(default=timezone.now)
