// Span: the origin of a piece of IR: a range in a text, or a labelled part of a model file (a node, a module path).
#pragma once
#include <string>

#include "support/ref.h"

namespace sunmao {

/// A text (a script, or source lines recorded by an exporter), or the name of a binary model with empty `text`.
struct Source final : Node {
  const std::string name;
  const std::string text;
  static Ref<Source> make(std::string name, std::string text);
  /// Returns line `number` (from 1) without its line end; empty when there is none.
  std::string line(int number) const;

 private:
  Source(std::string n, std::string t) : name(std::move(n)), text(std::move(t)) {}
};

/// A span: its lines and columns count from 1; 0 means unknown. `label` names a part of a binary model, such as "node
/// `MatMul_17`".
struct SpanNode final : Node {
  const Ref<Source> source;
  const int line, column, end_column;
  const std::string label;
  static Ref<SpanNode> make(Ref<Source> source, int line, int column, int end_column, std::string label = {});

 private:
  SpanNode(Ref<Source> s, int l, int c, int e, std::string b)
      : source(std::move(s)), line(l), column(c), end_column(e), label(std::move(b)) {}
};

/// A reference to the origin of a piece of IR; null when it is unknown.
using Span = Ref<SpanNode>;

}  // namespace sunmao
