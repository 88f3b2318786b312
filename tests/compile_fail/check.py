"""Compiles files together, twice: unchanged they must compile; with SUNMAO_MUST_NOT_COMPILE each must fail with the
message that it expects.

The first line of a file, `// expect: text`, states what an error in it must contain.
Usage: check.py FILE... -- COMPILER [FLAGS...]
"""

import re
import subprocess
import sys


def compile_files(command: list[str], files: list[str]) -> tuple[bool, str]:
    result = subprocess.run(
        [*command, "-fsyntax-only", "-fno-diagnostics-show-caret", "-x", "c++", "-"],
        input="".join(f'#include "{file}"\n' for file in files),
        capture_output=True,
        text=True,
        check=False,
    )
    return result.returncode == 0, result.stderr


def errors_of(output: str) -> dict[str, list[str]]:
    """Returns the compiler's errors, each with its notes, by the file that the error is in."""
    errors: dict[str, list[str]] = {}
    for block in re.split(r"^(?=[^:\n]+:[\d:]+ error: )", output, flags=re.MULTILINE)[1:]:
        file, _, message = block.partition(":")
        errors.setdefault(file, []).append(message)
    return errors


def main(argv: list[str]) -> int:
    split = argv.index("--")
    files, command = argv[:split], argv[split + 1 :]
    expected: dict[str, str] = {}
    for file in files:
        with open(file) as source:
            text = source.read()
        first = re.match(r"// expect: (.+)", text)
        if not first or "SUNMAO_MUST_NOT_COMPILE" not in text:
            print(f"{file}: wants a first line `// expect: text` and a part under SUNMAO_MUST_NOT_COMPILE")
            return 1
        expected[file] = first.group(1).strip()
    passed, output = compile_files(command, files)
    if not passed:
        print(f"the files do not compile even without the forbidden parts\n{output}")
        return 1
    _, output = compile_files([*command, "-DSUNMAO_MUST_NOT_COMPILE"], files)
    errors = errors_of(output)
    faults = [f"{file}: an error outside the files" for file in errors if file not in expected]
    for file, text in expected.items():
        if file not in errors:
            faults.append(f"{file}: the forbidden part compiles")
        elif not any(text in message for message in errors[file]):
            faults.append(f"{file}: fails to compile, but not with `{text}`")
    print("\n".join([*faults, output]) if faults else f"{len(files)} files fail as they must")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
