// Samples: for each op, calls that it takes, drawn at random. Tests compare them with other libraries, and build random
// modules of them.
#pragma once
#include <map>

#include "ops/samples/sampler.h"

namespace sunmao {

struct OpSample {
  std::vector<Expr> args;
  AttrMap attrs = {};
};
using SampleFn = OpSample (*)(Sampler&);

/// Null for an op without samples.
SampleFn sample_of(std::string_view op);
/// The names of all ops with samples, in order.
std::vector<std::string> sampled_ops();

// One family a file.
using SampleTable = std::map<std::string, SampleFn, std::less<>>;
void add_elementwise_samples(SampleTable& table);
void add_reduction_samples(SampleTable& table);
void add_shape_samples(SampleTable& table);
void add_index_samples(SampleTable& table);
void add_create_samples(SampleTable& table);
void add_product_samples(SampleTable& table);
void add_convolution_samples(SampleTable& table);
void add_pool_samples(SampleTable& table);
void add_recurrent_samples(SampleTable& table);
void add_signal_samples(SampleTable& table);
void add_matrix_samples(SampleTable& table);
void add_counting_samples(SampleTable& table);
void add_norm_samples(SampleTable& table);
void add_attention_samples(SampleTable& table);
void add_loss_samples(SampleTable& table);
void add_quantisation_samples(SampleTable& table);
void add_image_samples(SampleTable& table);
void add_slice_samples(SampleTable& table);
void add_set_samples(SampleTable& table);
void add_detection_samples(SampleTable& table);
void add_gradient_samples(SampleTable& table);
void add_random_samples(SampleTable& table);
void add_fact_samples(SampleTable& table);

}  // namespace sunmao
