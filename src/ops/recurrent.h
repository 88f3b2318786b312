// Declarations shared by inference and lowering of recurrent layers.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

struct Activation {
  std::string name;
  double alpha, beta;
};
/// Returns the activations named by the attributes `activations`, `alphas` and `betas`; E0203 for an unknown name.
std::vector<Activation> activations_of(const InferInput& in);

Ref<BaseFunc> lower_rnn(const Call& call);
Ref<BaseFunc> lower_gru(const Call& call);
Ref<BaseFunc> lower_lstm(const Call& call);
/// Kernels that store the weight in panels of rows first.
Ref<BaseFunc> lower_prepared_rnn(const Call& call);
Ref<BaseFunc> lower_prepared_gru(const Call& call);
Ref<BaseFunc> lower_prepared_lstm(const Call& call);

}  // namespace sunmao
