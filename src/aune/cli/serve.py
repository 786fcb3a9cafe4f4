"""`aune serve`: the workbench in a browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

from aune.cli._inputs import File, Lanes, Largest, Port
from aune.cli._output import tell

DatabaseAddress: TypeAlias = Annotated[str, Parameter(env_var="AUNE_DATABASE", show_env_var=True)]
NEEDED = ("django", "django_htmx", "granian", "markdown_it", "whitenoise")


def serve(
    *files: File,
    port: Port = 8765,
    browser: bool = True,
    site: Path | None = None,
    accounts: Annotated[bool, Parameter(negative=())] = False,
    database: DatabaseAddress = "",
    public: str = "",
    listen: str = "127.0.0.1",
    proxies: str = "",
    lanes: Lanes = 1,
    largest: Largest = 64,
    room: Largest = 4096,
) -> None:
    """Annotate, resolve, compare and adjudicate coreference and entities in a browser.

    The address is printed, and opened. Without accounts nobody signs in: the address contains a key that admits one
    browser. Ctrl-C stops the server; everything that was saved is kept. Needs the extra `server`:
    pip install 'aune[server]'.

    Parameters
    ----------
    files
        Files or folders to open, in any format for coreference or entities. A file that is there already is not
        opened twice.
    port
        The port to listen on.
    browser
        Whether a browser is opened.
    site
        The folder where database and files live; made if it is not there. Without it, a folder among your own data
        (its name is printed).
    accounts
        Serve a team: people have accounts and sign in. The first start prints an invitation for the first organiser.
    database
        Another database than the SQLite in the site: postgresql://user@host:port/name.
        The password is best in AUNE_DATABASE_PASSWORD, or in a file that AUNE_DATABASE_PASSWORD_FILE names.
    public
        The address that people type, where a proxy stands in front: https://annotate.example.org.
    listen
        The address to listen on; without accounts only this machine's own.
    proxies
        The addresses or networks of proxies in front, separated by commas, such as 172.16.0.0/12: they are trusted to
        name their clients. Proxies on this machine always are.
    lanes
        How many processes score runs and compute boards. With two or more, one does nothing that takes minutes, so that
        no run waits behind a board.
    largest
        The largest upload, in megabytes.
    room
        Quota for the layers of one account, in megabytes; a single layer may take a quarter of it. Only with accounts.
    """
    check_packages(database)
    from aune.errors import UsageError

    if not 0 < port < 65_536:
        raise UsageError(f"--port: found {port}, expected a number from 1 to 65535")
    for option, size in (("largest", largest), ("room", room)):
        if size < 1:
            raise UsageError(f"--{option}: found {size}, expected one megabyte or more")

    from aune.server.site import MEGABYTE, Site, parse_proxies, user_folder
    from aune.server.startup import serve as run

    place = Site(
        folder=os.path.realpath(site or user_folder()),
        database=database,
        accounts=accounts,
        listen=listen,
        port=port,
        public=public.rstrip("/"),
        proxies=parse_proxies(proxies),
        lanes=lanes,
        largest=largest * MEGABYTE,
        room=room * MEGABYTE,
    )
    if not accounts and not place.is_local:
        raise UsageError(f"--listen: {listen} can be reached by others: add --accounts, so that people sign in")
    if public and not accounts:
        raise UsageError("--public: a server that others reach needs --accounts")
    run(place, files, tell, browser=browser)


def check_packages(database: str) -> None:
    """Report missing packages before any work is done."""
    from importlib.util import find_spec

    from aune.errors import UsageError

    needed = [*NEEDED, *(["psycopg"] if database else [])]
    if missing := [name for name in needed if find_spec(name) is None]:
        raise UsageError(f"a server needs the package {missing[0]}: install it with pip install 'aune[server]'")
