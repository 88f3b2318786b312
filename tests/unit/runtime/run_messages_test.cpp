// The exact messages, with their helps, of runs of programs that are made for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "abi/kernel.h"
#include "tests/unit/runtime/host_program.h"
#include "tests/unit/runtime/run_states.h"
#include "tests/unit/runtime/whole_message.h"

namespace sunmao::runtime::testing {
namespace {

using abi::kDelivered;
using abi::kNone;
using abi::Opcode;
using abi::ProgramBuilder;

constexpr abi::ElementType kInt4 = {0, 4, 1}, kInt64 = {0, 64, 1};
constexpr DLDataType kPacked = {kDLInt, 4, 1};

/// A model of one program, and a session of it.
struct Loaded {
  explicit Loaded(std::vector<uint8_t> program, std::vector<uint8_t> code = tiny_code())
      : artifact(make_artifact({.program = std::move(program), .code = {{"x86-64", {}, std::move(code)}}})) {
    EXPECT_TRUE(session) << whole(error);
  }

  std::string run(const char* function, DLTensor input, DLTensor output = {}) {
    sunmao_run(session.get(), function, &input, 1, &output, 1, &error);
    return whole(error);
  }

  const std::string artifact;
  sunmao_error error = {};
  const ModelHandle model = load(artifact, &error);
  const SessionHandle session = model ? open(model) : nullptr;
};

void add_kernels_of_tests(ProgramBuilder& b) {
  b.add_kernel("add_row", 3, 2);
  b.add_kernel("square_rows", 2, 2);
  b.add_kernel("refuse_thirteen", 0, 1);
  b.add_kernel("is_positive", 2, 0);
}

/// f(x: (n,)) -> y: (m,) of these types, whose dim 0 is n and whose tensor 0 is x, and what `add` adds behind.
std::vector<uint8_t> one_function(abi::ElementType from, abi::ElementType to, const Body& body, const Body& add = {}) {
  ProgramBuilder b;
  add_kernels_of_tests(b);
  b.begin_function("f", {{"x", from, {b.symbol("n")}}}, {{"y", to, {b.symbol("m")}}});
  b.bind_dim(0, 0);
  body(b);
  if (add) add(b);
  return b.finish();
}

void layout_and_x(ProgramBuilder& b) {
  b.emit(Opcode::Layout);
  b.tensor(Opcode::Param, 0);
}
void copy_of_x(ProgramBuilder& b, abi::ElementType type) {
  layout_and_x(b);
  b.emit(Opcode::Copy, {b.tensor(Opcode::Result, 0, type, {0}), 0});
  b.emit(Opcode::Return);
}

TEST(RunMessages, E0908_and_E0923_packed_elements_with_strides) {
  int64_t shape[] = {4}, strides[] = {2};
  uint8_t data[8] = {};
  const DLTensor packed = {data, {kDLCPU, 0}, 1, kPacked, shape, strides, 0};
  EXPECT_EQ(Loaded(one_function(kInt4, kInt4, [](auto& b) { copy_of_x(b, kInt4); })).run("f", packed),
            "E0908 function `f`: input `x` has strides, which int4 cannot have");

  const auto call_host = [](ProgramBuilder& b) {
    layout_and_x(b);
    const uint32_t made = b.new_tensor();
    b.emit(Opcode::Invoke, {1, 0, 0, made, 0});
    b.emit(Opcode::Copy, {b.tensor(Opcode::Result, 0, kInt4, {0}), made});
    b.emit(Opcode::Return);
  };
  Loaded loaded(one_function(kFloat32, kInt4, call_host, [](auto& b) {
    const int64_t n = b.symbol("n");
    b.add_host_function("pack(float32[1]) -> int4[1]", {{"0", kFloat32, {n}}}, {{"0", kInt4, {n}}});
  }));
  DLManagedTensor given = {packed, nullptr, nullptr};
  const auto call = [](void* tensor, const sunmao_host_call* c) {
    c->outputs[0] = static_cast<DLManagedTensor*>(tensor);
    return 0;
  };
  ASSERT_EQ(sunmao_register_function(loaded.session.get(), "pack", call, &given, nullptr), 0);
  Floats x({4});
  EXPECT_EQ(loaded.run("f", x.tensor()),
            "E0923 function `f`: result 0 of the host's function `pack` has strides, which int4 cannot have; it is "
            "called as pack(float32[1]) -> int4[1]");
}

TEST(RunMessages, E0923_of_the_host) {
  Loaded loaded(host_program());
  const auto call = [](void* text, const sunmao_host_call* c) {
    if (text) std::strcpy(c->error->message, static_cast<const char*>(text));
    return 1;
  };
  Floats x({3});
  char why[] = "no data today";
  ASSERT_EQ(sunmao_register_function(loaded.session.get(), "scale", call, nullptr, nullptr), 0);
  EXPECT_EQ(loaded.run("twice", x.tensor()),
            "E0923 function `twice`: the host's function `scale` failed; the program that runs the model has this "
            "function");
  ASSERT_EQ(sunmao_register_function(loaded.session.get(), "scale", call, why, nullptr), 0);
  EXPECT_EQ(loaded.run("any", x.tensor()),
            "E0923 function `any`: the host's function `scale` failed: no data today; the program that runs the model "
            "has this function");
  sunmao_register_function(loaded.session.get(), "f", call, nullptr, &loaded.error);
  EXPECT_EQ(whole(loaded.error), "E0901 the model calls no function `f` of the host; it calls `scale`");
}

TEST(RunMessages, E0904_and_E0911_of_sizes) {
  Loaded loaded(host_program());
  int64_t sizes[] = {4, -7, 1}, shape[] = {3};
  DLTensor input = {sizes, {kDLCPU, 0}, 1, {kDLInt, 64, 1}, shape, nullptr, 0};
  EXPECT_EQ(loaded.run("swap", input),
            "E0904 function `swap`: input `s` holds 3 sizes, expected 2; it is a tensor of one dimension with a size "
            "in each element");
  shape[0] = 2;
  EXPECT_EQ(loaded.run("swap", input), "E0911 function `swap`: input `s` holds the size -7; sizes are 0 or more");
}

TEST(RunMessages, E0909_outputs_whose_size_data_decides) {
  Loaded loaded(host_program());
  Floats x({3});
  int64_t shape[] = {-1};
  DLTensor output = x.tensor();
  output.shape = shape;
  EXPECT_EQ(loaded.run("any", x.tensor(), output),
            "E0909 function `any`: output 0 `y` has the shape (-1), which is none; give memory that fits, or a NULL "
            "`data` pointer to get memory of the session");
  output.ndim = 2;
  int64_t two[] = {1, 3};
  output.shape = two;
  EXPECT_EQ(loaded.run("any", x.tensor(), output),
            "E0909 function `any`: output 0 `y` has rank 2, expected 1; give memory that fits, or a NULL `data` "
            "pointer to get memory of the session");
}

TEST(RunMessages, E0923_results_of_the_host) {
  Loaded loaded(host_program());
  struct Given {
    int64_t shape[2] = {3, 1};
    float data[4] = {};
    DLManagedTensor tensor = {};
    bool is_missing = false;
  } given;
  const auto call = [](void* data, const sunmao_host_call* c) {
    auto* own = static_cast<Given*>(data);
    c->outputs[0] = own->is_missing ? nullptr : &own->tensor;
    return 0;
  };
  ASSERT_EQ(sunmao_register_function(loaded.session.get(), "scale", call, &given, nullptr), 0);
  Floats x({3});
  const auto with = [&](const std::function<void(DLTensor&)>& change) {
    given.tensor.dl_tensor = {given.data, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, given.shape, nullptr, 0};
    change(given.tensor.dl_tensor);
    return loaded.run("twice", x.tensor());
  };
  const std::string result = "E0923 function `twice`: result 0 of the host's function `scale`";
  const std::string help = "; it is called as scale(float32[1], 2) -> float32[1]";
  EXPECT_EQ(with([](auto&) {}), "ok");
  EXPECT_EQ(with([](auto& t) { t.dtype = {kDLInt, 32, 1}; }), result + " is int32, expected float32" + help);
  EXPECT_EQ(with([](auto& t) { t.ndim = 2; }), result + " has rank 2, expected 1" + help);
  EXPECT_EQ(with([](auto& t) { t.device = {kDLCUDA, 0}; }), result + " is not in the memory of the CPU" + help);
  EXPECT_EQ(with([](auto& t) { t.data = nullptr; }), result + " is no tensor" + help);
  EXPECT_EQ(with([&](auto&) { given.shape[0] = 2; }), result + " has 2 elements along axis 0, expected 3");
  given.is_missing = true;
  EXPECT_EQ(with([](auto&) {}), result + " is missing" + help);
}

TEST(RunMessages, E0911_results_that_are_delivered) {
  ProgramBuilder b;
  add_kernels_of_tests(b);
  const int64_t n = b.symbol("n");
  b.begin_function("f", {{"x", kFloat32, {n}}}, {{"y", kFloat32, {5}}});
  b.bind_dim(0, 0);
  layout_and_x(b);
  b.emit(Opcode::Follow, {1, 0, 0});
  b.begin_inner_function("same", {{"x", kFloat32, {n}}}, {{"y", kFloat32, {n}}});
  b.bind_dim(0, 0);
  layout_and_x(b);
  b.emit(Opcode::Deliver, {0, 0});
  Floats x({4});
  EXPECT_EQ(Loaded(b.finish()).run("f", x.tensor()),
            "E0911 function `f`: output 0 `y` has 4 elements along axis 0, expected 5");
}

TEST(RunMessages, E0911_of_sizes_that_data_decides) {
  // `three` delivers three numbers, `pair` takes two sizes.
  const auto chain_to = [](ProgramBuilder& b) {
    layout_and_x(b);
    b.emit(Opcode::Chain, {1, 0, 0, 2, kDelivered, kNone, kNone});
  };
  const auto add = [](ProgramBuilder& b) {
    const int64_t n = b.symbol("n");
    b.begin_inner_function("three", {{"x", kFloat32, {n}}}, {{"s", kInt64, {3}}});
    b.bind_dim(0, 0);
    const uint32_t three = b.constant_dim(3);
    layout_and_x(b);
    b.emit(Opcode::Deliver, {b.values({three, three, three}), three});
    b.begin_inner_function("pair", {{"s", abi::kSizes, {n, b.symbol("m")}}}, {{"y", kFloat32, {n}}});
    const uint32_t first = b.bind_dim(0, 0);
    b.bind_dim(0, 1);
    b.emit(Opcode::Layout);
    b.emit(Opcode::Deliver, {b.block(kFloat32, {first}), first});
  };
  Floats x({4});
  EXPECT_EQ(Loaded(one_function(kFloat32, kFloat32, chain_to, add)).run("f", x.tensor()),
            "E0911 function `pair`: data decides more or fewer sizes than it takes; a tensor of sizes has one element "
            "for each");
}

TEST(RunMessages, E0911_of_negative_sizes) {
  const auto follow_minus_three = [](ProgramBuilder& b) {
    const uint32_t size = b.constant_dim(-3);
    layout_and_x(b);
    b.emit(Opcode::Follow, {1, b.values({size}), kNone});
  };
  const auto add = [](ProgramBuilder& b) {
    const int64_t n = b.symbol("n");
    b.begin_inner_function("sized", {{"s", abi::kSizes, {n}}}, {{"y", kFloat32, {n}}});
    const uint32_t size = b.bind_dim(0, 0);
    b.emit(Opcode::Layout);
    b.emit(Opcode::Deliver, {b.block(kFloat32, {size}), size});
  };
  Floats x({4});
  EXPECT_EQ(Loaded(one_function(kFloat32, kFloat32, follow_minus_three, add)).run("f", x.tensor()),
            "E0911 function `sized`: data decides a size, and it is -3; what computes the size must give 0 or more");
}

TEST(RunMessages, E0901_and_E0902_where_there_is_nothing) {
  ProgramBuilder none;
  add_kernels_of_tests(none);
  EXPECT_EQ(Loaded(none.finish()).run("f", {}), "E0901 the model has no function `f`; it has none at all");
  ProgramBuilder b;
  add_kernels_of_tests(b);
  b.begin_function("f", {}, {});
  b.emit(Opcode::Layout);
  b.emit(Opcode::Return);
  Loaded loaded(b.finish());
  EXPECT_EQ(loaded.run("f", {}), "E0902 function `f`: 1 inputs given, expected 0; it has none");
  sunmao_register_function(
      loaded.session.get(), "g", [](void*, const sunmao_host_call*) { return 0; }, nullptr, &loaded.error);
  EXPECT_EQ(whole(loaded.error), "E0901 the model calls no function `g` of the host; it calls none");
}

TEST(RunMessages, E0911_of_layouts) {
  Floats x({4});
  const auto part_at = [](int64_t begin) {
    return [begin](ProgramBuilder& b) {
      const uint32_t at = b.constant_dim(begin), two = b.constant_dim(2);
      layout_and_x(b);
      const uint32_t part = b.part(0, at, kFloat32, {two});
      b.emit(Opcode::Copy, {b.tensor(Opcode::Result, 0, kFloat32, {two}), part});
      b.emit(Opcode::Return);
    };
  };
  const std::string help = "; use smaller dimensions; with ordinary ones this is a fault of the compiler";
  for (const int64_t begin : {-4, 2, 12})
    EXPECT_EQ(Loaded(one_function(kFloat32, kFloat32, part_at(begin))).run("f", x.tensor()),
              "E0911 function `f`: sizes do not work out: a part of 8 bytes, aligned to 4, at byte " +
                  std::to_string(begin) + " of a tensor of 16" + help);
  Loaded loaded(one_function(kFloat32, kFloat32, [](auto& b) { copy_of_x(b, kFloat32); }));
  const int64_t size = INT64_MAX;
  sunmao_memory_info memory;
  sunmao_function_memory(loaded.model.get(), 0, &size, 1, &memory, &loaded.error);
  EXPECT_EQ(
      whole(loaded.error),
      "E0911 function `f`: sizes do not work out: an input of type float32 and shape (9223372036854775807)" + help);
}

TEST(RunMessages, E0905_E0906_and_E0912_of_conditions) {
  Floats x({9});
  const auto with = [&](const Body& check) {
    const auto body = [&](ProgramBuilder& b) {
      check(b);
      copy_of_x(b, kFloat32);
    };
    return Loaded(one_function(kFloat32, kFloat32, body)).run("f", x.tensor());
  };
  EXPECT_EQ(with([](auto& b) { b.guard_range(0, 1, 8, "n"); }),
            "E0906 function `f`: dimension `n` (axis 0 of `x`) is 9, expected 1 to 8; stay inside the range, or "
            "compile the model with a wider one (`--dim`)");
  EXPECT_EQ(with([](auto& b) { b.check_equal(0, b.constant_dim(7), "n == 7"); }),
            "E0905 function `f`: n == 7, got 9 (axis 0 of `x`) and 7; make the sizes of the inputs agree");
  EXPECT_EQ(with([](auto& b) {
              const abi::StringRef text = b.text("n < 5");
              b.emit(Opcode::CheckTrue,
                     {b.compute_dim(Opcode::LessDim, {0, b.constant_dim(5)}), text.offset, text.size});
            }),
            "E0912 function `f`: `n < 5` does not hold; these input shapes break a condition that the model states");
}

TEST(RunMessages, E0919_indices_out_of_range) {
  // refuse_thirteen, as if it were written: return context->fail_index(context, "thirteen rows are too many", 5, 4), or
  // with a size of -1, which says that a number is refused whatever the size.
  const std::vector<uint8_t> before = {0x48, 0x83, 0x3e, 13,   0x48, 0x89, 0xd7, 0x75,
                                       0x0d, 0x48, 0x8b, 0x42, 0x10, 0x48, 0x8d, 0x35};
  std::vector<uint8_t> code = tiny_code();
  const auto at = std::search(code.begin(), code.end(), before.begin(), before.end());
  ASSERT_NE(at, code.end());
  int32_t text = 0;  // from the end of the instruction that takes its address, which comes 6 bytes earlier here
  std::memcpy(&text, &*at + before.size(), 4);
  text += 6;
  const auto refusing = [&](uint8_t index, uint8_t size) {
    std::vector<uint8_t> after = {0x48, 0x89,  0xd7, 0x48, 0x8b, 0x42, offsetof(sunmao_context, fail_index),
                                  0x48, 0x8d,  0x35, 0,    0,    0,    0,
                                  0x6a, index, 0x5a, 0x6a, size, 0x59, 0xff,
                                  0xe0};
    std::memcpy(after.data() + 10, &text, 4);
    std::vector<uint8_t> out = code;
    std::copy(after.begin(), after.end(), out.begin() + (at - code.begin()));
    return out;
  };
  const auto body = [](ProgramBuilder& b) {
    layout_and_x(b);
    b.call(2, {}, {0});
    b.emit(Opcode::Copy, {b.tensor(Opcode::Result, 0, kFloat32, {0}), 0});
    b.emit(Opcode::Return);
  };
  Floats x({1});
  const auto text_of = [&](const std::vector<uint8_t>& changed) {
    return Loaded(one_function(kFloat32, kFloat32, body), changed).run("f", x.tensor());
  };
  EXPECT_EQ(text_of(refusing(5, 4)),
            "E0919 function `f`: thirteen rows are too many: 5 is out of range for a size of 4; the numbers of a "
            "tensor that are used as indices or lengths must fit what they index");
  EXPECT_EQ(text_of(refusing(0, 0xff)),
            "E0919 function `f`: thirteen rows are too many cannot be 0; look at the tensor that was passed");
}

TEST_F(RunStates, messages_of_states) {
  run("check", {Floats({13})});
  EXPECT_EQ(whole(error_),
            "E0913 function `check`: kernel `refuse_thirteen` failed with status 1: thirteen rows are "
            "too many");
  add({1, 1, 1});
  EXPECT_EQ(whole(error_),
            "E0925 state `sum` is lost: a run that failed had changed it; reset the session (sunmao_session_reset), "
            "load a state that was saved, or set this one");
  Floats wide({65}), four({4}), square({1, 3});
  const auto set = [&](const char* name, Floats& value) {
    const DLTensor tensor = value.tensor();
    const auto number = static_cast<size_t>(sunmao_find_state(model_.get(), name));
    sunmao_session_set_state(session_.get(), number, &tensor, &error_);
    return whole(error_);
  };
  EXPECT_EQ(set("row", four), "E0905 state `row` has 4 on axis 0, expected 3");
  EXPECT_EQ(set("grown", wide), "E0906 state `grown` has 65 on axis 0, expected 0 to 64");
  const DLTensor tensor = four.tensor();
  sunmao_session_set_state(session_.get(), 9, &tensor, &error_);
  EXPECT_EQ(whole(error_), "E0901 the model has no state 9: there are 3");
  char* text = nullptr;
  sunmao_function_memory_formula(model_.get(), 99, &text, &error_);
  EXPECT_EQ(whole(error_), "E0901 there is no function 99");
  EXPECT_EQ(set("row", square), "E0904 state `row` has rank 2, expected 1; the shape given is (1, 3)");
}

}  // namespace
}  // namespace sunmao::runtime::testing
