#include "ops/samples/samples.h"

#include <algorithm>

#include "ops/ops.h"

namespace sunmao {

SampleFn sample_of(std::string_view op) {
  const Ref<Op> found = builtin_ops().find(op);
  return found ? found->info.sample : nullptr;
}

std::vector<std::string> sampled_ops() {
  std::vector<std::string> names;
  for (const Ref<Op>& op : builtin_ops().all())
    if (op->info.sample) names.push_back(op->name());
  std::ranges::sort(names);
  return names;
}

}  // namespace sunmao
