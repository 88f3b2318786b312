// Writing scripts: modules, functions and their parts in the TVMScript dialect, as the newest readers and the older
// ones take it. Reading the text of a module back gives a structurally equal one; printing that gives the same text.
#pragma once
#include <string>
#include <vector>

#include "ir/module.h"
#include "loop/prim_func.h"

namespace sunmao {

struct PrintOptions {
  /// Every binding states its type; without it, those alone whose type the value does not give.
  bool show_types = true;
  /// Constants of more elements stand in the table beside the text.
  int64_t max_inline_elements = 16;
  /// The name of a function that stands alone and has no `global_symbol`.
  std::string function_name = "main";
};

struct PrintResult {
  std::string text;
  std::vector<Array> constants;  // `metadata["relax.expr.Constant"][i]` in the text
};

PrintResult print_with_constants(const Module& module, const PrintOptions& options = {});
PrintResult print_with_constants(const Expr& expr, const PrintOptions& options = {});

std::string print(const Module& module, const PrintOptions& options = {});
/// A function prints as a script of its own.
std::string print(const Expr& expr, const PrintOptions& options = {});
std::string print(const Type& type);
std::string print(const Scalar& scalar);
std::string print(const Stmt& stmt);

}  // namespace sunmao
