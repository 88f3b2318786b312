"""Checks rules that compilers do not: casts, `mutable`, file length and names, unique type names, unfinished work,
paths, error pages.

Prints `file:line: message` for each violation and exits 1 when there is one; long files are listed as notes and
counted.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from sources import CPP_SUFFIXES, Finding, code_only, list_files, read_text, without_comments

MAX_LINES = 600
LONG_LINES = 400
LENGTH_SUFFIXES = CPP_SUFFIXES | {".py"}
TEXT_SUFFIXES = LENGTH_SUFFIXES | {".md", ".cmake", ".txt", ".toml", ".json", ".sh", ".yml"}

# The number of `mutable` fields allowed in each file: the reference count, and the chain of nodes about to be freed.
MUTABLE_ALLOWED = {"src/support/ref.h": 2}
# DLPack has no const, so reading a const array takes one cast.
CASTS_ALLOWED = {"src/compiler/dlpack_view.h": 1}
VAGUE_NAMES = {"util", "utils", "misc", "helper", "helpers", "common", "impl"}
# Established names of passes, exempt from VAGUE_NAMES.
TERMS = {"eliminate_common_subexpr", "alter_op_impl"}

_NUMBER = r"(?:unsigned|signed|int|long|short|char|float|double|bool|size_t|u?int\d+_t)"
CASTS = (
    (re.compile(r"\bconst_cast\s*<"), "const_cast: an input is never changed"),
    (
        re.compile(r"\b(?:reinterpret_cast|bit_cast)\s*<[^;<>]*\*\s*>\s*\(\s*(?:\w+_cast\s*<)?\s*(?:std::)?u?intptr_t"),
        "an integer becomes a pointer: constness is lost on the way",
    ),
    (re.compile(r"\bbit_cast\s*<[^;<>]*\*\s*>"), "bit_cast to a pointer: constness is lost on the way"),
    (
        re.compile(r"(?<![\w)\]>])\(\s*(?:const\s+)?[A-Za-z_][\w:]*(?:<[^()]*>)?(?:\s+const)?\s*\*+\s*\)\s*(?:[A-Za-z_(&\"])"),
        "a C-style cast to a pointer",
    ),
    (
        re.compile(rf"(?<![\w)\]>])\(\s*(?:std::)?{_NUMBER}(?:\s+{_NUMBER})*\s*\)\s*[\w(]"),
        "a C-style cast to a number",
    ),
)  # fmt: skip
MUTABLE = re.compile(r"\bmutable\b")
LAMBDA_MUTABLE = re.compile(r"\)\s*mutable\b")
UNFINISHED = re.compile(r"\b(?:T[O]DO|F[I]XME|X[X]X|H[A]CK)\b")
MACHINE_PATH = re.compile(r"(?<![\w.~/-])/(?:root|home|work|Users|mnt)/[\w.]|/opt/\w*py\w*/")
REGISTRY = re.compile(r"--(?:extra-)?index-url|https?://[\w.-]*(?:pypi|pythonhosted)[\w.-]*/")
CODE = re.compile(r"\bE\d{4}\b")
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
NAMESPACE = re.compile(r"namespace\s*([\w:]*)\s*\{(?!.*\})")
HIDDEN = re.compile(
    r"(?:(?:struct|class|enum(?: class)?) (?P<type>\w+)\b[^;]*\{"
    r"|using (?P<alias>\w+) = "
    r"|(?:inline )?const(?:expr)? [^(={]*?\b(?P<constant>k[A-Z]\w*)(?:\[| = |\{)"
    r"|[A-Za-z_][\w:<>,&* ]*[ &*>](?P<function>\w+)\()"
)
TYPE = re.compile(r"(?:struct|class)\s+(\w+)\b(?!::)[^;]*\{")
CODE_FOLDERS = ("src/", "runtime/", "io/", "cpu/", "python/")
TEST_FOLDERS = ("tests/unit/", "tests/random/")


def check_casts(path: str, text: str) -> Iterator[Finding]:
    # Files that must not compile may contain forbidden casts.
    if Path(path).suffix not in (".cpp", ".h") or path.startswith(("include/", "tests/compile_fail/")):
        return
    allowed = CASTS_ALLOWED.get(path, 0)
    for number, line in enumerate(code_only(text).splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        for pattern, message in CASTS:
            if pattern.search(line):
                allowed -= 1
                if allowed < 0:
                    yield Finding(path, number, message)
                break


def check_mutable(path: str, text: str) -> Iterator[Finding]:
    if Path(path).suffix not in (".cpp", ".h"):
        return
    allowed = MUTABLE_ALLOWED.get(path, 0)
    for number, line in enumerate(code_only(text).splitlines(), 1):
        if MUTABLE.search(LAMBDA_MUTABLE.sub("", line)):
            allowed -= 1
            if allowed < 0:
                yield Finding(path, number, "`mutable`: allowed for the reference count and the cached hashes alone")


def check_text(path: str, text: str) -> Iterator[Finding]:
    for number, line in enumerate(text.splitlines(), 1):
        if UNFINISHED.search(line):
            yield Finding(path, number, "unfinished work: do it, or leave the mark out")
        if MACHINE_PATH.search(line):
            yield Finding(path, number, "a path of one machine")
        if REGISTRY.search(line):
            yield Finding(path, number, "an address of a package registry")


def check_name(path: str) -> Iterator[Finding]:
    for part in Path(path).parts:
        words = part.split(".")[0].split("_")
        if part.split(".")[0] in TERMS:
            continue
        if vague := VAGUE_NAMES.intersection(words):
            yield Finding(path, 1, f"`{part}`: `{min(vague)}` does not say what is inside")


def check_length(path: str, text: str) -> Iterator[Finding]:
    lines = text.count("\n")
    if lines > MAX_LINES:
        yield Finding(path, lines, f"{lines} lines: split it ({MAX_LINES} at most)")


def codes_in(files: dict[str, str], prefixes: tuple[str, ...], strings_only: bool) -> dict[str, tuple[str, int]]:
    """Returns each error code and the place of its first occurrence."""
    found: dict[str, tuple[str, int]] = {}
    for path, text in files.items():
        if not path.startswith(prefixes) or (strings_only and Path(path).suffix not in LENGTH_SUFFIXES):
            continue
        shown = without_comments(text) if strings_only and not path.endswith(".py") else text
        for number, line in enumerate(shown.splitlines(), 1):
            places = STRING.findall(line) if strings_only else [line]
            for code in (code for place in places for code in CODE.findall(place)):
                found.setdefault(code, (path, number))
    return found


def check_errors(files: dict[str, str]) -> Iterator[Finding]:
    """Checks that each code in use has a page and a test, and that each page has a code in use."""
    pages = {Path(path).stem: path for path in files if re.fullmatch(r"docs/errors/E\d{4}\.md", path)}
    used = codes_in(files, CODE_FOLDERS, strings_only=True)
    tested = codes_in(files, ("tests/",), strings_only=False)
    for code, (path, line) in sorted(used.items()):
        if code not in pages:
            yield Finding(path, line, f"{code} has no page docs/errors/{code}.md")
        if code not in tested:
            yield Finding(path, line, f"{code} has no test: nothing under tests/ names it")
    for code, path in sorted(pages.items()):
        if code not in used:
            yield Finding(path, 1, f"{code} is used nowhere")
        if not files[path].startswith(f"# {code}: "):
            yield Finding(path, 1, f"the first line is to be `# {code}: short title`")


def types_in(text: str) -> Iterator[tuple[str, int]]:
    """Yields the types defined at namespace scope with external visibility, qualified by their namespaces."""
    spaces: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if opened := NAMESPACE.match(line):
            spaces.append(opened[1])
        elif line.startswith("}  // namespace") and spaces:
            spaces.pop()
        elif (defined := TYPE.match(line)) and all(spaces):
            yield "::".join([*spaces, defined[1]]), number


def hidden_names_in(text: str) -> Iterator[tuple[str, int, str]]:
    """Yields what stands in anonymous namespaces outside of functions: its name, line and the text of that line."""
    spaces: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if opened := NAMESPACE.match(line):
            spaces.append(opened[1])
        elif line.startswith("}  // namespace") and spaces:
            spaces.pop()
        elif "" in spaces and (defined := HIDDEN.match(line)):
            yield next(name for name in defined.groups() if name), number, line


def check_hidden_names(files: dict[str, str]) -> Iterator[Finding]:
    """Checks that hidden names are unique among the sources that are compiled together: those of a folder, and of tests
    all of an executable. Equal aliases may be repeated."""
    first: dict[tuple[str, str], tuple[str, int, str]] = {}
    for path, text in files.items():
        if not path.startswith((*CODE_FOLDERS, *TEST_FOLDERS)) or not path.endswith(".cpp"):
            continue
        for name, number, line in hidden_names_in(text):
            other = first.setdefault((compiled_together(path), name), (path, number, line))
            if other[0] != path and not (line == other[2] and line.startswith("using ")):
                yield Finding(path, number, f"`{name}` is hidden in {other[0]}:{other[1]} too, in the same folder")


def compiled_together(path: str) -> str:
    """Returns the folder of all sources that `path` is compiled with."""
    parts = Path(path).parts
    return "/".join(parts[:3]) if parts[:2] == ("tests", "unit") else str(Path(path).parent)


def check_types(files: dict[str, str]) -> Iterator[Finding]:
    """Checks that type names are unique, since the linker merges types of the same name."""
    known: dict[str, str] = {}
    for path, text in files.items():
        if Path(path).suffix not in (".cpp", ".h") or not path.startswith(CODE_FOLDERS):
            continue
        for name, line in types_in(text):
            if known.setdefault(name, path) != path:
                yield Finding(path, line, f"{name} is defined in {known[name]} too")


def read_files(root: Path) -> dict[str, str]:
    return {path: read_text(root / path) for path in list_files(root) if Path(path).suffix in TEXT_SUFFIXES}


def check(root: Path) -> list[Finding]:
    files = read_files(root)
    findings: list[Finding] = []
    for path, text in files.items():
        findings += check_name(path)
        findings += check_text(path, text)
        findings += check_casts(path, text)
        findings += check_mutable(path, text)
        if Path(path).suffix in LENGTH_SUFFIXES:
            findings += check_length(path, text)
    findings += check_errors(files)
    findings += check_types(files)
    findings += check_hidden_names(files)
    return findings


def long_files(root: Path) -> list[tuple[int, str]]:
    """Returns the long files and their numbers of lines, longest first."""
    counts = [
        (text.count("\n"), path) for path, text in read_files(root).items() if Path(path).suffix in LENGTH_SUFFIXES
    ]
    return sorted((entry for entry in counts if entry[0] > LONG_LINES), reverse=True)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    root = parser.parse_args(argv).root
    findings = check(root)
    for finding in findings:
        print(finding)
    long = long_files(root)
    for lines, path in long:
        print(f"note: {path}: {lines} lines")
    print(f"{len(long)} files over {LONG_LINES} lines")
    print(f"check_style: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
