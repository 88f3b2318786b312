#include "passes/analysis/memory_estimate.h"

#include <gtest/gtest.h>

#include "ops/ops.h"
#include "script/parse.h"

namespace sunmao {
namespace {

TEST(MemoryEstimate, counts_tensors_and_the_memory_that_they_share) {
  Module m = parse_module(Source::make("test", R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        s = R.memory.alloc_storage(R.shape([32]), 0, "global", "uint8")
        a = R.memory.alloc_tensor(s, 0, R.shape([8]), "float32")
        b = R.memory.alloc_tensor(s, 0, R.shape([4]), "float32")
        c = R.builtin.alloc_tensor(R.shape([n]), "float32", 0)
        return (a, b, c)
)"),
                          builtin_ops());
  MemoryEstimate e = estimate_memory(*m.find_as<Function>("main"));
  EXPECT_EQ(e.tensors.number, 2);
  EXPECT_EQ(e.tensors.dynamic, 1);
  EXPECT_EQ(e.tensors.bytes, 48);
  EXPECT_EQ(e.planned.number, 1);
  EXPECT_EQ(e.planned.bytes, 32);
  EXPECT_NE(describe_memory(m).find("reduces constant memory size to 66.7%"), std::string::npos);
  EXPECT_EQ(describe_memory(Module()), "");
}

}  // namespace
}  // namespace sunmao
