// A `num_input` that does not fit is refused (E0502) under the name of its function, by every query that reads it.
#include <gtest/gtest.h>

#include <functional>

#include "ops/ops.h"
#include "passes/facts.h"
#include "passes/weights/parameter_stages.h"
#include "script/parse.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr const char* kTooManyInputs = R"(
@I.ir_module
class Module:
    @R.function
    def prepare(weights: R.Tuple(R.Tensor((4,), "float32"))) -> R.Tuple(R.Tensor((4,), "float32")):
        return weights

    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"num_input": 3, "sunmao.param_transform": "prepare"})
        y = R.add(x, w)
        return y
)";

std::string error_of(const std::function<void(const Module&)>& query) {
  try {
    query(parse_module(Source::make("m.py", kTooManyInputs), builtin_ops()));
  } catch (const UserError& e) {
    return e.diagnostics()[0].code + ": " + e.diagnostics()[0].message;
  }
  return "no error";
}

constexpr const char* kExpected = "E0502: `main`: num_input must be a number from 0 to 2, got 3";

TEST(NumInput, of_a_function_with_transforms_is_refused_under_its_name) {
  EXPECT_EQ(error_of([](const Module& m) { (void)param_transforms("main", m); }), kExpected);
  EXPECT_EQ(error_of([](const Module& m) { (void)has_fitting_transforms("main", m); }), kExpected);
}

TEST(NumInput, that_a_fact_reads_is_refused_under_the_name_of_its_function) {
  for (const Fact fact : {Fact::OneWeightTuple, Fact::NothingToLift})
    EXPECT_EQ(error_of([&](const Module& m) { (void)info_of(fact).find_breach(m); }), kExpected);
}

}  // namespace
}  // namespace sunmao
