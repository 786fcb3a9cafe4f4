"""`aune site`: backup, restore and invitations of what `aune serve --site FOLDER` serves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from aune.cli._output import put_text, tell
from aune.cli.serve import DatabaseAddress, check_packages

if TYPE_CHECKING:
    from aune.server.site import Site

app = App(name="site", help="Look after a server: back it up, restore it, invite people.", help_format="plaintext")


@app.command
def backup(
    folder: Path,
    target: Path,
    /,
    *,
    database: DatabaseAddress = "",
) -> None:
    """Write a whole site, rows and files, and its campaign if it has one, to one file. The server may run meanwhile.

    Parameters
    ----------
    folder
        The folder of the site.
    target
        The file to write, such as site.tar.gz.
    database
        The database of the site, if it is not the SQLite in the folder: postgresql://user@host:port/name.
        The password is best in AUNE_DATABASE_PASSWORD, or in a file that AUNE_DATABASE_PASSWORD_FILE names.
    """
    site = _site(folder, database, must_exist=True)
    from aune.server.startup import site_database

    with site_database(site):
        from aune.server.site_backup import write_backup

        tell(f"{target}: {write_backup(site, target):,} rows and their files")


@app.command
def restore(
    source: Path,
    folder: Path,
    /,
    *,
    database: DatabaseAddress = "",
) -> None:
    """Restore a site from a backup, on either database. The site must be new or empty.

    Parameters
    ----------
    source
        The backup.
    folder
        The folder of the site to make.
    database
        Where its rows go, if not into SQLite in the folder: postgresql://user@host:port/name.
        The password is best in AUNE_DATABASE_PASSWORD, or in a file that AUNE_DATABASE_PASSWORD_FILE names.
    """
    from aune.files import fill_folder
    from aune.server.startup import site_database

    with fill_folder(folder) as home, site_database(site := _site(home, database)):
        from aune.server.site_backup import restore_backup

        tell(f"{folder}: {restore_backup(site, source):,} rows and their files")


@app.command
def person(
    folder: Path,
    name: str,
    /,
    *,
    forget: Annotated[bool, Parameter(negative=())] = False,
    database: DatabaseAddress = "",
) -> None:
    """Print what a site knows about a person, as JSON; or delete it.

    Parameters
    ----------
    folder
        The folder of the site.
    name
        The name of the person's account.
    forget
        Delete it, instead of printing it. What the person did stays, without the name.
    database
        The database of the site, if it is not the SQLite in the folder.
    """
    site = _site(folder, database, must_exist=True)
    from aune.cli._output import put_json
    from aune.errors import UsageError
    from aune.server.startup import site_database

    with site_database(site):
        from aune.server.accounts.models import Account
        from aune.server.personal_data import delete_person, export_person

        account = Account.objects.filter(name=Account.objects.normalise_name(name)).first()
        if account is None:
            raise UsageError(f"no account has the name {name!r}")
        if not forget:
            put_json(export_person(account), None)
        elif left := delete_person(account):
            tell(f"warning: {left} entries of the ledger still have the name: a ledger is never changed")


@app.command
def invite(
    folder: Path,
    /,
    *,
    role: Literal["organiser", "annotator", "participant"] = "annotator",
    address: str = "http://127.0.0.1:8765",
    database: DatabaseAddress = "",
) -> None:
    """Print an invitation: a link that makes one account, once, within two weeks.

    Parameters
    ----------
    folder
        The folder of the site.
    role
        What the invited person may do.
    address
        The address at which people reach the server.
    database
        The database of the site, if it is not the SQLite in the folder.
    """
    site = _site(folder, database, must_exist=True)
    from aune.errors import make_visible
    from aune.server.startup import site_database

    with site_database(site):
        from aune.server.accounts.models import Invitation

        put_text(make_visible(f"{address.rstrip('/')}/invitation/{Invitation.issue(role)}") + "\n", None)


def _site(folder: Path, database: str, must_exist: bool = False) -> Site:
    check_packages(database)
    from aune.errors import UsageError
    from aune.server.site import Site

    if must_exist and not (folder / "secret").is_file():
        raise UsageError(f"{folder}: contains no site: name the folder that was given to aune serve --site")
    return Site(folder=os.path.realpath(folder), database=database, accounts=True)
