"""Who is in which team, and who wants letters where: all else that a campaign knows is in its ledger."""

from __future__ import annotations

from django.db import models

from aune.server.accounts.models import Account


class Membership(models.Model):
    """An account that acts for a team."""

    account = models.OneToOneField(Account, primary_key=True, on_delete=models.CASCADE, related_name="membership")
    team = models.CharField(max_length=32, db_index=True)
    """The team's id in the ledger."""


class Address(models.Model):
    """Where somebody gets notices; who wants none has none."""

    account = models.OneToOneField(Account, primary_key=True, on_delete=models.CASCADE, related_name="address")
    email = models.EmailField()
