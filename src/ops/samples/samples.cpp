#include "ops/samples/samples.h"

namespace sunmao {
namespace {

const SampleTable& table() {
  static const SampleTable samples = [] {
    SampleTable out;
    for (auto* add : {add_elementwise_samples, add_reduction_samples, add_shape_samples,       add_create_samples,
                      add_index_samples,       add_product_samples,   add_convolution_samples, add_pool_samples,
                      add_recurrent_samples,   add_signal_samples,    add_matrix_samples,      add_counting_samples,
                      add_norm_samples,        add_attention_samples, add_loss_samples,        add_quantisation_samples,
                      add_image_samples,       add_slice_samples,     add_set_samples,         add_detection_samples,
                      add_gradient_samples,    add_random_samples,    add_fact_samples})
      add(out);
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
