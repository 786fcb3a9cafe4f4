"""Accounts, and the three ways to sign in: invitation, passphrase, token. Secrets are stored as digests only."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac

ROLES = {
    "organiser": "invites, sees every layer, makes keys",
    "annotator": "annotates, sees others when both are done",
    "participant": "hands in what a system says",
}
INVITATION_LIFETIME = timedelta(days=14)
MAX_COLLISIONS = 5  # how many existing names may be tried with one invitation


def identifier() -> str:
    """A random identifier that cannot be guessed."""
    return secrets.token_urlsafe(12)


def digest(secret: str) -> str:
    """The digest that is stored of a random secret, which cannot be recovered from it or guessed."""
    return hashlib.sha256(secret.encode()).hexdigest()


class AccountManager(BaseUserManager["Account"]):
    """Creates accounts."""

    def create_account(self, name: str, role: str, passphrase: str | None) -> Account:
        account = self.model(name=self.normalise_name(name), role=role)
        if passphrase is None:
            account.set_unusable_password()
        else:
            account.set_password(passphrase)
        account.save(using=self._db)
        return account

    @staticmethod
    def normalise_name(name: str) -> str:
        return Account.normalize_username(name).strip()

    def get_by_natural_key(self, username: str | None) -> Account:
        return self.get(name=self.normalise_name(username or ""))


class Account(AbstractBaseUser):
    """A user account."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    name = models.CharField(max_length=80, unique=True)
    role = models.CharField(max_length=16, choices=[(role, role) for role in ROLES])
    is_active = models.BooleanField(default=True)
    generation = models.PositiveIntegerField(default=0)
    """Part of what every session cookie of the account is signed with: increasing it voids all of them."""
    made = models.DateTimeField(default=timezone.now)
    kept = models.PositiveBigIntegerField(default=0)
    """Bytes that the layers of the account occupy, updated as they are stored."""

    USERNAME_FIELD = "name"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects: ClassVar[AccountManager] = AccountManager()

    @property
    def is_organiser(self) -> bool:
        return self.role == "organiser"

    def get_session_auth_hash(self) -> str:
        return salted_hmac("aune.accounts", f"{self.password}\0{self.generation}", algorithm="sha256").hexdigest()

    def void_sessions(self) -> None:
        """Void every session cookie of the account."""
        Account.objects.filter(pk=self.pk).update(generation=models.F("generation") + 1)


class Invitation(models.Model):
    """A link with which one account can be created, once."""

    digest = models.CharField(primary_key=True, max_length=64)
    role = models.CharField(max_length=16)
    note = models.CharField(max_length=200, blank=True)
    inviter = models.ForeignKey(Account, null=True, on_delete=models.CASCADE, related_name="invitations")
    expires = models.DateTimeField()
    redeemed = models.DateTimeField(null=True)
    account = models.ForeignKey(Account, null=True, on_delete=models.SET_NULL, related_name="+")
    collisions = models.PositiveIntegerField(default=0)
    """How often somebody tried to choose an existing name with this invitation."""

    @classmethod
    def issue(cls, role: str, inviter: Account | None = None, note: str = "") -> str:
        """Create an invitation and return its secret, which is shown only once."""
        secret = secrets.token_urlsafe(32)
        cls.objects.create(
            digest=digest(secret), role=role, inviter=inviter, note=note, expires=timezone.now() + INVITATION_LIFETIME
        )
        return secret

    @classmethod
    def open(cls, secret: str) -> Invitation | None:
        """The invitation with this secret; None if it was used, has expired or was used to probe for existing names."""
        valid = cls.objects.filter(redeemed=None, expires__gt=timezone.now(), collisions__lt=MAX_COLLISIONS)
        return valid.filter(digest=digest(secret)).first()

    def record_collision(self) -> bool:
        """Count an attempt to choose an existing name; False if there were several, which make the invitation void."""
        valid = Invitation.objects.filter(pk=self.pk, collisions__lt=MAX_COLLISIONS)
        return bool(valid.update(collisions=models.F("collisions") + 1))

    def redeem(self) -> bool:
        """Mark the invitation as used. Of two simultaneous calls, only one returns True."""
        return bool(Invitation.objects.filter(pk=self.pk, redeemed=None).update(redeemed=timezone.now()))


class Token(models.Model):
    """A secret that a program sends instead of a passphrase."""

    id = models.CharField(primary_key=True, max_length=24, default=identifier, editable=False)
    digest = models.CharField(max_length=64, unique=True)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    made = models.DateTimeField(default=timezone.now)

    @classmethod
    def issue(cls, account: Account, name: str) -> str:
        """Create a token and return its secret, which is shown only once."""
        secret = "aune_" + secrets.token_urlsafe(32)
        cls.objects.create(digest=digest(secret), account=account, name=name)
        return secret

    @classmethod
    def bearer(cls, secret: str) -> Account | None:
        token = cls.objects.filter(digest=digest(secret), account__is_active=True).select_related("account").first()
        return token.account if token else None


class Key(models.Model):
    """The one-time key of a single-user server: it is exchanged for a session cookie and deleted."""

    digest = models.CharField(primary_key=True, max_length=64)
    made = models.DateTimeField(default=timezone.now)

    @classmethod
    def issue(cls) -> str:
        secret = secrets.token_urlsafe(32)
        cls.objects.create(digest=digest(secret))
        return secret

    @classmethod
    def redeem(cls, secret: str) -> bool:
        """Use up the key; False if it is unknown or was used."""
        return bool(cls.objects.filter(digest=digest(secret)).delete()[0])


class Attempt(models.Model):
    """A failed sign-in, stored to limit guessing."""

    subject = models.CharField(max_length=64)
    """The digest of a name, of a client address, or of both."""
    at = models.DateTimeField()

    class Meta:
        """The index supports counting the failures of a subject since a moment."""

        indexes: ClassVar[list[Any]] = [models.Index(fields=["subject", "at"])]


def since(span: timedelta) -> datetime:
    return timezone.now() - span
