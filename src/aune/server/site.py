"""The configuration of a server: the options of `aune serve`, passed to its processes in one environment variable."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import msgspec

from aune.errors import UsageError
from aune.files import create_once, lock_file
from aune.server.spawned_process import CAN_FORK

VARIABLE = "AUNE_SITE"
PASSWORD_VARIABLE, PASSWORD_FILE_VARIABLE = "AUNE_DATABASE_PASSWORD", "AUNE_DATABASE_PASSWORD_FILE"
"""Environment variables for the database password, so that it need not be an argument of the process."""
MEGABYTE = 1 << 20
SECRET, DATABASE = "secret", "aune.sqlite"
SITE_FILES = (SECRET, "files", DATABASE, *(f"{DATABASE}-{log}" for log in ("wal", "shm", "journal")))
"""The files and folders that a server creates in its folder."""


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """The configuration of one server: folder, database, address, limits."""

    folder: str
    """The folder of the files, of the secret, and of the database unless `database` names another."""
    database: str = ""
    """`postgresql://user:password@host:port/name`; empty for SQLite in the folder."""
    accounts: bool = False
    """Whether people sign in with accounts; otherwise there is one user, who enters with a one-time key."""
    listen: str = "127.0.0.1"
    port: int = 8765
    public: str = ""
    """The public URL, if there is a proxy in front of the server: `https://annotate.example.org`."""
    proxies: tuple[str, ...] = ()
    """The addresses or networks of proxies whose `X-Forwarded-For` is trusted, in addition to this machine."""
    lanes: int = 1
    """The number of worker processes for jobs. With two or more, the first does no job that may take minutes."""
    largest: int = 64 * MEGABYTE
    """The maximal size of an upload in bytes."""
    room: int = 4096 * MEGABYTE
    """The maximal size in bytes of all layers of one account."""

    @property
    def address(self) -> str:
        """The URL that users open."""
        return self.public or f"http://{'127.0.0.1' if self.listen in ('0.0.0.0', '::') else self.listen}:{self.port}"

    @property
    def hosts(self) -> list[str]:
        """The host names that the server accepts: a request to any other comes from a foreign page that points here."""
        parts = [urlsplit(self.address), urlsplit(f"http://{self.listen}")]
        names = [part.hostname or "" for part in parts] + (["localhost", "127.0.0.1", "[::1]"] if self.is_local else [])
        return sorted({name for name in names if name and name != "0.0.0.0"})

    @property
    def is_local(self) -> bool:
        return self.listen in ("127.0.0.1", "::1", "localhost")

    @property
    def has_campaign(self) -> bool:
        """Whether the folder contains a campaign."""
        return bool(self.folder) and Path(self.folder, "campaign.toml").is_file()

    @property
    def files(self) -> Path:
        return Path(self.folder, "files")

    def environment(self) -> dict[str, str]:
        """The environment variables that configure the processes of a server."""
        return {VARIABLE: msgspec.json.encode(self).decode(), "DJANGO_SETTINGS_MODULE": "aune.server.settings"}


def current() -> Site:
    """The site of this process; if none is configured (type checker, tests of models), one in memory."""
    return _decode_site(os.environ.get(VARIABLE, ""))


@lru_cache(1)
def _decode_site(text: str) -> Site:
    return msgspec.json.decode(text, type=Site) if text else Site(folder="", database="sqlite://")


def parse_proxies(text: str) -> tuple[str, ...]:
    """The addresses and networks in the option --proxies, separated by commas.

    >>> parse_proxies("10.1.0.5, 172.16.0.0/12")
    ('10.1.0.5', '172.16.0.0/12')
    """
    proxies = tuple(part.strip() for part in text.split(",") if part.strip())
    for proxy in proxies:
        try:
            ip_network(proxy)
        except ValueError:
            message = "expected addresses or networks such as 10.1.0.5 or 172.16.0.0/12"
            raise UsageError(f"--proxies: found {proxy!r}, {message}") from None
    return proxies


def user_folder() -> Path:
    """The default folder of the workbench, in the user's data folder of the operating system."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return base / "aune" / "workbench"


def prepare_site(site: Site) -> Site:
    """Create the folders of a site, which only the owner can read."""
    _database(site.database)
    _make_folder(site, Path(site.folder))
    _make_folder(site, site.files)
    return site


