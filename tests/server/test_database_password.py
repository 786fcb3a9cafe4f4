"""The password of a database comes from the environment or a file, and never into the list of processes unnoticed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from aune.errors import UsageError
from aune.server.site import PASSWORD_FILE_VARIABLE, PASSWORD_VARIABLE, Site, database, exposed_password

ADDRESS = "postgresql://aune@localhost:5432/aune"


def password(address: str = ADDRESS) -> object:
    return database(Site(folder="", database=address))["PASSWORD"]


def test_the_password_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert password() == ""
    monkeypatch.setenv(PASSWORD_VARIABLE, "s3cret")
    assert password() == "s3cret"
    assert password("postgresql://aune:typed@localhost/aune") == "typed"


def test_the_password_comes_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(PASSWORD_FILE_VARIABLE, str(tmp_path / "password"))
    with pytest.raises(UsageError, match="cannot be read"):
        password()
    (tmp_path / "password").write_text("from a file\n")
    assert password() == "from a file"


def test_a_password_on_the_command_line_is_warned_about(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(folder="", database="postgresql://aune:typed@localhost/aune")
    monkeypatch.setattr(sys, "argv", ["aune", "serve", "--database", site.database])
    assert PASSWORD_VARIABLE in exposed_password(site)
    monkeypatch.setattr(sys, "argv", ["aune", "serve"])  # from AUNE_DATABASE
    assert exposed_password(site) == ""
