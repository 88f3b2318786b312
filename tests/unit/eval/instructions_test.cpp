// Ops that are instructions of the virtual machine, and calls of functions in all forms.
#include "eval/instructions.h"

#include "script/parse.h"
#include "tests/unit/error_code.h"
#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

Value run_main(const char* text, const std::vector<Value>& args) {
  return Evaluator(parse_module(Source::make("test.py", text), builtin_ops())).call("main", args);
}

std::string run_error(const char* text, const std::vector<Value>& args) {
  return code_of([&] { run_main(text, args); });
}

Array array(std::vector<int64_t> dims, std::vector<float> values) {
  return Array::from_floats(std::move(dims), values);
}

TEST(Instructions, EveryOpComputesOrIsRefusedByName) {
  // Ops on functions and memory, which the evaluator implements; all others are instructions, lower or decompose.
  const std::vector<std::string> of_programs{"call_tir",
                                             "call_tir_inplace",
                                             "call_tir_with_grad",
                                             "dist.call_tir_local_view",
                                             "make_closure",
                                             "invoke_closure",
                                             "invoke_pure_closure",
                                             "builtin.alloc_tensor",
                                             "memory.alloc_storage",
                                             "memory.alloc_tensor",
                                             "vm.alloc_storage",
                                             "vm.alloc_tensor",
                                             "vm.call_tir_dyn",
                                             "vm.kill_object",
                                             "call_pure_packed",
                                             "call_dps_packed",
                                             "call_inplace_packed",
                                             "call_builtin_with_ctx",
                                             "call_py_func"};
  for (const Ref<Op>& op : builtin_ops().all()) {
    bool computes = op->info.lower || op->info.decompose || find_instruction(*op) ||
                    std::ranges::find(of_programs, op->name()) != of_programs.end();
    EXPECT_TRUE(computes) << op->name();
  }
}

TEST(Instructions, ShapesAndDescriptors) {
  Value v = run_main(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(dtype="float16")):
        s = R.shape_of(x)
        t = R.shape_to_tensor(s)
        back = R.tensor_to_shape(t)
        r = R.inspect.tensor_ndim(x)
        b = R.inspect.tensor_dtype_bits(x)
        d = R.inspect.tensor_shape_i(x, R.prim_value(1))
        e = R.inspect.tensor_stride_i(x, R.prim_value(0))
        o = R.inspect.tensor_byte_offset(x)
        return (s, back, r, b, d, e, o)
)",
                     {std::move(ArrayBuilder(DType::float_(16), {2, 3})).finish()});
  const ValueTuple& t = *v.tuple();
  EXPECT_EQ(*t[0].shape(), (ShapeValue{2, 3}));
  EXPECT_EQ(*t[1].shape(), (ShapeValue{2, 3}));
  for (auto [i, expected] : {std::pair{2u, 2}, {3u, 16}, {4u, 3}, {5u, 3}, {6u, 0}})
    EXPECT_EQ(std::get<int64_t>(t[i].v), expected) << i;
}

constexpr const char* kAssert = R"(
@I.ir_module
class M:
    @R.function(pure=False)
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")):
        _ = R.assert_op(c, [x], format="x is {}")
        return x
)";

TEST(Instructions, AssertionsSayTheirValues) {
  std::byte yes{1}, no{0};
  Array x = array({2}, {1, 2.5});
  EXPECT_EQ(run_error(kAssert, {Array::copy(DType::bool_(), {}, {&yes, 1}), x}), "no error");
  try {
    run_main(kAssert, {Array::copy(DType::bool_(), {}, {&no, 1}), x});
    ADD_FAILURE();
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostics()[0].code, "E0545");
    EXPECT_EQ(e.diagnostics()[0].message, "Assertion Failed: x is [1, 2.5]");
  }
}

TEST(Instructions, PrintsValuesIntoItsFormat) {
  testing::internal::CaptureStdout();
  run_main(R"(
@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((2, 1), "float32")):
        _ = R.print(x, R.shape([2, 3]), format="a {} b {}")
        _1 = R.print(R.prim_value(3), R.str("end"))
        return x
)",
           {array({2, 1}, {1, 2})});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "a [[1], [2]] b (2, 3)\n3 end\n");
}

