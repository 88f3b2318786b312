// PythonParser: builds the syntax tree of python_ast.h from tokens. Python syntax that scripts never use, such as
// comprehensions and `try`, is rejected with E0105, other wrong syntax mostly with E0102, excessive nesting with E0104.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "script/python_ast.h"

namespace sunmao::script {

class PythonParser {
 public:
  explicit PythonParser(Ref<Source> source);
  /// Parses one expression that is quoted in the script at `at`.
  PythonParser(Ref<Source> source, std::string_view text, const Place& at);

  std::vector<PyStmt> parse_file();
  PyExprPtr parse_quoted();

 private:
  // Access to tokens (parse_stmt.cpp).
  const Token& current() const { return token_; }
  const Token& ahead();
  Token take();
  bool is_operator(std::string_view text) const { return token_.kind == TokenKind::Operator && token_.text == text; }
  bool is_word(std::string_view text) const { return token_.kind == TokenKind::Name && token_.text == text; }
  bool accept_operator(std::string_view text);
  bool accept_word(std::string_view text);
  Token expect_operator(std::string_view text);
  /// Expects the bracket that closes the one at `open`.
  void expect_close(std::string_view text, const Place& open);
  Token expect_name(const char* what);
  void expect_line_end();
  std::string describe_token() const;
  [[noreturn]] void error(const char* code, const Place& place, const std::string& message,
                          const std::string& help = {}) const;
  [[noreturn]] void unexpected(const std::string& expected) const;

  // Expressions (parse_expr.cpp).
  PyExprPtr make(PyExpr e) const;
  PyExprPtr expression();
  PyExprPtr expression_list();
  PyExprPtr starred_or_expression();
  PyExprPtr binary(int min_precedence);
  PyExprPtr comparison(PyExprPtr left);
  PyExprPtr unary();
  PyExprPtr postfix();
  PyExprPtr call(PyExprPtr callee);
  PyExprPtr subscript(PyExprPtr base);
  PyExprPtr subscript_item();
  PyExprPtr atom();
  PyExprPtr strings();
  PyExprPtr bracketed();
  PyExprPtr list();
  PyExprPtr dict();
  PyExprPtr lambda();
  std::optional<std::string> binary_operator();

  // Statements (parse_stmt.cpp).
  void statement(std::vector<PyStmt>& out);
  std::vector<PyStmt> block();
  std::vector<PyExprPtr> decorators();
  PyStmt function(std::vector<PyExprPtr> decorators);
  void type_params(PyStmt& f);
  PyParam param(bool allows_default);
  PyStmt class_(std::vector<PyExprPtr> decorators);
  PyStmt if_();
  PyExprPtr loop_target();
  PyStmt for_();
  PyStmt while_();
  PyStmt with();
  PyStmt assert_();
  PyStmt return_();
  PyStmt import();
  PyStmt simple();
  void check_target(const PyExpr& e) const;

  class Nesting;

  Ref<Source> source_;
  Lexer lexer_;
  Token token_;
  std::optional<Token> ahead_;
  Place last_;  // the place of the last token taken
  int depth_ = 0;
};

}  // namespace sunmao::script
