// Random modules verify, are equal after printing and parsing, and keep their results under every pass.
#include <gtest/gtest.h>

#include "ops/ops.h"
#include "ops/samples/samples.h"
#include "support/diagnostic.h"
#include "tests/random/module_fault.h"
#include "tests/unit/effort.h"

namespace sunmao {
namespace {

TEST(Samples, AreTakenByTheirOps) {
  for (const std::string& name : sampled_ops())
    for (uint64_t seed = 0; seed < 20; ++seed) {
      Sampler s(seed);
      try {
        OpSample sample = sample_of(name)(s);
        Expr call = Call::make(builtin_ops().get(name), std::move(sample.args), Attrs(std::move(sample.attrs)));
        EXPECT_TRUE(call->type) << name << " of seed " << seed;
      } catch (const UserError& e) {
        ADD_FAILURE() << name << " of seed " << seed << ": " << e.what();
      }
    }
}

TEST(RandomModules, MeanTheSameAfterEveryPass) {
  const uint64_t count = is_in_part() ? 4 : 100;
  int faults = 0;
  for (uint64_t seed = 0; seed < count && faults < 3; ++seed)
    if (std::string fault = find_fault(seed); !fault.empty()) {
      ADD_FAILURE() << "seed " << seed << ": " << fault;
      ++faults;
    }
}

}  // namespace
}  // namespace sunmao
