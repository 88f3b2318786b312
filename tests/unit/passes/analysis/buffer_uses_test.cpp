#include "passes/analysis/buffer_uses.h"

#include <gtest/gtest.h>

#include "ops/ops.h"
#include "script/parse.h"

namespace sunmao {
namespace {

// Returns one word for each buffer: (r)ead, (w)ritten, (f)illed; - for none.
std::string uses_of(const std::string& params, const std::string& body) {
  const std::string script = "@I.ir_module\nclass M:\n    @T.prim_func\n    def f(" + params + "):\n" + body + "\n";
  const Module m = parse_module(Source::make("test", script), builtin_ops());
  std::string out;
  for (const BufferUse& use : buffer_uses(*m.find_as<PrimFunc>("f"))) {
    const std::string word =
        std::string(use.is_read ? "r" : "") + (use.is_written ? "w" : "") + (use.is_filled ? "f" : "");
    out += (out.empty() ? "" : " ") + (word.empty() ? "-" : word);
  }
  return out;
}

constexpr const char* kTwo = "A: T.Buffer((4, 8), \"float32\"), B: T.Buffer((4, 8), \"float32\")";

TEST(BufferUses, a_nest_of_loops_fills_a_buffer) {
  EXPECT_EQ(uses_of(kTwo, R"(
        for i, j in T.grid(4, 8):
            with T.sblock("b"):
                v0, v1 = T.axis.remap("SS", [i, j])
                B[v0, v1] = A[v0, v1])"),
            "r wf");
  EXPECT_EQ(uses_of(kTwo, R"(
        for i, j in T.grid(4, 8):
            B[i, j] = B[i, j] + A[i, j])"),
            "r rwf");
}

TEST(BufferUses, parts_side_by_side_fill_a_buffer) {
  const std::string front = R"(
        for i, j in T.grid(4, 3):
            B[i, j] = T.float32(0))";
  EXPECT_EQ(uses_of(kTwo, front), "- w");
  EXPECT_EQ(uses_of(kTwo, front + R"(
        for i, j in T.grid(4, 5):
            B[i, j + 3] = A[i, j])"),
            "r wf");
  EXPECT_EQ(uses_of(kTwo, front + R"(
        for i, j in T.grid(4, 4):
            B[i, j + 4] = A[i, j])"),
            "r w");
}

TEST(BufferUses, what_need_not_run_fills_nothing) {
  EXPECT_EQ(uses_of(kTwo, R"(
        for i, j in T.grid(4, 8):
            if A[i, j] > T.float32(0):
                B[i, j] = T.float32(1))"),
            "r w");
  EXPECT_EQ(uses_of("A: T.Buffer((4, 4), \"float32\"), B: T.Buffer((4, 4), \"float32\")", R"(
        for i in range(4):
            B[i, i] = A[i, i])"),
            "r w");
  EXPECT_EQ(uses_of(kTwo, R"(
        for i, j in T.grid(4, 4):
            with T.sblock("b"):
                v0 = T.axis.spatial(4, i)
                v1 = T.axis.spatial(8, j * 2)
                B[v0, v1] = A[v0, v1])"),
            "r w");
}

TEST(BufferUses, a_taken_address_counts_as_both) {
  EXPECT_EQ(uses_of(kTwo, R"(
        T.evaluate(T.call_extern("int32", "f", T.address_of(B[0, 0]))))"),
            "- rw");
}

}  // namespace
}  // namespace sunmao