def _make_folder(site: Site, folder: Path) -> None:
    """Create a folder of a site, unless it exists, and check that it is writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise UsageError(
            f"{site.folder}: cannot represent the site ({error.strerror}): name another with --site"
        ) from None
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{folder}: cannot be written: name another folder with --site")


@contextmanager
def rollback_if_refused(site: Site) -> Iterator[None]:
    """Remove the files of a new site if the block raises an error; an existing site is left unchanged.

    The folder is locked meanwhile, so that nothing is removed that another starting server uses.
    """
    folder = Path(site.folder)
    new = [path for path in (folder, *folder.parents) if not os.path.lexists(path)]
    try:
        with _locked_folder(site):
            made = [folder / name for name in SITE_FILES if not os.path.lexists(folder / name)]
            is_new = {folder / SECRET, folder / DATABASE} <= {*made}
            try:
                yield
            except BaseException:
                for path in made if is_new else ():
                    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
                raise
    except BaseException:
        for path in new:
            with suppress(OSError):  # the folder is no longer empty
                path.rmdir()
        raise


@contextmanager
def _locked_folder(site: Site) -> Iterator[None]:
    """Create the folder of a site and lock it against other starting servers, where folders can be locked."""
    folder = Path(site.folder)
    if not CAN_FORK:
        _make_folder(site, folder)
        yield
        return
    while True:
        _make_folder(site, folder)
        handle = os.open(folder, os.O_RDONLY)
        try:
            lock_file(handle)
            if folder.is_dir() and os.path.samestat(os.fstat(handle), folder.stat()):
                yield
                return  # else the folder was removed while we waited for the lock: create it again
        finally:
            os.close(handle)


def secret(site: Site) -> str:
    """The key that signs cookies: created once, stored beside the database, readable only by the owner."""
    if not site.folder:
        return "of a server that serves nobody"
    path = Path(site.folder, SECRET)
    if path.is_file() and not path.stat().st_size:  # left by a killed server of a version that wrote it non-atomically
        path.unlink()
    return (path.read_bytes() if path.is_file() else create_once(path, secrets.token_urlsafe(48).encode())).decode()


def database(site: Site) -> dict[str, object]:
    """Django's configuration of the database."""
    if site.database and not site.database.startswith("sqlite:"):
        return _database(site.database)
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(Path(site.folder, DATABASE)) if site.folder else ":memory:",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",  # a writer waits for the lock; by default, two that began as readers fail
            "timeout": 20,
            "cached_statements": 0,  # each would keep its last parameters (megabytes) in memory, per thread
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
        },
    }


def _database(address: str) -> dict[str, object]:
    parts = urlsplit(address)
    if not address:
        return {}
    if parts.scheme not in ("postgresql", "postgres") or not parts.path.strip("/"):
        raise UsageError(
            f"--database: found {_without_password(parts)}, expected postgresql://user:password@host:port/name"
        )
    try:
        port = parts.port
    except ValueError:
        raise UsageError(f"--database: found {_without_password(parts)}, whose port is no number") from None
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password) if parts.password else _separate_password(),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": dict(parse_qsl(parts.query)),
    }


def _separate_password() -> str:
    """The database password from the environment, or from the file that an environment variable names."""
    if path := os.environ.get(PASSWORD_FILE_VARIABLE):
        try:
            return Path(path).read_text("utf-8").rstrip("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{PASSWORD_FILE_VARIABLE}: {path} cannot be read ({error})") from None
    return os.environ.get(PASSWORD_VARIABLE, "")


def exposed_password(site: Site) -> str:
    """A warning if other users of this machine can see the database password in the process list."""
    password = urlsplit(site.database).password if site.database else None
    if not password or not any(password in argument for argument in sys.argv):
        return ""
    return (
        "other users of this machine can read the password of the database in the list of processes: set "
        f"{PASSWORD_VARIABLE}, or {PASSWORD_FILE_VARIABLE} to the path of a file, and leave it out of --database"
    )


def _without_password(parts: SplitResult) -> str:
    """A database URL without its password."""
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


DATABASE_DAMAGED = (
    "The database of this server is damaged. Nothing is saved until it is repaired: stop the server, restore the last "
    "backup into a new folder with “aune site restore”, and serve that folder."
)


def is_database_damaged(error: BaseException | None) -> bool:
    """Whether an error of SQLite means that the database file is damaged, recognised by its message."""
    reason = str(error)
    return "disk image is malformed" in reason or "file is not a database" in reason
