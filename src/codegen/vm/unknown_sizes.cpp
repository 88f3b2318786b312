#include "codegen/vm/unknown_sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/diagnostic.h"

namespace sunmao {

void unsupported(const Span& span, const std::string& what) {
  fail("E1020", span, fmt::format("the virtual machine does not run {}", what),
       "see docs/errors/E1020.md for what it runs");
}

bool is_known(const TensorType& type) { return type.dims() && !type.dtype.is_void(); }

bool leaves_sizes_to_others(const FlatFunction& f) {
  const auto is_unknown = [](const FlatTensor& t) { return !is_known(t.tensor()); };
  return std::ranges::any_of(f.results, is_unknown) ||
         std::ranges::any_of(f.steps, [&](const FlatStep& s) { return std::ranges::any_of(s.outputs, is_unknown); });
}

void check_unknown_sizes(const FlatFunction& f) {
  for (size_t i = 0; i < f.steps.size(); ++i)
    for (const FlatTensor& t : f.steps[i].outputs) {
      if (is_known(t.tensor())) continue;
      const size_t behind = f.steps.size() - i - 1;
      const bool fits = behind == 0 || (behind == 1 && !f.steps.back().kernel && !f.steps.back().condition);
      if (!f.ends_with_call || !fits)
        unsupported(f.steps[i].span, fmt::format("a call with a result like `{}`", describe(t.type)));
    }
}

}  // namespace sunmao
