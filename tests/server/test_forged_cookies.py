"""Who may read what other users of the machine may read forges no session: the secret of cookies is not there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.core import signing
from django.utils.crypto import salted_hmac

from aune.server.accounts.views import BACKEND
from aune.server.site import Site, secret
from tests.server.serving import Client, Served, accept_invitation, serving

NAME = "Olga"


@pytest.fixture(scope="module")
def served_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that was started by somebody whose umask lets everybody read."""
    before = os.umask(0)
    try:
        with serving(tmp_path_factory.mktemp("forged") / "site", "--accounts") as made:
            accept_invitation(made, made.printed, NAME)
            yield made
    finally:
        os.umask(before)


def forged_cookie(key: str, password: str, account: str) -> str:
    """A session as Django signs one, by somebody who knows a key and what is in the row of an account."""
    session_hash = salted_hmac("aune.accounts", f"{password}\0{0}", secret=key, algorithm="sha256").hexdigest()
    session = {SESSION_KEY: account, BACKEND_SESSION_KEY: BACKEND, HASH_SESSION_KEY: session_hash}
    salt = "django.contrib.sessions.backends.signed_cookies"
    return signing.dumps(session, key=key, salt=salt, compress=True, serializer=signing.JSONSerializer)


def status_with(served: Served, cookie: str) -> int:
    return Client(served.address, cookies={f"aune-{served.port}": cookie}).get("/people").status


def organiser(served: Served) -> tuple[str, str]:
    row = served.run_inside(
        "import json\nfrom aune.server.accounts.models import Account\n"
        "print(json.dumps(list(Account.objects.values_list('password', 'pk').get(role='organiser'))))"
    )
    return row[0], row[1]


def test_whoever_knows_the_secret_could_sign_sessions(served_site: Served) -> None:
    """So that the next test tests something: the forger knows how, and lacks the secret alone."""
    key = secret(Site(folder=str(served_site.site)))
    assert status_with(served_site, forged_cookie(key, *organiser(served_site))) == 200


@pytest.mark.parametrize("key", ["", "of a server that serves nobody", settings.SECRET_KEY])
def test_no_guess_of_the_secret_is_right(served_site: Served, key: str) -> None:
    """Not what tests and type checkers use instead of one, either."""
    assert status_with(served_site, forged_cookie(key or "x", *organiser(served_site))) == 302


def test_nothing_that_other_users_can_read_helps(served_site: Served, tmp_path: Path) -> None:
    """The folder and every file in it are for their owner alone, also under an open umask; nobody else gets in."""
    files = [served_site.site, *served_site.site.rglob("*")]
    assert served_site.site / "secret" in files and served_site.site / "aune.sqlite" in files
    assert [str(path) for path in files if path.lstat().st_mode & 0o077] == []
    key = secret(Site(folder=str(served_site.site)))
    arguments = Path(f"/proc/{served_site.process.pid}/cmdline").read_bytes()
    assert key.encode() not in arguments
    if os.getuid() == 0:
        tried = subprocess.run(["cat", served_site.site / "secret"], user="nobody", capture_output=True, check=False)
        assert tried.returncode != 0 and key.encode() not in tried.stdout
