"""Export and deletion of the personal data of a server.

The work of a person is kept: layers, keys and decisions under an anonymous account, entries of the ledger under an id.
Ledgers of older versions, and the names of organisers in public decisions, cannot be changed.
"""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.db import transaction

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.people import names_person
from aune.campaign.publication import outbox
from aune.errors import UsageError
from aune.server.accounts.models import Account, Invitation, Token
from aune.server.campaign.access import campaign
from aune.server.campaign.models import Address, Application, Membership
from aune.server.workbench.models import Layer


def export_person(account: Account) -> dict[str, Any]:
    """All data stored about a person, as plain values."""
    address = Address.objects.filter(account=account).first()
    member = Membership.objects.filter(account=account).first()
    email = address.email if address else ""
    data: dict[str, Any] = {
        "account": {
            "name": account.name, "role": account.role, "open": account.is_active, "made": account.made.isoformat(),
            "last seen": account.last_login.isoformat() if account.last_login else None,
        },
        "address": {"email": email, "confirmed": address.confirmed} if address else None,
        "tokens": [{"name": name, "made": made.isoformat()} for name, made in Token.objects.filter(
            account=account).values_list("name", "made")],
        "invitation": [{"role": role, "note": note} for role, note in Invitation.objects.filter(
            account=account).values_list("role", "note")],
        "invitations made": [{"role": role, "note": note} for role, note in Invitation.objects.filter(
            inviter=account).values_list("role", "note")],
        "layers": [{"name": name, "text": text} for name, text in Layer.objects.filter(
            author=account).values_list("name", "text__name")],
        "applications": list(Application.objects.filter(email=email or None).values("team", "country", "text")),
    }  # fmt: skip
    if settings.SITE.has_campaign:
        here = campaign()
        team = here.state.teams.get(member.team) if member else None
        data["team"] = {"name": team.name, "country": team.country, "pseudonym": team.pseudonym} if team else None
        data["ledger"] = [
            {"position": entry.position, "time": entry.time, "kind": entry.kind, "details": entry.details}
            for entry in map(here.with_names, here.entries)
            if entry.details and names_person(entry.kind, entry.details, account.name)
        ]  # fmt: skip
        data["letters"] = [path.name for path in outbox.letters_to(here, email)] if email else []
    return data


def delete_person(account: Account) -> int:
    """Delete the data about a person, and return how many entries of the ledger still contain the name."""
    name = account.name
    address = Address.objects.filter(account=account).first()
    email = address.email if address else ""
    if account.is_organiser and not Account.objects.filter(
        role="organiser", is_active=True).exclude(pk=account.pk).exists():  # fmt: skip
        raise UsageError("the last organiser cannot be deleted: invite another first")
    with transaction.atomic():
        for model in (Token, Address, Membership):
            model._default_manager.filter(account=account).delete()
        Invitation.objects.filter(account=account).update(note="")
        if email:
            Application.objects.filter(email=email).delete()
            for invitation in Invitation.objects.filter(note__contains=email):
                if email in invitation.note.split(", "):  # another address may contain this one
                    Invitation.objects.filter(pk=invitation.pk).update(note="")
        Layer.objects.filter(author=account, name=name).update(name="deleted")
        account.name, account.is_active = f"deleted {secrets.token_hex(4)}", False
        account.last_login = None
        account.set_unusable_password()
        account.save(update_fields=["name", "is_active", "last_login", "password"])
    account.void_sessions()
    return _forget_in_campaign(campaign(), name, email) if settings.SITE.has_campaign else 0


def _forget_in_campaign(here: Campaign, name: str, email: str) -> int:
    here.forget_person(name)
    for path in outbox.letters_to(here, email) if email else ():
        path.unlink(missing_ok=True)
        path.with_suffix(".txt").unlink(missing_ok=True)
    entries = here.ledger.entries()
    return sum(entry.details is not None and names_person(entry.kind, entry.details, name) for entry in entries)
