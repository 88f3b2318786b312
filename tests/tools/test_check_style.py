"""tools/check_style.py: casts, mutable fields, names, lengths, unfinished work, machine paths, error pages."""

from pathlib import Path

import check_style
import pytest

PAGE = "# E0301: a title\n\nWhat it means.\n"


def messages(root: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [str(finding) for finding in check_style.check(root)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("auto* p = const_cast<T*>(q);", "const_cast"),
        ("auto* p = (char*)q;", "C-style cast to a pointer"),
        ("auto* p = (const Node *) q;", "C-style cast to a pointer"),
        ("return (int)x;", "C-style cast to a number"),
        ("y = (unsigned long)(x + 1);", "C-style cast to a number"),
        ("auto* p = reinterpret_cast<T*>(uintptr_t{1});", "an integer becomes a pointer"),
        ("auto* p = reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(q));", "an integer becomes a pointer"),
        ("auto* p = std::bit_cast<T*>(q);", "bit_cast to a pointer"),
    ],
)
def test_casts(tmp_path: Path, line: str, reason: str) -> None:
    (message,) = messages(tmp_path, {"src/ir/a.cpp": f"int a;\n{line}\n"})
    assert message.startswith("src/ir/a.cpp:2: ")
    assert reason in message


@pytest.mark.parametrize(
    "line",
    [
        "int f(int) const;",
        "int (*call)(void* const*);",
        "bool operator()(const Node*) const { return true; }",
        "size_t n = sizeof(void*) + 1;",
        "auto f = [](int) { return 1; };",
        "// a C-style cast: (char*)q",
        'const char* text = "const_cast<T*>(q)";',
        "x = a * (b) + static_cast<int>(c);",
        "f(a * b);",
        "using F = std::function<void(int)>;",
        "auto* p = reinterpret_cast<const char*>(bytes);",
    ],
)
def test_not_casts(tmp_path: Path, line: str) -> None:
    assert messages(tmp_path, {"src/ir/a.cpp": line + "\n"}) == []


def test_c_files_may_cast(tmp_path: Path) -> None:
    assert messages(tmp_path, {"builtins/a.c": "int* p = (int*)q;\n"}) == []


def test_mutable_fields_are_counted(tmp_path: Path) -> None:
    field = "mutable int count_ = 0;\n"
    assert messages(tmp_path, {"src/support/ref.h": field * 2}) == []
    found = messages(tmp_path, {"src/support/ref.h": field * 3, "src/ir/other.h": field})
    assert [message.split(": ")[0] for message in found] == ["src/ir/other.h:1", "src/support/ref.h:3"]


def test_mutable_lambda_is_not_a_field(tmp_path: Path) -> None:
    assert messages(tmp_path, {"src/ir/a.cpp": "auto f = [n]() mutable { return n++; };\n"}) == []


def test_length(tmp_path: Path) -> None:
    assert messages(tmp_path, {"src/ir/a.cpp": "\n" * 600}) == []
    assert check_style.long_files(tmp_path) == [(600, "src/ir/a.cpp")]
    (message,) = messages(tmp_path, {"src/ir/a.cpp": "\n" * 601})
    assert "601 lines" in message


@pytest.mark.parametrize("name", ["src/ir/util.h", "src/ir/string_helpers.cpp", "src/common/a.cpp", "src/ir/x_impl.h"])
def test_vague_names(tmp_path: Path, name: str) -> None:
    (message,) = messages(tmp_path, {name: ""})
    assert "does not say what is inside" in message


@pytest.mark.parametrize("word", ["TO" + "DO", "FIX" + "ME"])
def test_unfinished_work(tmp_path: Path, word: str) -> None:
    (message,) = messages(tmp_path, {"docs/a.md": f"fine\n{word}: later\n"})
    assert message.startswith("docs/a.md:2: unfinished work")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("see /" + "home/ann/x", "path of one machine"),
        ("see '/" + "root/x'", "path of one machine"),
        ("pip install --index" + "-url=x", "package registry"),
    ],
)
def test_addresses(tmp_path: Path, line: str, reason: str) -> None:
    (message,) = messages(tmp_path, {"docs/a.md": line + "\n"})
    assert reason in message


def test_relative_paths_are_fine(tmp_path: Path) -> None:
    assert messages(tmp_path, {"docs/a.md": "see ../work/a, https://host.example/home/x and /usr/lib/llvm-19\n"}) == []


def test_code_with_page_and_test(tmp_path: Path) -> None:
    files = {"src/ir/a.cpp": 'fail("E0301");\n', "docs/errors/E0301.md": PAGE, "tests/unit/ir/a.cpp": '"E0301"\n'}
    assert messages(tmp_path, files) == []


def test_code_without_page_or_test(tmp_path: Path) -> None:
    found = messages(tmp_path, {"io/a.cpp": '// "E0999" is not used here\nfail("E0301: text");\n'})
    assert found == [
        "io/a.cpp:2: E0301 has no page docs/errors/E0301.md",
        "io/a.cpp:2: E0301 has no test: nothing under tests/ names it",
    ]


def test_page_without_code_or_title(tmp_path: Path) -> None:
    found = messages(tmp_path, {"docs/errors/E0301.md": "Something\n"})
    assert "E0301 is used nowhere" in found[0]
    assert "first line" in found[1]


def test_exit_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.h").write_text("\n" * 450)
    assert check_style.main(["--root", str(tmp_path)]) == 0
    assert "note: a.h: 450 lines" in capsys.readouterr().out
    (tmp_path / "impl.h").write_text("")
    assert check_style.main(["--root", str(tmp_path)]) == 1


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("int twice(int x) {", "twice"),
        ("std::vector<int> twice(const A& a,", "twice"),
        ("constexpr int kMost = 3;", "kMost"),
        ("class Reader final : public Visitor {", "Reader"),
        ("using Reader = First;", "Reader"),
    ],
)
def test_hidden_names_are_unique_in_a_folder(tmp_path: Path, line: str, name: str) -> None:
    first = f"namespace sunmao {{\nnamespace {{\n{line}\n}}  // namespace\n}}  // namespace sunmao\n"
    second = first.replace("First", "Second")
    (message,) = messages(tmp_path, {"src/ir/a.cpp": first, "src/ir/b.cpp": second})
    assert message == f"src/ir/b.cpp:3: `{name}` is hidden in src/ir/a.cpp:3 too, in the same folder"


def test_hidden_names_of_other_folders_and_equal_aliases_are_fine(tmp_path: Path) -> None:
    text = "namespace {\nusing Kind = Wish::Kind;\nint twice(int x) {\n}\n}  // namespace\n"
    alias = "namespace {\nusing Kind = Wish::Kind;\n}  // namespace\nint twice(int x) {\n}\n"
    assert messages(tmp_path, {"src/ir/a.cpp": text, "src/ir/b.cpp": alias, "src/sym/a.cpp": text}) == []
