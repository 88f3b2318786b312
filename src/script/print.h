// Writing scripts: modules, functions and their parts in the TVMScript dialect, as the newest readers and the older
// ones take it. Reading the text of a module back gives a structurally equal one; printing that gives the same text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "loop/prim_func.h"

namespace sunmao {

/// A remark on a statement, or on a parameter of a loop-level function: a comment behind its first line or, without
/// one, a line of `^` under each of its lines. `node` is the statement; for a definition the buffer or variable.
struct PrintMark {
  const Node* node;
  std::string comment = {};
};

struct PrintOptions {
  /// Every binding states its type; without it, those alone whose type the value does not give.
  bool show_types = true;
  /// Constants of more elements stand in the table beside the text.
  int64_t max_inline_elements = 16;
  /// The name of a function that stands alone and has no `global_symbol`.
  std::string function_name = "main";
  /// What graph-level functions call their module, bound by `cls = Module` at their head; empty: its own name.
  std::string module_alias = "cls";
  /// A part that stands alone declares, on lines before it, the names that it uses and does not bind.
  bool declare_free = false;
  /// Loops as `T.grid`, axes as `T.axis.remap`, the root block left out.
  bool syntax_sugar = true;
  int indent_spaces = 4;
  std::vector<PrintMark> marks = {};
  bool show_addresses = false;
};

/// Each line of the text, and below it a line of `^` under what it says.
std::string underlined(std::string_view text);

struct PrintResult {
  std::string text;
  std::vector<Array> constants;  // `metadata["relax.expr.Constant"][i]` in the text
};

PrintResult print_with_constants(const Module& module, const PrintOptions& options = {});
PrintResult print_with_constants(const Expr& expr, const PrintOptions& options = {});

std::string print(const Module& module, const PrintOptions& options = {});
/// A function prints as a script of its own.
std::string print(const Expr& expr, const PrintOptions& options = {});
// Parts, alone.
std::string print(const Type& type, const PrintOptions& options = {});
std::string print(const Scalar& scalar, const PrintOptions& options = {});
std::string print(const Stmt& stmt, const PrintOptions& options = {});
std::string print(const Binding& binding, const PrintOptions& options = {});
std::string print(const Ref<BindingBlock>& block, const PrintOptions& options = {});
std::string print(const Ref<Buffer>& buffer, const PrintOptions& options = {});
std::string print(const BufferRegion& region, const PrintOptions& options = {});
std::string print(const MatchBufferRegion& view, const PrintOptions& options = {});
std::string print(const Range& range, const PrintOptions& options = {});
std::string print(const IterVar& iter, const PrintOptions& options = {});
std::string print(const AttrValue& value, const PrintOptions& options = {});

}  // namespace sunmao
