// Syntax tree of the Python subset that scripts use, without semantics. Translators (relax_*.cpp, tir_*.cpp,
// module_reader.cpp) interpret it.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "script/lexer.h"

namespace sunmao::script {

/// Limits on the height of an expression and on the nesting of brackets.
constexpr int kMaxExprHeight = 400;
constexpr int kMaxBrackets = 150;

enum class PyKind : uint8_t {
  Name,         // text
  Number,       // text, as written
  String,       // text, decoded
  Literal,      // text: "None", "True", "False", "..."
  Attribute,    // items: base; text: the name
  Call,         // items: callee, positional arguments; keywords
  Subscript,    // items: base, index (a Tuple for several indices)
  Slice,        // items: start, stop, step; null when omitted
  Tuple,        // items
  List,         // items
  Dict,         // items: key, value, key, value …
  Unary,        // text: "-", "+", "~", "not"; items: operand
  Binary,       // text: the operator, "and" and "or" included; items: left, right
  Compare,      // `a < b <= c`; text: the operators, separated by blanks; items: the operands
  Conditional,  // items: then, condition, else
  Lambda,       // keywords: the parameters, without values; items: body
  Starred,      // items: the unpacked expression
};

struct PyExpr;
using PyExprPtr = std::unique_ptr<const PyExpr>;

struct PyKeyword {
  std::string name;
  PyExprPtr value;
  Place place;
};

struct PyExpr {
  PyKind kind;
  Place place;
  int height = 1;
  std::string text = {};
  std::vector<PyExprPtr> items = {};
  std::vector<PyKeyword> keywords = {};

  bool is_name(std::string_view name) const { return kind == PyKind::Name && text == name; }
  bool is_literal(std::string_view name) const { return kind == PyKind::Literal && text == name; }
  bool is_sequence() const { return kind == PyKind::Tuple || kind == PyKind::List; }
  /// The number of positional arguments of a call, and the one at position `i`.
  size_t arg_count() const { return items.size() - 1; }
  const PyExpr& arg(size_t i) const { return *items[i + 1]; }
  /// Returns the value of a keyword argument, or null.
  const PyExpr* find_keyword(std::string_view name) const;
};

/// Returns the operators of a `Compare`, one fewer than its operands.
std::vector<std::string> chained_operators(const PyExpr& e);
/// Returns the expression as Python source on one line.
std::string unparse(const PyExpr& e);
/// Returns "R.nn.relu" for a chain of attribute names; empty for other expressions.
std::string dotted_name(const PyExpr& e);
/// Returns the name at the root of a chain of attributes, calls and subscripts, or null.
const PyExpr* root_name(const PyExpr& e);
/// Returns the elements of a tuple or list, or `e` alone.
std::vector<const PyExpr*> elements(const PyExpr& e);

enum class PyStmtKind : uint8_t {
  Function,
  Class,
  Assign,
  Annotated,
  Augmented,
  Expr,
  If,
  For,
  While,
  With,
  Assert,
  Return,
  Break,
  Continue,
  Pass,
  Import
};

struct PyParam {
  std::string name;
  PyExprPtr annotation;
  Place place;
  PyExprPtr default_value = {};                                        // only macros may have default values
  enum class Star : uint8_t { None, Args, Kwargs } star = Star::None;  // `*args`, `**kwargs`; only in macros
};

struct PyWithItem {
  PyExprPtr value, target;  // target may be null
};

/// A statement. Which fields are set depends on the kind, as the comments state.
struct PyStmt {
  PyStmtKind kind = PyStmtKind::Pass;
  Place place = {};
  std::string name = {};                      // Function, Class; the operator of Augmented
  PyExprPtr target = {};                      // Assign, Annotated, Augmented, For
  PyExprPtr value = {};                       // the right side, condition, iterable or result
  PyExprPtr annotation = {};                  // Annotated; a Function's result type; the message of Assert
  std::vector<PyExprPtr> decorators = {};     // Function, Class
  std::vector<PyParam> params = {};           // Function
  std::vector<std::string> type_params = {};  // Function: `def f[n](…)`
  std::vector<PyWithItem> with_items = {};    // With
  std::vector<PyStmt> body = {}, orelse = {};
};

/// Calls `visit` on the expressions of these statements and of statements nested in them, each before its parts;
/// decorators and parameters of functions are skipped.
void visit_exprs(const std::vector<PyStmt>& body, const std::function<void(const PyExpr&)>& visit);
void visit_exprs(const PyExpr& e, const std::function<void(const PyExpr&)>& visit);

}  // namespace sunmao::script
