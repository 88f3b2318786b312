"""tools/cpu_seconds.sh: the time that the commands of a script took of all processors."""

import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "tools/cpu_seconds.sh"


def told(second_line: str) -> str:
    """Returns what is told where the shell gives that line of its commands."""
    shell = f"set -euo pipefail; source {SCRIPT}; times() {{ echo '9m9.000s 9m9.000s'; echo '{second_line}'; }}"
    command = ["bash", "-c", f"{shell}; cpu_seconds; echo $CPU_SECONDS"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_user_and_system_time_of_the_commands_are_added() -> None:
    assert told("0m0.000s 0m0.000s") == "0"
    assert told("12m31.250s 1m08.900s") == str(12 * 60 + 31 + 68)
    assert told("0m1,9s 0m09,1s") == "10", "a comma stands before the parts of a second in some languages"


def test_the_shell_tells_what_is_read() -> None:
    command = ["bash", "-c", f"set -euo pipefail; source {SCRIPT}; cpu_seconds; echo $CPU_SECONDS"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "0"
