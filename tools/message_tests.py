"""Lists the refusals of runtime/ and io/ whose text no test holds, and prints the counts as JSON.

Usage: message_tests.py [root]

A refusal is a call of Status::error, or of a function that makes one of a text. A test holds its text when a literal
of it has all texts of the message in their order; literals that are sought inside of another text do not count. The
help is held in the same way, on its own. Exits 1 when a refusal is not held and KEPT gives no reason.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sources import list_files, read_text, without_comments

# Refusals that no test can cause, by file and a part of their text, with the reason.
KEPT: dict[tuple[str, str], str] = {}

_STRING = r'"(?:\\.|[^"\\\n])*"'
_TOKEN = re.compile(rf"{_STRING}|'(?:\\.|[^'\\\n])'|[()\[\]{{}},]")
_CODE = re.compile(r'\s*"E\d{4}"\s*')
_TEXT_PARAMETER = re.compile(r"std::string\b|string_view\b|const char\*")
_DEFINITION = re.compile(r"\b(\w+::)?(\w+)(?: = \[[^\]]*\])?\(([^()]*)\)(?: const)? \{")
_CALL = re.compile(r"\b((?:Status::)?(\w+))\(")
_LITERAL = re.compile(rf'//[^\n]*|R"\((.*?)\)"|({_STRING})', re.DOTALL)
# A literal that is sought inside of another text holds a part of it alone.
_SOUGHT = re.compile(rf"\b(?:HasSubstr|StartsWith|EndsWith|find)\((?:\s*{_STRING})+|match=r?f?{_STRING}|{_STRING} in ")
_JOINED = re.compile(r'"\s*\n\s*r?f?"')  # literals one after the other
_SPLICED = re.compile(r'"\)?\s*\+[^";{}]{1,80}\+\s*"')  # "a" + expression + "b"


@dataclass(frozen=True)
class Refusal:
    file: str
    line: int
    texts: tuple[str, ...]  # patterns, of the message and of the help

    def __str__(self) -> str:
        texts = [re.sub(r"\\(.)", r"\1", text.replace(".*", "…")) for text in self.texts]
        return f"{self.file}:{self.line}: {' | '.join(texts)}"


def closing(text: str, start: int) -> int:
    """Returns where the bracket that opens before `start` closes."""
    depth = 1
    for token in _TOKEN.finditer(text, start):
        depth += (token.group() in "([{") - (token.group() in ")]}")
        if depth == 0:
            return token.start()
    return len(text)


def arguments(text: str) -> list[str]:
    found, start, depth = [], 0, 0
    for token in _TOKEN.finditer(text):
        depth += (token.group() in "([{") - (token.group() in ")]}")
        if token.group() == "," and depth == 0:
            found.append(text[start : token.start()])
            start = token.end()
    return [*found, text[start:]]


def patterns(argument: str) -> Iterator[str]:
    """The literals of an argument in their order, as one pattern, and each that a condition chooses, on its own."""
    always = []
    for literal in re.finditer(_STRING, argument):
        text = re.escape(literal.group()[1:-1])
        if re.search(r"[?:]\s*$", argument[: literal.start()]) or re.match(r"\s*:", argument[literal.end() :]):
            yield text
        else:
            always.append(text)
    yield ".*".join(always)


def makers(text: str) -> set[str]:
    """The functions that make a refusal of a text that is given to them; those of classes as `Class::name`."""
    found = set()
    for function in _DEFINITION.finditer(text):
        body = text[function.end() : closing(text, function.end())]
        if _TEXT_PARAMETER.search(function.group(3)) and "Status::error(" in body:
            found.add((function.group(1) or "") + function.group(2))
    return found


def refusals(file: str, text: str, names: set[str]) -> Iterator[Refusal]:
    for call in _CALL.finditer(text):
        end = closing(text, call.end())
        if call.group(1) != "Status::error" and (
            call.group(2) not in names or text[end:].startswith((") {", ") const"))
        ):
            continue
        given = [argument for argument in arguments(text[call.end() : end]) if not _CODE.fullmatch(argument)]
        said = [p for argument in given for p in patterns(argument) if len(re.findall("[A-Za-z]", p)) >= 4]
        if said:
            yield Refusal(file, text.count("\n", 0, call.start()) + 1, tuple(said))


def texts_of_tests(root: Path) -> str:
    """The literals of all tests, one a line."""
    lines = []
    for name in list_files(root):
        if not name.startswith("tests/") or not name.endswith((".cpp", ".c", ".h", ".py")):
            continue
        text = _SPLICED.sub("\N{HORIZONTAL ELLIPSIS}", _SOUGHT.sub("", _JOINED.sub("", read_text(root / name))))
        for literal in _LITERAL.finditer(text):
            lines.append((literal.group(1) or literal.group(2) or "").replace("\n", " "))
    return "\n".join(lines)


def find_refusals(root: Path) -> list[Refusal]:
    sources = {}
    for name in list_files(root):
        if name.startswith(("runtime/", "io/")) and name.endswith((".cpp", ".h")):
            sources[name] = re.sub(r'"\s*\n\s*"', "", without_comments(read_text(root / name)))
    own = {name: makers(text) for name, text in sources.items()}
    of_classes = {maker.split("::")[1] for names in own.values() for maker in names if "::" in maker}
    return [refusal for name, text in sources.items() for refusal in refusals(name, text, own[name] | of_classes)]


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parent.parent)
    root = parser.parse_args(argv).root
    found, tests = find_refusals(root), texts_of_tests(root)
    is_held = {pattern: bool(re.search(pattern, tests)) for refusal in found for pattern in refusal.texts}
    missing = [refusal for refusal in found if not all(is_held[pattern] for pattern in refusal.texts)]
    unkept = [r for r in missing if not any(r.file == file and part in str(r) for file, part in KEPT)]
    for refusal in unkept:
        print(refusal)
    held, kept = len(found) - len(missing), len(missing) - len(unkept)
    print(json.dumps({"refusals": len(found), "held": held, "kept_for_a_reason": kept, "without_test": len(unkept)}))
    return 1 if unkept else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
