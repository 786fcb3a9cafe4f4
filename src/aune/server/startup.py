"""Start a server: migrate the database, open files, print the address; then serve requests until Ctrl-C."""

from __future__ import annotations

import io
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Any

from aune.errors import InputError, Problem, UsageError
from aune.files import final_path, read_bytes
from aune.privacy import describe_tightening, private_umask, tighten_folder
from aune.server.site import (
    DATABASE,
    Site,
    exposed_password,
    is_database_damaged,
    prepare_site,
    rollback_if_refused,
)
from aune.server.spawned_process import CAN_FORK, MISSING_LIMITS

Tell = Callable[[str], None]
MIN_FREE_BYTES = 1 << 20  # with fewer free bytes, the disk counts as full
IDLE_SECONDS = 15  # seconds after which an idle connection is closed
BACKLOG = 1024
MAX_CONNECTIONS = 4096


def serve(site: Site, files: Sequence[str], tell: Tell, *, browser: bool) -> None:
    """Run a server until it is interrupted."""
    _check_system(site, tell)
    with private_umask():
        _serve_privately(site, files, tell, browser=browser)


def _check_system(site: Site, tell: Tell) -> None:
    """Refuse what only Linux can serve safely, and warn where files of one's own are read without a limit of memory."""
    if CAN_FORK:
        return
    if site.accounts or site.has_campaign:
        what = "a campaign" if site.has_campaign else "--accounts: a server for several people"
        raise UsageError(f"{what} needs Linux, where the files of others are read with limits of memory")
    tell(f"warning: {MISSING_LIMITS}")


def _serve_privately(site: Site, files: Sequence[str], tell: Tell, *, browser: bool) -> None:
    address = prepare(site, files, tell)
    if exposed := exposed_password(site):  # only after the database responded: a refusal is a single line
        tell(f"warning: {exposed}")
    tell(f"the work is kept in {site.folder}")
    print(address, flush=True)
    if browser:
        threading.Thread(target=_open_browser, args=(site, address), daemon=True).start()
    with _workers(site.lanes):
        _run_server(site)
    tell("stopped; everything that was saved is kept")


def prepare(site: Site, files: Sequence[str], tell: Tell) -> str:
    """Do everything that precedes the first request, and return the address to open; undo it all if a step fails."""
    _check_port(site)
    with rollback_if_refused(site), site_database(site, tell):
        from aune.server.workbench import store  # noqa: PLC0415 - only with its site known

        store.site_files().remove_partials()
        with store.transaction_with_files():
            _open_files(files, tell, site)
            return _entrance(site)


@contextmanager
def site_database(site: Site, tell: Tell = lambda note: None) -> Iterator[None]:
    """Migrate and open the database of a site; files created inside the block are readable only by the owner."""
    with private_umask():
        yield from _open_database(site, tell)


def _open_database(site: Site, tell: Tell) -> Iterator[None]:
    prepare_site(site)
    if count := tighten_folder(Path(site.folder)):
        tell(describe_tightening(Path(site.folder), count))
    os.environ.update(site.environment())
    import django  # noqa: PLC0415 - only when a server is started, with its site known

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import DatabaseError, OperationalError, connections  # noqa: PLC0415
    from django.db.migrations.exceptions import MigrationSchemaMissing  # noqa: PLC0415

    try:
        call_command("migrate", verbosity=0, interactive=False)
        yield
    except (OperationalError, MigrationSchemaMissing) as error:
        if is_database_damaged(error):
            raise _damaged_database(site, error) from None
        raise UsageError(_database_failure(site, str(error).strip().splitlines()[0])) from None
    except DatabaseError as error:
        if not is_database_damaged(error):
            raise
        raise _damaged_database(site, error) from None
    finally:
        connections.close_all()


def _damaged_database(site: Site, error: Exception) -> InputError:
    """The error for a damaged database file, with the remedy."""
    problem = Problem.in_file(
        "database.damaged",
        str(final_path(Path(site.folder, DATABASE))),
        found=f"a damaged database ({error})",
        expected="the database of a site",
        remedies=["restore the last backup into a new folder: aune site restore BACKUP FOLDER"],
    )
    return InputError([problem])


def _database_failure(site: Site, reason: str) -> str:
    """Why the database does not respond; for a file, a full disk is reported, which SQLite often does not mention."""
    if site.database:
        return f"--database: the database does not answer ({reason})"
    full = shutil.disk_usage(site.folder).free < MIN_FREE_BYTES
    where = final_path(Path(site.folder, DATABASE))
    return f"{where}: the database does not answer ({'No space left on device' if full else reason})"


def _check_port(site: Site) -> None:
    family = socket.AF_INET6 if ":" in site.listen else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((site.listen, site.port))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"{site.listen}:{site.port}: cannot be served ({reason}): name another port with --port"
        ) from None