constexpr const char* kBranch = R"(
@I.ir_module
class M:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((), "float32")):
        if c:
            y = R.add(x, x)
        else:
            y = R.negative(x)
        return y
)";

TEST(Instructions, ConditionsOfAnyDtype) {
  EXPECT_TRUE(is_true(array({}, {0.5f})));
  EXPECT_FALSE(is_true(array({1}, {0.0f})));
  EXPECT_TRUE(is_true(Value(int64_t{256})));
  EXPECT_TRUE(is_true(Array::from_ints({}, std::vector<int64_t>{256})));
  EXPECT_THROW(is_true(array({2}, {1, 1})), UserError);
  EXPECT_THROW(is_true(Value(ShapeValue{1})), UserError);
  std::byte yes{1};
  EXPECT_TRUE(*run_main(kBranch, {Array::copy(DType::bool_(), {}, {&yes, 1}), array({}, {2})}).array() ==
              array({}, {4}));
}

TEST(Instructions, ClosuresKeepWhatTheyCapture) {
  Value v = run_main(R"(
@I.ir_module
class M:
    @R.function(private=True)
    def scaled(a: R.Tensor((2,), "float32"), b: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return R.subtract(R.add(a, a), b)

    @R.function
    def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")):
        cls = M
        f = R.make_closure(cls.scaled, (x,))
        g = R.make_closure(f, (y,))
        a = R.invoke_pure_closure(f, (y,), ty_args=(R.Tensor((2,), "float32"),))
        b = R.invoke_pure_closure(g, R.tuple(), ty_args=(R.Tensor((2,), "float32"),))

        @R.function
        def add_x(z: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            return R.add(z, x)

        c = add_x(b)
        return (a, c)
)",
                     {array({2}, {2, 3}), array({2}, {10, 20})});
  EXPECT_TRUE(*(*v.tuple())[0].array() == array({2}, {18, 37}));
  EXPECT_TRUE(*(*v.tuple())[1].array() == array({2}, {20, 40}));
}

constexpr const char* kOnMemory = R"(
@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")):
        cls = M
        storage = R.memory.alloc_storage(R.shape([32]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        a = R.memory.alloc_tensor(storage, R.prim_value(16), R.shape([4]), R.dtype("float32"))
        _ = cls.double(x, a)
        b = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _1 = cls.double(a, b)
        _2 = R.memory.kill_tensor(a)
        _3 = R.memory.kill_storage(storage)
        return (x, TAKEN)

    @T.prim_func(private=True)
    def double(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("double"):
                v = T.axis.spatial(4, i)
                B[v] = A[v] * T.float32(2)
)";

TEST(Instructions, KernelsFillMemoryThatIsAllocated) {
  std::string text = kOnMemory;
  text.replace(text.find("TAKEN"), 5, "b");
  Array x = array({4}, {1, 2, 3, 4});
  Value v = run_main(text.c_str(), {x});
  EXPECT_TRUE(*(*v.tuple())[0].array() == array({4}, {1, 2, 3, 4}));
  EXPECT_TRUE(*(*v.tuple())[1].array() == array({4}, {4, 8, 12, 16}));
}

TEST(Instructions, KernelsDoNotWriteIntoOtherArrays) {
  const char* text = R"(
@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        cls = M
        _ = cls.reset(x)
        return x

    @T.prim_func(private=True)
    def reset(A: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.sblock("reset"):
                v = T.axis.spatial(2, i)
                A[v] = T.float32(0)
)";
  Array x = array({2}, {1, 2});
  EXPECT_EQ(run_error(text, {x}), "E0506");
  EXPECT_TRUE(x == array({2}, {1, 2}));
}

TEST(Instructions, MemoryBeyondItsPieceIsRefused) {
  std::string text = kOnMemory;
  text.replace(text.find("TAKEN"), 5, "a");
  text.replace(text.find("R.prim_value(16)"), 16, "R.prim_value(20)");
  EXPECT_EQ(run_error(text.c_str(), {array({4}, {1, 2, 3, 4})}), "E0506");
}

TEST(Instructions, InPlaceCallsLeaveTheirArgumentsAlone) {
  Value v = run_main(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")):
        cls = M
        z = R.call_tir_inplace(cls.add_to, (x, y), inplace_indices=[0], out_ty=R.Tensor((2,), "float32"))
        w = R.call_tir_with_grad(cls.twice, (x,), out_ty=R.Tensor((2,), "float32"), te_grad_name="g")
        return (x, z, w)

    @T.prim_func(private=True)
    def add_to(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.sblock("add"):
                v = T.axis.spatial(2, i)
                A[v] = A[v] + B[v]

    @T.prim_func(private=True)
    def twice(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.sblock("twice"):
                v = T.axis.spatial(2, i)
                B[v] = A[v] + A[v]
)",
                     {array({2}, {1, 2}), array({2}, {10, 20})});
  EXPECT_TRUE(*(*v.tuple())[0].array() == array({2}, {1, 2}));
  EXPECT_TRUE(*(*v.tuple())[1].array() == array({2}, {11, 22}));
  EXPECT_TRUE(*(*v.tuple())[2].array() == array({2}, {2, 4}));
}

TEST(Instructions, ResultsThatDoNotFitTheirPlaceAreRefused) {
  EXPECT_EQ(run_error(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        cls = M
        z = R.call_tir_inplace(cls.touch, (x,), inplace_indices=[0], out_ty=R.Tensor((3,), "float32"))
        return z

    @T.prim_func(private=True)
    def touch(A: T.Buffer((3,), "float32")):
        A[0] = T.float32(0)
)",
                      {array({2}, {1, 2})}),
            "E0506");
  EXPECT_EQ(run_error(R"(
@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        a = R.builtin.alloc_tensor(R.shape([n - 5]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        return a
)",
                      {array({2}, {1, 2})}),
            "E0911");
}

TEST(Instructions, CallsWithoutEndAreRefused) {
  EXPECT_EQ(run_error(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = M
        y = cls.main(x)
        return y
)",
                      {array({2}, {1, 2})}),
            "E0506");
}

TEST(Instructions, FunctionsOfTheHostAreRefusedByName) {
  for (const char* call : {R"(R.call_pure_packed("host.f", x, ty_args=(R.Tensor((2,), "float32"),)))",
                           R"(R.call_dps_packed("host.f", (x,), out_ty=R.Tensor((2,), "float32")))",
                           R"(R.call_tir("host.f", (x,), out_ty=R.Tensor((2,), "float32")))"}) {
    std::string text =
        "@I.ir_module\nclass M:\n    @R.function\n    def main(x: R.Tensor((2,), \"float32\")):\n"
        "        y = " +
        std::string(call) + "\n        return y\n";
    EXPECT_EQ(run_error(text.c_str(), {array({2}, {1, 2})}), "E0509") << call;
  }
}

TEST(Instructions, TheMachinesOwnFunctionsAreKnown) {
  Value v = run_main(R"(
@I.ir_module
class M:
    @R.function
    def main(t: R.Tensor((2,), "int32")):
        n = T.int64()
        m = T.int64()
        s = R.call_pure_packed("vm.builtin.tensor_to_shape", t, ty_args=(R.Shape(ndim=2),))
        _ = R.match_cast(s, R.Shape([n, m]))
        return R.shape([m, n * 2])
)",
                     {find<Constant>(integers<int32_t>(DType::int_(32), {2}, {3, 5}))->data});
  EXPECT_EQ(*v.shape(), (ShapeValue{5, 6}));
}

TEST(Instructions, RequestsForDevicesAndOneWorkerChangeNothing) {
  Expr x = floats({2}, {1, 2});
  EXPECT_EQ(run("ccl.allreduce", {x}), (std::vector<float>{1, 2}));
  EXPECT_EQ(run("ccl.allgather", {x}, {{"num_workers", 1}}), (std::vector<float>{1, 2}));
  try {
    run("ccl.allgather", {x}, {{"num_workers", 2}});
    ADD_FAILURE();
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostics()[0].code, "E0507");
  }
  Ref<GlobalInfo> device = VDevice::make("llvm");
  EXPECT_EQ(run("hint_on_device", {x}, {{"dst_vdevice", device}}), (std::vector<float>{1, 2}));
}

}  // namespace
}  // namespace sunmao
