"""Compiles one file twice: unchanged it must compile; with SUNMAO_MUST_NOT_COMPILE it must fail with the expected
message.

The first line of the file, `// expect: text`, states what the compiler's output must contain.
Usage: check.py FILE -- COMPILER [FLAGS...]
"""

import re
import subprocess
import sys
from pathlib import Path


def compile_file(command: list[str], source: Path, defines: list[str]) -> tuple[bool, str]:
    result = subprocess.run(
        [*command, *defines, "-fsyntax-only", "-fno-diagnostics-show-caret", str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    return result.returncode == 0, result.stderr


def main(argv: list[str]) -> int:
    source, command = Path(argv[0]), argv[2:]
    text = source.read_text()
    first = re.match(r"// expect: (.+)", text)
    if not first or "SUNMAO_MUST_NOT_COMPILE" not in text:
        print(f"{source}: wants a first line `// expect: text` and a part under SUNMAO_MUST_NOT_COMPILE")
        return 1
    passed, output = compile_file(command, source, [])
    if not passed:
        print(f"{source}: does not compile even without the forbidden part\n{output}")
        return 1
    passed, output = compile_file(command, source, ["-DSUNMAO_MUST_NOT_COMPILE"])
    if passed:
        print(f"{source}: the forbidden part compiles")
        return 1
    if first.group(1).strip() not in output.replace(str(source), ""):
        print(f"{source}: fails to compile, but not with `{first.group(1).strip()}`\n{output}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