def _open_files(files: Sequence[str], tell: Tell, site: Site) -> None:
    """Open files and folders; files in folders whose format is unknown are skipped, with a note."""
    from aune.server.accounts.gate import sole_account  # noqa: PLC0415
    from aune.server.workbench import file_exchange  # noqa: PLC0415

    owner = None if site.accounts else sole_account()
    for name in files:
        path = Path(name)
        paths = sorted(_visible_files(path)) if path.is_dir() else [path, *_companions(path)]
        root = path if path.is_dir() else path.parent
        for file in file_exchange.group_companions(
            [(member.relative_to(root).as_posix(), io.BytesIO(read_bytes(member))) for member in paths]
        ):
            if path.is_dir() and not file_exchange.is_annotatable(file):
                tell(f"warning: {file.name}: in no known format, and no .txt file: left out")
                continue
            try:
                row, _ = file_exchange.open_file(file, owner)
            except InputError as error:
                if not path.is_dir():
                    raise
                tell(f"warning: {error.problems[0]}; left out")
            else:
                for warning in row.warnings:
                    tell(f"warning: {warning}")


def _visible_files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path


def _companions(path: Path) -> Iterator[Path]:
    from aune.server.workbench.file_exchange import COMPANION_ENDINGS  # noqa: PLC0415

    endings = COMPANION_ENDINGS.get(path.suffix.lower(), ())
    for beside in sorted(path.parent.glob(f"{escape(path.stem)}.*")) if endings else ():
        if beside.stem == path.stem and beside.suffix.lower() in endings and beside.is_file():
            yield beside


def _entrance(site: Site) -> str:
    """The URL to print: with a one-time key for a single user, or with an invitation until there is an organiser."""
    from aune.server.accounts.gate import sole_account  # noqa: PLC0415
    from aune.server.accounts.models import Account, Invitation, Key  # noqa: PLC0415
    from aune.server.policy import entrance  # noqa: PLC0415

    if not site.accounts:
        sole_account()
        Key.objects.all().delete()
        return f"{site.address}/enter?key={Key.issue()}"
    if Account.objects.filter(role="organiser", is_active=True).exclude(password__startswith="!").exists():
        return f"{site.address}{entrance()}"
    Invitation.objects.filter(inviter=None, redeemed=None).delete()
    return f"{site.address}/invitation/{Invitation.issue('organiser', note='the first organiser')}"


@contextmanager
def _workers(lanes: int) -> Iterator[None]:
    """Run the worker processes for jobs; a worker that ends is replaced by a new one.

    If there are several, the first does no job that may take minutes.
    """
    ending = threading.Event()
    keepers = [
        threading.Thread(target=_supervise_worker, args=(is_quick, _start_worker(is_quick), ending))
        for is_quick in (lane == 0 and lanes > 1 for lane in range(lanes))
    ]
    for keeper in keepers:
        keeper.start()
    try:
        yield
    finally:
        ending.set()
        for keeper in keepers:
            keeper.join()


def _start_worker(is_quick: bool) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "aune.server.jobs", *(["--quick"] if is_quick else [])]
    new_group = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # so that Ctrl-C reaches this process alone
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, creationflags=new_group)


def _supervise_worker(is_quick: bool, process: subprocess.Popen[bytes], ending: threading.Event) -> None:
    """Keep one worker running; there is at least a second between two starts."""
    while True:
        started = time.monotonic()
        with process:
            while process.poll() is None and not ending.wait(0.2):
                pass
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
        if ending.wait(max(0.0, started + 1 - time.monotonic())):
            return
        process = _start_worker(is_quick)


def _run_server(site: Site) -> None:
    from granian.constants import HTTPModes, Interfaces  # noqa: PLC0415
    from granian.http import HTTP1Settings  # noqa: PLC0415
    from granian.server import Server  # noqa: PLC0415

    server = Server(
        "aune.server.wsgi:application",
        address=site.listen,
        port=site.port,
        interface=Interfaces.ASGINL,
        workers=1,
        http=HTTPModes.http1,  # detecting the version would wait for the first byte without a time limit
        http1_settings=HTTP1Settings(header_read_timeout=IDLE_SECONDS * 1000),
        backlog=BACKLOG,
        backpressure=_connections(),
        websockets=False,
        log_enabled=False,
        workers_kill_timeout=10,
        respawn_failed_workers=True,
    )
    server.serve(target_loader=_application, wrap_loader=False)


def _connections() -> int:
    """How many connections may be open (browsers open several each), after raising the limit of open files."""
    try:
        import resource  # noqa: PLC0415 - only Unix has it
    except ImportError:
        return MAX_CONNECTIONS
    files, most = (float("inf") if limit < 0 else limit for limit in resource.getrlimit(resource.RLIMIT_NOFILE))
    target = int(min(2 * MAX_CONNECTIONS, most))  # each body may need a file too
    if files < target:
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    return target // 2


def _application() -> Any:
    """The application for granian, whose own loader would search the working folder first."""
    from aune.server.wsgi import application  # noqa: PLC0415

    return application()


def _open_browser(site: Site, address: str) -> None:
    for _ in range(100):
        with suppress(OSError), socket.create_connection((site.listen, site.port), 1):
            break
        time.sleep(0.1)
    webbrowser.open(address)
