// NodeAccount: what became of one node of a model's file.
#pragma once
#include <string>
#include <string_view>

namespace sunmao {

/// `Mapped`: bindings of the module compute it. `Folded`: its value is known, or is that of an input. `Dropped`: no
/// output depends on it. `Inlined`: the nodes of a function or a body stand in its place.
enum class Fate { Mapped, Folded, Dropped, Inlined };

struct NodeAccount {
  std::string label;
  std::string op;
  Fate fate = Fate::Dropped;
  std::string reason;
  int bindings = 0;
};

std::string_view word_of(Fate fate);

}  // namespace sunmao
