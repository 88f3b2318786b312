#include "ops/samples/samples.h"

namespace sunmao {
namespace {

const SampleTable& table() {
  static const SampleTable samples = [] {
    SampleTable out;
    add_elementwise_samples(out);
    add_reduction_samples(out);
    add_shape_samples(out);
    add_index_samples(out);
    add_nn_samples(out);
    add_more_nn_samples(out);
    return out;
  }();
  return samples;
}

}  // namespace

SampleFn sample_of(std::string_view op) {
  auto found = table().find(op);
  return found == table().end() ? nullptr : found->second;
}

std::vector<std::string> sampled_ops() {
  std::vector<std::string> names;
  for (const auto& [name, sample] : table()) names.push_back(name);
  return names;
}

}  // namespace sunmao
