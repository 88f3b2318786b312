// Target: what code is generated for: an instruction set, and the machine that costs are counted for.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "target/isa.h"
#include "target/machine.h"

namespace sunmao {

struct Target {
  Isa isa;
  Machine machine;

  /// Returns the host's target: the highest level, and the features beyond it, that both processor and operating system
  /// support, and its caches and cores.
  static Target host();
  /// Parses "host" or "native", the name of an instruction set ("x86-64-v3") or of a processor, "llvm" with options
  /// (`llvm -mcpu=x86-64-v4 -mattr=+avx512vnni -num-cores=16 -l2-cache=1048576`) or a JSON object (`{"kind": "llvm",
  /// "mcpu": "x86-64-v3"}`); "llvm" alone is the host. Fails (E1001) on other text.
  static Target parse(std::string_view text);
  /// Returns the text of which `parse` makes this target, on every machine.
  std::string text() const;
  friend bool operator==(const Target&, const Target&) = default;
};

/// Orders targets by what their code may use, the most capable first: by the number of features, as levels nest.
std::vector<Target> best_first(std::vector<Target> targets);

}  // namespace sunmao
