#include "eval/poison.h"

#include <gtest/gtest.h>

#include "eval/evaluator.h"
#include "ops/ops.h"
#include "script/parse.h"
#include "support/diagnostic.h"
#include "support/place.h"

namespace sunmao {
namespace {

struct FirstArgument final : HostFunction {
  Value call(ValueTuple args, size_t) const override { return *args.at(0).array(); }
};

PoisonWatch watch(const std::string& functions, ValueTuple args, std::vector<size_t> poisoned = {0}) {
  PoisonWatch out{.poisoned = std::move(poisoned)};
  const std::string text = "@I.ir_module\nclass M:\n" + functions;
  FindHostFunction known = [](const std::string&) { return std::make_shared<const FirstArgument>(); };
  Evaluator(parse_module(Source::make("test.py", text), builtin_ops()), {.host_functions = known, .poison = &out})
      .call("main", std::move(args));
  return out;
}

std::vector<std::string> names(const std::vector<Work>& list) {
  std::vector<std::string> out;
  for (const Work& w : list) out.push_back(w.binding + "=" + w.callee);
  return out;
}

using Names = std::vector<std::string>;

Array matrix() { return Array::from_floats({2, 2}, std::vector<float>{1, -2, 3, 4}); }
Array row() { return Array::from_floats({2}, std::vector<float>{1, 2}); }
Array truth() {
  std::byte yes{1};
  return Array::copy(DType::bool_(), {}, {&yes, 1});
}

TEST(Poison, names_the_one_op_that_sees_none_and_its_place) {
  PoisonWatch found = watch(R"(
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        lv = R.matmul(x, w)
        wt = R.permute_dims(w)
        lv1 = R.matmul(lv, wt)
        return lv1
)",
                            {matrix(), matrix()});
  ASSERT_EQ(names(found.clean), Names{"wt=permute_dims"});
  EXPECT_EQ(found.clean[0].function, "main");
  EXPECT_EQ(place_of(found.clean[0].span), "test.py:7:14");
  EXPECT_TRUE(found.constant.empty());
}

TEST(Poison, is_not_told_by_what_comes_out) {
  // The results of x * 0, x == x and shape_of do not depend on the values of x.
  PoisonWatch found = watch(R"(
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        zero = R.multiply(x, R.const(0, "float32"))
        same = R.equal(x, x)
        size = R.shape_to_tensor(R.shape_of(x))
        place = R.multiply(size, R.const(0, "int64"))
        y = R.add(R.take(w, place, axis=0), R.sum(zero))
        return (y, same)
)",
                            {matrix(), matrix()});
  EXPECT_TRUE(found.clean.empty());
  EXPECT_TRUE(found.constant.empty());
}

TEST(Poison, follows_tuples_field_by_field) {
  PoisonWatch found = watch(R"(
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        t = (x, (w, x))
        inner = t[1]
        a = inner[0]
        b = R.negative(a)
        parts = R.split(w, 2, axis=0)
        c = R.exp(parts[1])
        d = R.concat((a, t[0]), axis=0)
        e = R.call_pure_packed("vm.builtin.tuple_getitem", inner, R.prim_value(0), ty_args=R.Tensor((2, 2), "float32"))
        f = R.sin(e)
        g = R.cos(inner[1])
        return (b, c, d, f, g)
)",
                            {matrix(), matrix()});
  EXPECT_EQ(names(found.clean), (Names{"b=negative", "parts=split", "c=exp", "f=sin"}));
}

TEST(Poison, has_what_saw_no_argument_in_a_list_of_its_own) {
  PoisonWatch found = watch(R"(
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        zeros = R.zeros((2, 2), "float32")
        mask = R.triu(zeros, 1)
        y = R.add(x, mask)
        v = R.add(w, mask)
        return (y, v)
)",
                            {matrix(), matrix()});
  EXPECT_EQ(names(found.constant), (Names{"zeros=zeros", "mask=triu"}));
  EXPECT_EQ(names(found.clean), Names{"v=add"});
}

