"""`python -m sunmao COMMAND …` is the command line: `python -m sunmao --help` lists the commands."""

import signal
import sys

from sunmao import _sunmao, checking


def main() -> int:
    """Runs the command that the program's arguments name; returns the exit status."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a command is not Python's to interrupt
    signal.pthread_sigmask(signal.SIG_UNBLOCK, checking.ENDING)  # which may have waited for this
    status = checking.run_command(sys.argv[1:])
    return _sunmao.run_command_line(["sunmao", *sys.argv[1:]]) if status is None else status


if __name__ == "__main__":
    sys.exit(main())
