// Op calls in scripts: parsing and printing are inverse, and defaults are omitted.
#include "ir/equal.h"
#include "script/parse.h"
#include "script/print.h"
#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

const char* kScript = R"(
@R.function(pure=False)
def f(x: R.Tensor((2, 3, 8, 8), "float32"), w: R.Tensor((4, 3, 3, 3), "float32"), ok: R.Prim("bool")):
    a = R.nn.conv2d(x, w, padding=1, strides=(1, 1), data_layout="NCHW")
    b = R.nn.max_pool2d(a, (2, 2), strides=2, padding=[0, 0])
    c = R.concat([b, b], axis=1)
    d = R.strided_slice(c, axes=[1], begin=[0], end=[4])
    e = R.sum(d, axis=[2, 3])
    g = R.tril(e)
    h = R.full_like(g, R.const(1, "float32"))
    i = R.arange(8)
    j = R.split(e, 2, axis=1)
    k = R.clip(e, 0.0, 6.0)
    l = R.memory.view(k, dtype=R.dtype("int32"))
    m = R.distributed.redistribute_replica_to_shard(k, 2, 1)
    n = R.print(k, l, format="{} {}")
    o = R.print()
    p = R.assert_op(ok, [k, l], format="no")
    q = R.assert_op(ok)
    r = R.call_inplace_packed("g", k, l, inplace_indices=0, ty_args=R.Tensor((2, 4), "float32"))
    return r
)";

TEST(OpScripts, ReadWhatTheyPrint) {
  Ref<BaseFunc> first = parse_function(Source::make("script", kScript), builtin_ops());
  PrintResult printed = print_with_constants(first);
  Ref<BaseFunc> second =
      parse_function(Source::make("printed", printed.text), builtin_ops(), {.constants = printed.constants});
  EXPECT_TRUE(structural_equal(Expr(first), Expr(second))) << printed.text;
  EXPECT_EQ(print_with_constants(second).text, printed.text);
  EXPECT_NE(printed.text.find("R.nn.conv2d(x, w, padding=[1, 1, 1, 1])"), std::string::npos) << printed.text;
  EXPECT_NE(printed.text.find("R.print(k, l, format=R.str(\"{} {}\"))"), std::string::npos) << printed.text;
  EXPECT_NE(printed.text.find("R.assert_op(ok, [k, l], format=R.str(\"no\"))"), std::string::npos) << printed.text;
  EXPECT_NE(printed.text.find("R.memory.view(k, dtype=R.dtype(\"int32\"))"), std::string::npos) << printed.text;
}

}  // namespace
}  // namespace sunmao
