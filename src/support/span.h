// Span: where a piece of IR comes from: a place in a text, or a labelled part of a model file (a node, a module path).
#pragma once
#include <string>

#include "support/ref.h"

namespace sunmao {

/// A text (script, or the lines an exporter recorded) or the name of a binary model, whose `text` is empty.
struct Source final : Node {
  const std::string name;
  const std::string text;
  static Ref<Source> make(std::string name, std::string text);
  /// The text of line `number` (from 1), without its end; empty when there is none.
  std::string line(int number) const;

 private:
  Source(std::string n, std::string t) : name(std::move(n)), text(std::move(t)) {}
};

/// Lines and columns count from 1; 0 means unknown. `label` names a part of a binary model, such as "node `MatMul_17`".
struct SpanNode final : Node {
  const Ref<Source> source;
  const int line, column, end_column;
  const std::string label;
  static Ref<SpanNode> make(Ref<Source> source, int line, int column, int end_column, std::string label = {});

 private:
  SpanNode(Ref<Source> s, int l, int c, int e, std::string b)
      : source(std::move(s)), line(l), column(c), end_column(e), label(std::move(b)) {}
};

/// Null when the origin is unknown.
using Span = Ref<SpanNode>;

}  // namespace sunmao
