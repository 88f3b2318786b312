// Reading scripts: the text of both levels in the TVMScript dialect becomes a Module. The dialect of today and the
// older ones are read (docs/script.md); every fault is a UserError with codes E01xx, several at once where functions
// allow it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/module.h"
#include "ir/op.h"

namespace sunmao {

/// What the host made of an expression: a number, text, list, dtype, scalar, expression (an op counts), type, device …,
/// or the data of an array, or a macro.
struct HostMacro;
using HostValue = std::variant<AttrValue, Array, std::shared_ptr<const HostMacro>>;

struct ParseOptions {
  /// A question to the host: the text of an expression whose root name the script does not bind, on one line, its
  /// place, and the scalars that the script's own names in it stand for. Where a map of indices is asked for, a
  /// function may stand for one.
  struct Question {
    std::string expression;
    Span span;
    AttrMap names = {};
    bool wants_index_map = false;
  };
  /// Answers; nothing means that the host does not know it either.
  using Resolve = std::function<std::optional<HostValue>(const Question& question)>;
  Resolve resolve = {};
  /// What `metadata["relax.expr.Constant"][i]` stands for.
  std::vector<Array> constants = {};
};

/// A function marked `@T.macro`, `@T.inline` or `@R.macro` outside of the script: a text that holds it alone, and what
/// answers for the names in it.
struct HostMacro {
  Ref<Source> source;
  ParseOptions::Resolve resolve = {};
};

/// Reads a class marked `@I.ir_module`, or functions marked `@R.function` and `@T.prim_func` that stand alone, which
/// become a module under their names.
Module parse_module(const Ref<Source>& source, const OpTable& ops, const ParseOptions& options = {});

/// Reads a script of exactly one function.
Ref<BaseFunc> parse_function(const Ref<Source>& source, const OpTable& ops, const ParseOptions& options = {});

}  // namespace sunmao
