// Parser for scripts: turns text in the TVMScript dialect, of both levels, into a Module. It accepts the current
// dialect and older ones (docs/script.md). Every error is a UserError: E01xx from the parser itself, other codes from
// the checks of ops and types; errors of several functions are reported together.
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

/// The value of an expression that the host (Python) evaluated: an attribute value (number, text, list, dtype, scalar,
/// expression, type, device …), an array, or a macro.
struct HostMacro;
using HostValue = std::variant<AttrValue, Array, std::shared_ptr<const HostMacro>>;

struct ParseOptions {
  /// A query to the host: the text (on one line) and place of an expression whose root name the script does not bind,
  /// and what names of the script in it are bound to: scalars, plain values, for `R.emit_te` also variables. With
  /// `wants_index_map` a function may be returned as an index map.
  struct Question {
    std::string expression;
    Span span;
    AttrMap names = {};
    bool wants_index_map = false;
  };
  /// Evaluates a query; absent when the host does not know the name either.
  using Resolve = std::function<std::optional<HostValue>(const Question& question)>;
  Resolve resolve = {};
  /// The values of `metadata["relax.expr.Constant"][i]`.
  std::vector<Array> constants = {};
};

/// A function marked `@T.macro`, `@T.inline` or `@R.macro` outside of the script: its source text, and the host that
/// resolves its free names.
struct HostMacro {
  Ref<Source> source;
  ParseOptions::Resolve resolve = {};
};

/// Parses a class marked `@I.ir_module`, or stand-alone functions marked `@R.function` and `@T.prim_func`, which become
/// a module under their names.
Module parse_module(const Ref<Source>& source, const OpTable& ops, const ParseOptions& options = {});

/// Parses a script of exactly one function.
Ref<BaseFunc> parse_function(const Ref<Source>& source, const OpTable& ops, const ParseOptions& options = {});

}  // namespace sunmao
