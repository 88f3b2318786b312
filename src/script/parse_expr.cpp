// Expressions of the Python subset: precedence climbing over binary operators, then postfix chains.
#include <array>

#include "script/python_parser.h"
#include "script/spelling.h"
#include "support/diagnostic.h"

namespace sunmao::script {
namespace {

struct Level {
  std::string_view op;
  int precedence;
};
constexpr int kComparison = 4, kPower = 12;
constexpr std::array<Level, 22> kLevels{{{"or", 1}, {"and", 2}, {"<", 4},  {">", 4},      {"<=", 4}, {">=", 4},
                                         {"==", 4}, {"!=", 4},  {"is", 4}, {"in", 4},     {"|", 5},  {"^", 6},
                                         {"&", 7},  {"<<", 8},  {">>", 8}, {"+", 9},      {"-", 9},  {"*", 10},
                                         {"/", 10}, {"//", 10}, {"%", 10}, {"**", kPower}}};

int token_precedence(std::string_view op) {
  for (const Level& level : kLevels)
    if (level.op == op) return level.precedence;
  return 0;
}

}  // namespace

// Counts one level of recursion in an expression (a bracket, an operator); E0104 beyond kMaxBrackets.
class PythonParser::Nesting {
 public:
  explicit Nesting(PythonParser& parser) : parser_(parser) {
    if (++parser_.depth_ > kMaxBrackets)
      parser_.error("E0104", parser_.current().place,
                    fmt::format("an expression is nested more than {} levels deep", kMaxBrackets),
                    "bind a part of it to a name");
  }
  ~Nesting() { --parser_.depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  PythonParser& parser_;
};

PyExprPtr PythonParser::make(PyExpr e) const {
  auto grow = [&](const PyExprPtr& part) {
    if (part) e.height = std::max(e.height, part->height + 1);
  };
  for (const PyExprPtr& item : e.items) grow(item);
  for (const PyKeyword& k : e.keywords) grow(k.value);
  if (e.height > kMaxExprHeight)
    error("E0104", e.place, fmt::format("an expression has more than {} levels of operators", kMaxExprHeight),
          "bind a part of it to a name");
  return std::make_unique<const PyExpr>(std::move(e));
}

namespace {

PyExpr node(PyKind kind, const Place& place, std::string text = {}) {
  return PyExpr{.kind = kind, .place = place, .text = std::move(text)};
}

}  // namespace

PyExprPtr PythonParser::parse_quoted() {
  PyExprPtr e = expression();
  if (current().kind != TokenKind::End) unexpected("the end of the quoted expression");
  return e;
}

// Parses one expression, or `a, b` without brackets as a tuple.
PyExprPtr PythonParser::expression_list() {
  PyExprPtr first = starred_or_expression();
  if (!is_operator(",")) return first;
  PyExpr tuple = node(PyKind::Tuple, first->place);
  tuple.items.push_back(std::move(first));
  while (accept_operator(",")) {
    if (current().kind == TokenKind::Newline || current().kind == TokenKind::End || is_operator("=") ||
        is_operator(":") || is_word("in"))
      break;
    tuple.items.push_back(starred_or_expression());
  }
  tuple.place = join(tuple.place, last_);
  return make(std::move(tuple));
}

PyExprPtr PythonParser::starred_or_expression() {
  if (!is_operator("*")) return expression();
  PyExpr star = node(PyKind::Starred, take().place);
  star.items.push_back(binary(1));
  star.place = join(star.place, last_);
  return make(std::move(star));
}

PyExprPtr PythonParser::expression() {
  Nesting nesting(*this);
  if (is_word("lambda")) return lambda();
  PyExprPtr e = binary(1);
  if (!is_word("if")) return e;
  PyExpr choice = node(PyKind::Conditional, e->place);
  take();
  PyExprPtr condition = binary(1);
  if (!accept_word("else")) unexpected("`else`");
  PyExprPtr otherwise = expression();
  choice.items.push_back(std::move(e));
  choice.items.push_back(std::move(condition));
  choice.items.push_back(std::move(otherwise));
  choice.place = join(choice.place, last_);
  return make(std::move(choice));
}

// Returns the binary operator at the current token, if there is one; `not in` counts as `in`, `is not` as `is`.
std::optional<std::string> PythonParser::binary_operator() {
  if (current().kind == TokenKind::Operator)
    return token_precedence(current().text) ? std::optional(std::string(current().text)) : std::nullopt;
  if (current().kind != TokenKind::Name) return std::nullopt;
  for (std::string_view word : {"and", "or", "is", "in"})
    if (current().text == word) return std::string(word);
  if (current().text == "not" && ahead().kind == TokenKind::Name && ahead().text == "in") return "in";
  return std::nullopt;
}

PyExprPtr PythonParser::binary(int min_precedence) {
  PyExprPtr left = unary();
  for (;;) {
    std::optional<std::string> op = binary_operator();
    int precedence = op ? token_precedence(*op) : 0;
    if (precedence == 0 || precedence < min_precedence) return left;
    if (*op == "is" || *op == "in")
      error("E0105", current().place, fmt::format("`{}` is not part of the dialect", *op), "compare with `==`");
    if (precedence == kComparison) {
      left = comparison(std::move(left));
      continue;
    }
    take();
    Nesting nesting(*this);
    PyExpr result = node(PyKind::Binary, left->place, *op);
    result.items.push_back(std::move(left));
    result.items.push_back(binary(precedence == kPower ? precedence : precedence + 1));
    result.place = join(result.place, last_);
    left = make(std::move(result));
  }
}

// Parses `a < b`, or the chain `a < b <= c`.
PyExprPtr PythonParser::comparison(PyExprPtr left) {
  Nesting nesting(*this);
  PyExpr result = node(PyKind::Binary, left->place);
  result.items.push_back(std::move(left));
  for (std::optional<std::string> op = binary_operator(); op && token_precedence(*op) == kComparison;
       op = binary_operator()) {
    if (*op == "is" || *op == "in")
      error("E0105", current().place, fmt::format("`{}` is not part of the dialect", *op), "compare with `==`");
    take();
    result.text += (result.text.empty() ? "" : " ") + *op;
    result.items.push_back(binary(kComparison + 1));
  }
  if (result.items.size() > 2) result.kind = PyKind::Compare;
  result.place = join(result.place, last_);
  return make(std::move(result));
}

PyExprPtr PythonParser::unary() {
  std::string op;
  if (is_word("not") || is_operator("-") || is_operator("+") || is_operator("~")) op = std::string(current().text);
  if (op.empty()) return postfix();
  Nesting nesting(*this);
  PyExpr result = node(PyKind::Unary, take().place, op);
  result.items.push_back(op == "not" ? binary(kComparison) : binary(kPower));
  result.place = join(result.place, last_);
  return make(std::move(result));
}

PyExprPtr PythonParser::postfix() {
  PyExprPtr e = atom();
  for (;;) {
    if (accept_operator(".")) {
      Token name = expect_name("an attribute's name");
      PyExpr attribute = node(PyKind::Attribute, join(e->place, name.place), std::string(name.text));
      attribute.items.push_back(std::move(e));
      e = make(std::move(attribute));
    } else if (is_operator("(")) {
      e = call(std::move(e));
    } else if (is_operator("[")) {
      e = subscript(std::move(e));
    } else {
      return e;
    }
  }
}

PyExprPtr PythonParser::call(PyExprPtr callee) {
  PyExpr result = node(PyKind::Call, callee->place);
  result.items.push_back(std::move(callee));
  Place open = take().place;
  while (!is_operator(")")) {
    Place start = current().place;
    if (accept_operator("**")) {
      result.keywords.push_back({"", expression(), start});
    } else if (current().kind == TokenKind::Name && ahead().kind == TokenKind::Operator && ahead().text == "=") {
      std::string name(take().text);
      take();
      if (result.find_keyword(name)) error("E0109", start, fmt::format("`{}` is given twice", name));
      result.keywords.push_back({name, expression(), start});
    } else {
      if (!result.keywords.empty())
        error("E0102", start, "a positional argument follows a keyword argument", "name it too, or move it forward");
      result.items.push_back(starred_or_expression());
    }
    if (is_word("for")) error("E0105", current().place, "comprehensions are not part of the dialect");
    if (!accept_operator(",")) break;
  }
  expect_close(")", open);
  result.place = join(result.place, last_);
  return make(std::move(result));
}

PyExprPtr PythonParser::subscript(PyExprPtr base) {
  PyExpr result = node(PyKind::Subscript, base->place);
  result.items.push_back(std::move(base));
  Place start = take().place;
  if (is_operator("]")) {  // `A[()]` and `A[]` denote the element of a buffer without dimensions
    result.items.push_back(make(node(PyKind::Tuple, start)));
  } else {
    PyExprPtr first = subscript_item();
    if (is_operator(",")) {
      PyExpr tuple = node(PyKind::Tuple, first->place);
      tuple.items.push_back(std::move(first));
      while (accept_operator(",") && !is_operator("]")) tuple.items.push_back(subscript_item());
      tuple.place = join(tuple.place, last_);
      first = make(std::move(tuple));
    }
    result.items.push_back(std::move(first));
  }
  expect_close("]", start);
  result.place = join(result.place, last_);
  return make(std::move(result));
}

PyExprPtr PythonParser::subscript_item() {
  Place start = current().place;
  auto ends = [&] { return is_operator(":") || is_operator(",") || is_operator("]"); };
  PyExprPtr first = ends() ? nullptr : starred_or_expression();
  if (!is_operator(":")) {
    if (!first) unexpected("an index");
    return first;
  }
  PyExpr slice = node(PyKind::Slice, start);
  slice.items.push_back(std::move(first));
  for (int i = 0; i < 2; ++i) {
    bool given = accept_operator(":");
    slice.items.push_back(given && !ends() ? expression() : nullptr);
  }
  slice.place = join(start, last_);
  return make(std::move(slice));
}

PyExprPtr PythonParser::atom() {
  const Token& t = current();
  switch (t.kind) {
    case TokenKind::Number: {
      bool readable = is_float_text(t.text) ? read_double(t.text).has_value() : read_integer(t.text).has_value();
      if (!readable) error("E0101", t.place, fmt::format("`{}` is no number that fits in 64 bits", t.text));
      Token number = take();
      return make(node(PyKind::Number, number.place, std::string(number.text)));
    }
    case TokenKind::String: return strings();
    case TokenKind::Name: {
      if (t.text == "None" || t.text == "True" || t.text == "False") {
        Token literal = take();
        return make(node(PyKind::Literal, literal.place, std::string(literal.text)));
      }
      if (t.text == "await" || t.text == "yield")
        error("E0105", t.place, fmt::format("`{}` is not part of the dialect", t.text));
      if (!is_name(t.text)) unexpected("an expression");
      Token name = take();
      return make(node(PyKind::Name, name.place, std::string(name.text)));
    }
    case TokenKind::Operator:
      if (t.text == "(") return bracketed();
      if (t.text == "[") return list();
      if (t.text == "{") return dict();
      if (t.text == "...") return make(node(PyKind::Literal, take().place, "..."));
      break;
    default: break;
  }
  unexpected("an expression");
}

// Adjacent string literals are concatenated.
PyExprPtr PythonParser::strings() {
  Place place = current().place;
  std::string text;
  while (current().kind == TokenKind::String) text += decode_string(source_, take());
  return make(node(PyKind::String, join(place, last_), std::move(text)));
}

PyExprPtr PythonParser::bracketed() {
  Nesting nesting(*this);
  Place start = take().place;
  PyExpr tuple = node(PyKind::Tuple, start);
  bool is_tuple = is_operator(")");
  while (!is_operator(")")) {
    tuple.items.push_back(starred_or_expression());
    if (is_word("for")) error("E0105", current().place, "comprehensions are not part of the dialect");
    if (is_operator(":=")) error("E0105", current().place, "`:=` is not part of the dialect");
    if (!accept_operator(",")) break;
    is_tuple = true;
  }
  expect_close(")", start);
  if (!is_tuple) return PyExprPtr(std::move(tuple.items[0]));
  tuple.place = join(start, last_);
  return make(std::move(tuple));
}

PyExprPtr PythonParser::list() {
  Nesting nesting(*this);
  Place start = take().place;
  PyExpr result = node(PyKind::List, start);
  while (!is_operator("]")) {
    result.items.push_back(starred_or_expression());
    if (is_word("for")) error("E0105", current().place, "comprehensions are not part of the dialect");
    if (!accept_operator(",")) break;
  }
  expect_close("]", start);
  result.place = join(start, last_);
  return make(std::move(result));
}

PyExprPtr PythonParser::dict() {
  Nesting nesting(*this);
  Place start = take().place;
  PyExpr result = node(PyKind::Dict, start);
  while (!is_operator("}")) {
    result.items.push_back(expression());
    if (!is_operator(":")) unexpected("`:` after the key (sets are not part of the dialect)");
    take();
    result.items.push_back(expression());
    if (!accept_operator(",")) break;
  }
  expect_close("}", start);
  result.place = join(start, last_);
  return make(std::move(result));
}

PyExprPtr PythonParser::lambda() {
  PyExpr result = node(PyKind::Lambda, take().place);
  while (!is_operator(":")) {
    bool star = accept_operator("*");
    Token name = expect_name("a parameter's name");
    result.keywords.push_back({(star ? "*" : "") + std::string(name.text), nullptr, name.place});
    if (!accept_operator(",")) break;
  }
  expect_operator(":");
  result.items.push_back(expression());
  result.place = join(result.place, last_);
  return make(std::move(result));
}

}  // namespace sunmao::script
