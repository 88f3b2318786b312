// PythonParser for statements of the Python subset, and the token handling shared with parse_expr.cpp.
#include "script/python_parser.h"
#include "script/spelling.h"
#include "support/diagnostic.h"

namespace sunmao::script {

PythonParser::PythonParser(Ref<Source> source) : source_(source), lexer_(std::move(source)) { token_ = lexer_.next(); }

PythonParser::PythonParser(Ref<Source> source, std::string_view text, const Place& at)
    : source_(source), lexer_(std::move(source), text, at) {
  token_ = lexer_.next();
}

const Token& PythonParser::ahead() {
  if (!ahead_) ahead_ = lexer_.next();
  return *ahead_;
}

Token PythonParser::take() {
  Token taken = token_;
  last_ = taken.place;
  token_ = ahead_ ? *ahead_ : taken.kind == TokenKind::End ? taken : lexer_.next();
  ahead_.reset();
  return taken;
}

bool PythonParser::accept_operator(std::string_view text) {
  if (!is_operator(text)) return false;
  take();
  return true;
}

bool PythonParser::accept_word(std::string_view text) {
  if (!is_word(text)) return false;
  take();
  return true;
}

Token PythonParser::expect_operator(std::string_view text) {
  if (!is_operator(text)) unexpected(fmt::format("`{}`", text));
  return take();
}

void PythonParser::expect_close(std::string_view text, const Place& open) {
  if (is_operator(text)) {
    take();
    return;
  }
  if (current().kind == TokenKind::End || current().place.line > open.line)
    error("E0102", open, "this bracket is never closed",
          fmt::format("`{}` is missing before {}", text, describe_token()));
  unexpected(fmt::format("`{}` or `,`", text));
}

Token PythonParser::expect_name(const char* what) {
  if (current().kind != TokenKind::Name || !is_name(current().text)) unexpected(what);
  return take();
}

void PythonParser::expect_line_end() {
  if (current().kind == TokenKind::Newline) {
    take();
  } else if (current().kind != TokenKind::End && current().kind != TokenKind::Dedent) {
    unexpected("the end of the line");
  }
}

std::string PythonParser::describe_token() const {
  switch (current().kind) {
    case TokenKind::Newline: return "the end of the line";
    case TokenKind::Indent: return "more indentation";
    case TokenKind::Dedent: return "less indentation";
    case TokenKind::End: return "the end of the script";
    default: return fmt::format("`{}`", current().text);
  }
}

void PythonParser::error(const char* code, const Place& place, const std::string& message,
                         const std::string& help) const {
  fail(code, to_span(source_, place), message, help);
}

void PythonParser::unexpected(const std::string& expected) const {
  error("E0102", current().place, fmt::format("expected {}, got {}", expected, describe_token()));
}

std::vector<PyStmt> PythonParser::parse_file() {
  std::vector<PyStmt> out;
  while (current().kind != TokenKind::End) {
    if (current().kind == TokenKind::Newline) {
      take();
      continue;
    }
    if (current().kind == TokenKind::Indent)
      error("E0103", current().place, "this line is indented without a block around it");
    statement(out);
  }
  return out;
}

// Parses a compound statement, or a simple statement and the end of its line.
void PythonParser::statement(std::vector<PyStmt>& out) {
  std::vector<PyExprPtr> marks = decorators();
  if (is_word("async")) error("E0105", current().place, "`async` is not part of the dialect");
  if (is_word("def")) return out.push_back(function(std::move(marks)));
  if (is_word("class")) return out.push_back(class_(std::move(marks)));
  if (!marks.empty()) unexpected("`def` or `class` after a decorator");
  if (is_word("if")) return out.push_back(if_());
  if (is_word("for")) return out.push_back(for_());
  if (is_word("while")) return out.push_back(while_());
  if (is_word("with")) return out.push_back(with());
  for (std::string_view word : {"try", "raise", "del", "global", "nonlocal"})
    if (is_word(word)) error("E0105", current().place, fmt::format("`{}` is not part of the dialect", word));
  out.push_back(simple());
  expect_line_end();
}

std::vector<PyStmt> PythonParser::block() {
  expect_operator(":");
  std::vector<PyStmt> out;
  if (current().kind != TokenKind::Newline) {  // `if x: y`
    out.push_back(simple());
    expect_line_end();
    return out;
  }
  take();
  while (current().kind == TokenKind::Newline) take();
  if (current().kind != TokenKind::Indent)
    error("E0103", current().place, "an indented block is missing", "write `pass` for an empty one");
  take();
  while (current().kind != TokenKind::Dedent && current().kind != TokenKind::End) {
    if (current().kind == TokenKind::Indent)
      error("E0103", current().place, "this line is indented more than its block");
    if (current().kind == TokenKind::Newline) {
      take();
    } else {
      statement(out);
    }
  }
  if (current().kind == TokenKind::Dedent) take();
  return out;
}

std::vector<PyExprPtr> PythonParser::decorators() {
  std::vector<PyExprPtr> out;
  while (accept_operator("@")) {
    out.push_back(expression());
    expect_line_end();
    while (current().kind == TokenKind::Newline) take();
  }
  return out;
}

// Parses `[n, m: int]` of `def f[n, m: int](…)`; the expression after `:` is ignored.
void PythonParser::type_params(PyStmt& f) {
  if (!accept_operator("[")) return;
  while (!is_operator("]")) {
    f.type_params.emplace_back(expect_name("a type parameter").text);
    if (accept_operator(":")) expression();
    if (!accept_operator(",")) break;
  }
  expect_operator("]");
}

PyParam PythonParser::param(bool allows_default) {
  const bool takes_rest = allows_default && (is_operator("*") || is_operator("**"));
  if (!takes_rest && (is_operator("*") || is_operator("**") || is_operator("/")))
    error("E0105", current().place, "functions of a script take named parameters only");
  PyParam::Star star = PyParam::Star::None;
  if (takes_rest) star = take().text == "*" ? PyParam::Star::Args : PyParam::Star::Kwargs;
  Token name = expect_name("a parameter's name");
  PyParam result{.name = std::string(name.text), .annotation = nullptr, .place = name.place, .star = star};
  if (accept_operator(":")) result.annotation = expression();
  if (is_operator("=")) {
    if (!allows_default) error("E0105", current().place, "parameters have no default values in the dialect");
    take();
    result.default_value = expression();
  }
  return result;
}

PyStmt PythonParser::function(std::vector<PyExprPtr> marks) {
  take();
  Token name = expect_name("the function's name");
  PyStmt f{.kind = PyStmtKind::Function,
           .place = name.place,
           .name = std::string(name.text),
           .decorators = std::move(marks)};
  type_params(f);
  bool is_macro = false;
  for (const PyExprPtr& mark : f.decorators) {
    std::string dotted = dotted_name(mark->kind == PyKind::Call ? *mark->items[0] : *mark);
    is_macro |= dotted.ends_with("macro") || dotted.ends_with("inline");
  }
  Place open = expect_operator("(").place;
  while (!is_operator(")")) {
    f.params.push_back(param(is_macro));
    if (!accept_operator(",")) break;
  }
  expect_close(")", open);
  if (accept_operator("->")) f.annotation = expression();
  f.body = block();
  return f;
}

PyStmt PythonParser::class_(std::vector<PyExprPtr> marks) {
  take();
  Token name = expect_name("the class's name");
  PyStmt c{
      .kind = PyStmtKind::Class, .place = name.place, .name = std::string(name.text), .decorators = std::move(marks)};
  if (accept_operator("(")) {
    while (!is_operator(")")) {
      expression();
      if (!accept_operator(",")) break;
    }
    expect_operator(")");
  }
  c.body = block();
  return c;
}

// An `elif` becomes an `If` that is the only statement of the preceding `else`.
PyStmt PythonParser::if_() {
  std::vector<PyStmt> chain;
  std::vector<PyStmt> otherwise;
  do {
    Place place = take().place;
    PyStmt s{.kind = PyStmtKind::If, .place = place};
    s.value = expression();
    s.body = block();
    chain.push_back(std::move(s));
    if (chain.size() > kMaxIndents) error("E0104", place, fmt::format("more than {} branches of `elif`", kMaxIndents));
  } while (is_word("elif"));
  if (accept_word("else")) otherwise = block();
  for (; chain.size() > 1; chain.pop_back()) {
    chain.back().orelse = std::move(otherwise);
    otherwise.clear();
    otherwise.push_back(std::move(chain.back()));
  }
  chain[0].orelse = std::move(otherwise);
  return std::move(chain[0]);
}

// Parses one target of a `for` loop, such as `i`, `(i, j)` or `*rest`.
PyExprPtr PythonParser::loop_target() {
  if (!is_operator("*")) return postfix();
  PyExpr star{.kind = PyKind::Starred, .place = take().place};
  star.items.push_back(postfix());
  star.place = join(star.place, last_);
  return make(std::move(star));
}

PyStmt PythonParser::for_() {
  PyStmt s{.kind = PyStmtKind::For, .place = take().place};
  // The target ends before `in`, which is not an operator here.
  PyExprPtr first = loop_target();
  if (is_operator(",") || first->kind == PyKind::Starred) {
    PyExpr tuple{.kind = PyKind::Tuple, .place = first->place};
    tuple.items.push_back(std::move(first));
    while (accept_operator(",") && !is_word("in")) tuple.items.push_back(loop_target());
    tuple.place = join(tuple.place, last_);
    first = make(std::move(tuple));
  }
  check_target(*first);
  s.target = std::move(first);
  if (!accept_word("in")) unexpected("`in`");
  s.value = expression_list();
  s.body = block();
  if (is_word("else")) error("E0105", current().place, "a loop has no `else` in the dialect");
  return s;
}

PyStmt PythonParser::while_() {
  PyStmt s{.kind = PyStmtKind::While, .place = take().place};
  s.value = expression();
  s.body = block();
  return s;
}

PyStmt PythonParser::with() {
  PyStmt s{.kind = PyStmtKind::With, .place = take().place};
  do {
    PyWithItem item{expression(), nullptr};
    if (accept_word("as")) {
      item.target = postfix();
      check_target(*item.target);
    }
    s.with_items.push_back(std::move(item));
  } while (accept_operator(","));
  s.body = block();
  return s;
}

PyStmt PythonParser::assert_() {
  PyStmt s{.kind = PyStmtKind::Assert, .place = take().place};
  s.value = expression();
  if (accept_operator(",")) s.annotation = expression();
  return s;
}

PyStmt PythonParser::return_() {
  PyStmt s{.kind = PyStmtKind::Return, .place = take().place};
  if (current().kind != TokenKind::Newline && current().kind != TokenKind::End && current().kind != TokenKind::Dedent)
    s.value = expression_list();
  return s;
}

// Imports have no effect in a script.
PyStmt PythonParser::import() {
  PyStmt s{.kind = PyStmtKind::Import, .place = current().place};
  while (current().kind != TokenKind::Newline && current().kind != TokenKind::End) take();
  return s;
}

void PythonParser::check_target(const PyExpr& e) const {
  switch (e.kind) {
    case PyKind::Name:
    case PyKind::Subscript:
    case PyKind::Attribute: return;
    case PyKind::Tuple:
    case PyKind::List:
      for (const PyExprPtr& item : e.items) check_target(item->kind == PyKind::Starred ? *item->items[0] : *item);
      return;
    default: error("E0102", e.place, fmt::format("`{}` cannot be assigned to", unparse(e)));
  }
}

PyStmt PythonParser::simple() {
  Place place = current().place;
  if (accept_word("pass")) return {.kind = PyStmtKind::Pass, .place = place};
  if (accept_word("break")) return {.kind = PyStmtKind::Break, .place = place};
  if (accept_word("continue")) return {.kind = PyStmtKind::Continue, .place = place};
  if (is_word("return")) return return_();
  if (is_word("assert")) return assert_();
  if (is_word("import") || is_word("from")) return import();
  PyStmt s{.kind = PyStmtKind::Expr, .place = place};
  PyExprPtr first = expression_list();
  if (accept_operator(":")) {
    s.kind = PyStmtKind::Annotated;
    s.annotation = expression();
  } else if (current().kind == TokenKind::Operator && current().text.size() >= 2 && current().text.ends_with("=") &&
             std::string_view("+-*/%&|^@<>").find(current().text[0]) != std::string_view::npos &&
             current().text != "<=" && current().text != ">=") {
    std::string_view op = take().text;
    s.kind = PyStmtKind::Augmented;
    s.name = std::string(op.substr(0, op.size() - 1));
    s.value = expression_list();
  } else if (is_operator("=")) {
    s.kind = PyStmtKind::Assign;
  }
  if (s.kind != PyStmtKind::Augmented && accept_operator("=")) {
    s.value = expression_list();
    if (is_operator("="))
      error("E0105", current().place, "one binding has one name in the dialect", "write two bindings");
  }
  if (s.kind == PyStmtKind::Expr) {
    s.value = std::move(first);
  } else {
    check_target(*first);
    s.target = std::move(first);
  }
  s.place = join(place, last_);
  return s;
}

}  // namespace sunmao::script
