"""Tools over scripts: their syntax and places, and values of Python expressions."""

import inspect

import pytest
from sunmao.compat.script.core import doc_core as doc
from sunmao.compat.script.core.diagnostics import Source
from sunmao.compat.script.core.evaluator import ExprEvaluator


def scaled(a: int) -> int:
    doubled = a * 2
    return doubled


def test_the_source_of_a_function() -> None:
    source = Source(scaled)
    lines, first = inspect.getsourcelines(scaled)
    assert (source.source_name, source.start_line, source.start_column) == (__file__, first, 0)
    assert source.source == "".join(lines) and source.source in source.full_source
    function = source.as_ast().body[0]
    assert isinstance(function, doc.FunctionDef) and function.args.args[0].arg == "a"
    assert source.location(function.body[0]) == (first + 1, 5, first + 1, 20)
    span = source.to_span(function.body[0])
    assert (span.source_name.name, span.line, span.column, span.end_column) == (__file__, first + 1, 5, 20)


def test_the_source_of_a_nested_function_and_of_a_text() -> None:
    def inner() -> int:
        return 1

    source = Source(inner)
    assert source.start_column == 4 and source.source.startswith("def inner")
    assert source.location(source.as_ast().body[0].body[0])[1] == 9
    text = Source("x = 1\n")
    assert (text.source_name, text.location(text.as_ast().body[0])) == ("<str>", (1, 1, 1, 6))


def test_values_of_expressions() -> None:
    expression = Source("f(a)[1:] + [b]").as_ast().body[0].value
    names = {"f": lambda x: [x, x + 1, x + 2], "a": 1, "b": 9}
    assert ExprEvaluator.eval(None, names, expression) == [2, 3, 9]
    with pytest.raises(NameError):
        ExprEvaluator.eval(None, {}, expression)
