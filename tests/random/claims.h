// Claims: the pairs of op and dtype that inference accepts, over which the engine comparison iterates.
#pragma once
#include "ir/op.h"
#include "ops/samples/sampler.h"

namespace sunmao {

/// An op with a dtype that its inference accepts. Void: any dtype that the sample draws.
struct Claim {
  std::string op;
  DType dtype;
};
/// Returns all claims, ordered by the names of the ops.
const std::vector<Claim>& claims();
/// Returns the index of the claim for a seed: seeds cycle over the ops, and over the dtypes of each op.
size_t claim_of(uint64_t seed);

/// Returns a sampler that draws arguments for a claim; inference may still reject them.
std::unique_ptr<Sampler> sampler_of(const Claim& claim, uint64_t seed);
/// Makes the call of a sample. Fails when inference rejects it.
Ref<Call> call_of(const std::string& op, OpSample sample);

}  // namespace sunmao