TEST(Poison, lies_in_sizes_that_only_poisoned_arguments_say) {
  PoisonWatch found = watch(R"(
    @R.function
    def main(x: R.Tensor(("n", 2), "float32"), y: R.Tensor(("m",), "float32"), w: R.Tensor(("m", 2), "float32")):
        n = T.int64()
        m = T.int64()
        a = R.zeros((n,), "float32")
        b = R.zeros((m,), "float32")
        c = R.broadcast_to(w, (n, m, 2))
        d = R.match_cast(w, R.Tensor((n, 2), "float32"))
        e = R.negative(d)
        f = R.match_cast(w, R.Tensor(("k", 2), "float32"))
        g = R.negative(f)
        return (a, b, c, e, g)
)",
                            {matrix(), row(), matrix()}, {0, 1});
  EXPECT_EQ(names(found.clean), (Names{"b=zeros", "g=negative"}));
}

TEST(Poison, of_a_condition_lies_on_the_result_of_the_branch) {
  PoisonWatch found = watch(R"(
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        if c:
            v = R.exp(w)
            r = v
        else:
            r = w
        y = R.negative(r)
        z = R.negative(w)
        return (y, z)
)",
                            {truth(), matrix(), matrix()});
  EXPECT_EQ(names(found.clean), (Names{"v=exp", "z=negative"}));
}

constexpr const char* kFunctions = R"(
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        cls = M
        p = cls.both(x, w)
        a = R.negative(p[0])
        b = R.negative(p[1])
        k = R.call_tir(cls.kernel, (w,), out_ty=R.Tensor((2, 2), "float32"))
        l = R.call_tir(cls.kernel, (x,), out_ty=R.Tensor((2, 2), "float32"))
        h = R.call_pure_packed("host", w, ty_args=R.Tensor((2, 2), "float32"))
        i = R.call_pure_packed("host", x, ty_args=R.Tensor((2, 2), "float32"))
        j = R.call_dps_packed("host", (w,), out_ty=R.Tensor((2, 2), "float32"))
        s = R.add(h, i)
        return (a, b, k, l, s, j)

    @R.function(private=True)
    def both(u: R.Tensor(("n", 2), "float32"), v: R.Tensor(("n", 2), "float32")):
        r = R.exp(u)
        s = R.exp(v)
        return (r, s)

    @T.prim_func(private=True)
    def kernel(A: T.Buffer((2, 2), "float32"), B: T.Buffer((2, 2), "float32")):
        for i, j in T.grid(2, 2):
            B[i, j] = A[j, i]
)";

TEST(Poison, goes_through_functions_kernels_and_the_host) {
  PoisonWatch found = watch(kFunctions, {matrix(), matrix()});
  EXPECT_EQ(names(found.clean), (Names{"s=exp", "b=negative", "k=kernel", "h=host", "j=host"}));
  EXPECT_EQ(found.clean[0].function, "both");
}

TEST(Poison, of_a_function_is_in_what_it_captured) {
  PoisonWatch found = watch(R"(
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32"), host: R.Callable):
        @R.function
        def clean(u: R.Tensor((2, 2), "float32")) -> R.Tensor((2, 2), "float32"):
            p = R.add(u, w)
            return p
        @R.function
        def dirty(u: R.Tensor((2, 2), "float32")) -> R.Tensor((2, 2), "float32"):
            q = R.add(u, x)
            return q
        a = clean(w)
        b = dirty(w)
        c = R.negative(a)
        d = R.negative(b)
        e = clean(x)
        f = R.negative(e)
        g = R.call_packed("host", w, clean, ty_args=R.Tensor((2, 2), "float32"))
        h = R.call_packed("host", w, dirty, ty_args=R.Tensor((2, 2), "float32"))
        return (c, d, f, g, h)
)",
                            {matrix(), matrix(), Value(std::make_shared<const FirstArgument>())});
  EXPECT_EQ(names(found.clean), (Names{"p=add", "c=negative", "g=host"}));
}

