// Programs that allocate memory explicitly keep their results under passes.
#include <gtest/gtest.h>

#include "eval/evaluator.h"
#include "ops/ops.h"
#include "passes/pass.h"
#include "script/parse.h"

namespace sunmao {
namespace {

Module after(Module m, std::initializer_list<const char*> passes) {
  for (const char* name : passes) m = find_pass(name)->run(m, PassContext{});
  return m;
}

constexpr const char* kMemoryProgram = R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 3), "float32")):
        n = T.int64()
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.softmax(R.reshape(a, R.shape([n * 3])))
            c = R.topk(b, k=2)
            R.output(b, c)
        return (b, c)
)";

TEST(MemoryMeaning, lowered_programs_compute_the_same) {
  const Module written = parse_module(Source::make("test.py", kMemoryProgram), builtin_ops());
  const std::vector<Value> args{Array::from_floats({2, 4}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}),
                                Array::from_floats({4, 3}, std::vector<float>{1, 0, 2, 1, 1, 0, 0, 3, 1, 2, 0, 1})};
  const Value expected = Evaluator(written).call("main", args);
  const Module legal = after(written, {"normalize", "legalize-ops", "to-non-dataflow", "remove-purity-checking"});
  const Module lowered = after(legal, {"lower-call-tir"});
  const Module released = after(lowered, {"lower-alloc-tensor", "kill-after-last-use"});
  const Module planned = after(lowered, {"plan-block-memory", "lower-alloc-tensor", "kill-after-last-use"});
  const Module ready = after(planned, {"lower-runtime-builtin", "compute-prim-value", "lower-shapes-to-heap"});
  for (const Module& m : {legal, lowered, released, planned, ready}) {
    const Value found = Evaluator(m).call("main", args);
    EXPECT_TRUE(*(*found.tuple())[0].array() == *(*expected.tuple())[0].array());
    for (size_t i : {0u, 1u})
      EXPECT_TRUE(*(*(*found.tuple())[1].tuple())[i].array() == *(*(*expected.tuple())[1].tuple())[i].array());
  }
}

}  // namespace
}  // namespace sunmao
