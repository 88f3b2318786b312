// Claims: the pairs of op and dtype that type inference accepts. The comparison of evaluator and compiled code iterates
// over them.
#pragma once
#include "ir/op.h"
#include "ops/samples/sampler.h"

namespace sunmao {

/// An op and a dtype that its inference accepts; a void dtype stands for any dtype that the sample draws.
struct Claim {
  std::string op;
  DType dtype;
};
/// Returns all claims, ordered by the names of the ops.
const std::vector<Claim>& claims();
/// Returns the index of the claim that a seed tests: consecutive seeds cycle over the ops, and over the dtypes of each
/// op.
size_t claim_of(uint64_t seed);

/// Returns a sampler that draws arguments for a claim; inference may still reject them.
std::unique_ptr<Sampler> sampler_of(const Claim& claim, uint64_t seed);
/// Makes the call of a sample. Fails when inference rejects it.
Ref<Call> call_of(const std::string& op, OpSample sample);

}  // namespace sunmao
