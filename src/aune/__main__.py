"""The command `aune`, and `python -m aune`."""

import os
import sys


def main() -> None:
    """The command line; to interrupt it while it loads, or once it is done, is to interrupt it."""
    os.environ["PYTHONSAFEPATH"] = "1"  # for the processes that we start: `python -c` looks where one works, too
    try:
        from aune import signals  # noqa: PLC0415 - what takes time comes after the net

        signals.listen()
        from aune.cli import main as command  # noqa: PLC0415

        command()
    except KeyboardInterrupt:
        from aune import signals  # noqa: PLC0415 - it may have been interrupted itself

        signals.report_interruption()
        signals.prepare_exit(signals.exit_code())
        sys.exit(signals.exit_code())
    except SystemExit as end:
        signals.prepare_exit(end.code)
        raise


if __name__ == "__main__":
    if not sys.flags.safe_path:
        sys.path.pop(0)  # the folder where one works: no file in it may stand in for a package
    main()
