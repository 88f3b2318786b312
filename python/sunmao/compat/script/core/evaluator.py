"""Values of Python expressions, by their syntax and the names around them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from sunmao.compat.missing import attribute_of


class ExprEvaluator:
    """Evaluates an expression of a script as Python does."""

    @staticmethod
    def eval(parser: Any, value_table: Mapping[str, Any], node: ast.expr) -> Any:
        """The value of `node` where names stand for what `value_table` says. What is wrong, such as a name without a
        value, is the parser's to report where it has a `report_error`."""
        whole = ast.fix_missing_locations(ast.Expression(node))
        try:
            return eval(compile(whole, "<script>", "eval"), dict(value_table))
        except Exception as error:
            if not hasattr(parser, "report_error"):
                raise
            return parser.report_error(node, error)


def eval_expr(parser: Any, node: ast.expr, dict_globals: Mapping[str, Any] | None = None) -> Any:
    return ExprEvaluator.eval(parser, dict_globals or {}, node)


__getattr__ = attribute_of(__name__)