TEST(Poison, comes_with_what_a_poisoned_callback_gives) {
  constexpr const char* kCallbacks = R"(
    @R.function(pure=False)
    def main(get: R.Callable([R.Tensor((2, 2), "float32")], R.Tensor((2, 2), "float32"), False),
             w: R.Tensor((2, 2), "float32")):
        a = get(w)
        b = R.negative(a)
        return b
)";
  const ValueTuple args{Value(std::make_shared<const FirstArgument>()), matrix()};
  EXPECT_TRUE(watch(kCallbacks, args).clean.empty());
  EXPECT_EQ(names(watch(kCallbacks, args, {}).clean), (Names{"a=get", "b=negative"}));
}

TEST(Poison, is_in_the_bytes_that_a_kernel_wrote_and_no_others) {
  PoisonWatch found = watch(R"(
    @R.function(pure=False)
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        cls = M
        storage = R.memory.alloc_storage(R.shape([32]), R.prim_value(0), "global", "float32")
        a = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([2, 2]), "float32")
        b = R.memory.alloc_tensor(storage, R.prim_value(16), R.shape([2, 2]), "float32")
        u = cls.kernel(x, a)
        v = cls.kernel(w, b)
        dirty = R.negative(a)
        clean = R.negative(b)
        again = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([2, 2]), "float32")
        y = cls.kernel(w, again)
        fresh = R.exp(again)
        return (dirty, clean, fresh)

    @T.prim_func(private=True)
    def kernel(A: T.Buffer((2, 2), "float32"), B: T.Buffer((2, 2), "float32")):
        for i, j in T.grid(2, 2):
            B[i, j] = A[j, i]
)",
                            {matrix(), matrix()});
  EXPECT_EQ(names(found.clean), (Names{"v=kernel", "clean=negative", "y=kernel", "fresh=exp"}));
}

TEST(Poison, is_not_seen_by_marks_and_memory) {
  PoisonWatch found = watch(R"(
    @R.function(pure=False)
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        a = R.builtin.stop_lift_params(w)
        b = R.builtin.alloc_tensor(R.shape([2, 2]), "float32", 0)
        c = R.memory.kill_tensor(b)
        d = R.add(a, x)
        return d
)",
                            {matrix(), matrix()});
  EXPECT_TRUE(found.clean.empty());
  EXPECT_TRUE(found.constant.empty());
}

TEST(Poison, lists_a_call_that_runs_often_once) {
  PoisonWatch found = watch(R"(
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        cls = M
        a = cls.f(x)
        b = cls.f(w)
        c = cls.f(w)
        return (a, b, c)

    @R.function(private=True)
    def f(u: R.Tensor((2, 2), "float32")) -> R.Tensor((2, 2), "float32"):
        r = R.exp(u)
        return R.negative(r)
)",
                            {matrix(), matrix()});
  EXPECT_EQ(names(found.clean), (Names{"r=exp", "=negative"}));
}

TEST(Poison, needs_an_argument_to_lie_in) {
  try {
    watch(kFunctions, {matrix(), matrix()}, {2});
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostics()[0].code, "E0505");
  }
}

TEST(Poison, is_not_followed_unless_asked_for) {
  const std::string text = std::string("@I.ir_module\nclass M:\n") + R"(
    @R.function
    def main(x: R.Tensor((2, 2), "float32")):
        y = R.negative(x)
        return y
)";
  Value x = marked(matrix(), Seen::Poison);
  const Value y = Evaluator(parse_module(Source::make("test.py", text), builtin_ops())).call("main", {x});
  EXPECT_EQ(y.seen, Seen::Nothing);
}

}  // namespace
}  // namespace sunmao
