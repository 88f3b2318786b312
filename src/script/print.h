// Printer for scripts: modules, functions and their parts in the TVMScript dialect, in a form that current and older
// parsers accept. With default options, parsing a printed module with its table of constants gives a structurally equal
// one, which prints as the same text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "loop/prim_func.h"

namespace sunmao {

/// A mark on a statement or on a parameter of a loop-level function: a comment at the end of its first line or, when
/// empty, a line of `^` under each of its lines. `node` is the statement, or the buffer or variable of a definition.
struct PrintMark {
  const Node* node;
  std::string comment = {};
};

struct PrintOptions {
  /// Annotate bindings also with types that follow from the value, except where `out_ty=` of `R.call_tir` or
  /// `R.call_dps_packed` states them.
  bool show_types = true;
  /// Constants with more elements, and those that text cannot state exactly, are moved to the metadata table.
  int64_t max_inline_elements = 16;
  /// The name of a stand-alone function without `global_symbol`.
  std::string function_name = "main";
  /// The alias by which graph-level functions refer to their module, bound by `cls = Module`; if empty, its own name.
  std::string module_alias = "cls";
  /// Precede a stand-alone part with declarations of its free names.
  bool declare_free = false;
  /// Print loop nests as `T.grid` and axes as `T.axis.remap`, and omit the root block.
  bool syntax_sugar = true;
  int indent_spaces = 4;
  std::vector<PrintMark> marks = {};
  bool show_addresses = false;
};

/// Returns the text with a line of `^` below each line.
std::string underlined(std::string_view text);

struct PrintResult {
  std::string text;
  std::vector<Array> constants;  // the values of `metadata["relax.expr.Constant"][i]` in the text
};

PrintResult print_with_constants(const Module& module, const PrintOptions& options = {});
PrintResult print_with_constants(const Expr& expr, const PrintOptions& options = {});

std::string print(const Module& module, const PrintOptions& options = {});
/// Prints an expression; a `Function` or `PrimFunc` is printed as a complete script.
std::string print(const Expr& expr, const PrintOptions& options = {});
// Parts of functions, printed on their own.
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
