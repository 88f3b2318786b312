// What inference and lowering of recurrent layers share.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

struct Activation {
  std::string name;
  double alpha, beta;
};
/// The attributes `activations`, `alphas` and `betas`; E0203 for a word that is none.
std::vector<Activation> activations_of(const InferInput& in);

Ref<BaseFunc> lower_rnn(const Call& call);
Ref<BaseFunc> lower_gru(const Call& call);
Ref<BaseFunc> lower_lstm(const Call& call);

}  // namespace sunmao
