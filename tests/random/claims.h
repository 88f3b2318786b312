// Which op takes which dtype: what a comparison of the engines goes round over.
#pragma once
#include "ir/op.h"
#include "ops/samples/sampler.h"

namespace sunmao {

/// An op on a dtype that its inference takes. Void: whatever the sample draws.
struct Claim {
  std::string op;
  DType dtype;
};
/// All of them, in the order of the ops' names.
const std::vector<Claim>& claims();
/// The claim of a seed: seeds go round over the ops, and over the dtypes of each.
size_t claim_of(uint64_t seed);

/// Draws arguments for a claim; inference may refuse them.
std::unique_ptr<Sampler> sampler_of(const Claim& claim, uint64_t seed);
/// The call of a sample. Fails where inference refuses it.
Ref<Call> call_of(const std::string& op, OpSample sample);

}  // namespace sunmao
