// Times of a compiled model: the TimedModel that runs an artifact in this process.
#pragma once
#include "compiler/tuning/tuner.h"
#include "io/bytes.h"
#include "support/array.h"

namespace sunmao {

/// A call of a function of the model; the tensors must outlive the timer.
struct TimedCall {
  std::string function;
  std::vector<DLTensor> inputs;
};

/// Returns inputs for a function of a model: random floats, other numbers 0, symbols the smallest size that is allowed,
/// at least 1.
std::vector<Array> random_inputs(const sunmao_model* model, size_t function);

/// Returns the artifact as a model that makes all these calls in a run.
std::unique_ptr<TimedModel> make_model_timer(io::Bytes artifact, const std::vector<TimedCall>& calls);

}  // namespace sunmao
