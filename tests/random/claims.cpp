#include "tests/random/claims.h"

#include "ops/ops.h"
#include "ops/samples/samples.h"
#include "support/diagnostic.h"
#include "support/hash.h"

namespace sunmao {
namespace {

// The number of samples that inference must reject before a dtype counts as not accepted by an op.
constexpr uint64_t kTries = 4;

constexpr std::string_view kDTypes[] = {
    "",        "bool",     "int2",          "int4",        "int8",          "int16",        "int32",   "int64",
    "uint2",   "uint4",    "uint8",         "uint16",      "uint32",        "uint64",       "float16", "float32",
    "float64", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float6_e3m2fn", "float4_e2m1fn"};

bool is_taken(const Claim& claim) {
  for (uint64_t i = 0; i < kTries; ++i) try {
      if (call_of(claim.op, sample_of(claim.op)(*sampler_of(claim, i)))->type) return true;
    } catch (const UserError&) {
      continue;
    }
  return false;
}

struct ClaimTable {
  std::vector<Claim> claims;
  std::vector<size_t> begins;  // per op: index of its first claim in `claims`; then the end

  ClaimTable() {
    for (const std::string& op : sampled_ops()) {
      begins.push_back(claims.size());
      for (const std::string_view name : kDTypes)
        if (Claim claim{op, name.empty() ? DType() : DType::parse(name).value()}; is_taken(claim))
          claims.push_back(std::move(claim));
    }
    begins.push_back(claims.size());
  }
};

const ClaimTable& table() {
  static const ClaimTable table;
  return table;
}

}  // namespace

const std::vector<Claim>& claims() { return table().claims; }

size_t claim_of(uint64_t seed) {
  const std::vector<size_t>& begins = table().begins;
  const size_t ops = begins.size() - 1, op = seed % ops;
  return begins[op] + seed / ops % (begins[op + 1] - begins[op]);
}

std::unique_ptr<Sampler> sampler_of(const Claim& claim, uint64_t seed) {
  const uint64_t drawn = Hasher().add(claim.op).add(claim.dtype.str()).add(seed).value();
  return std::make_unique<Sampler>(drawn, DTypeWish{.dtype = claim.dtype, .every_kind = !claim.dtype.is_void()});
}

Ref<Call> call_of(const std::string& op, OpSample sample) {
  return Call::make(builtin_ops().get(op), std::move(sample.args), Attrs(std::move(sample.attrs)));
}

}  // namespace sunmao
