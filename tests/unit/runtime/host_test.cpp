// Functions of the host, and sizes as arguments of a run: what the verifier demands, what runs do, and how they fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "runtime/disassemble.h"
#include "runtime/program.h"
#include "tests/unit/runtime/handles.h"
#include "tests/unit/runtime/host_program.h"

namespace sunmao::runtime::testing {
namespace {

using abi::Opcode;
using abi::ProgramBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Host, calls_are_disassembled) {
  const std::vector<uint8_t> bytes = host_program();
  const io::Result<Program> program = Program::read(std::as_bytes(std::span<const uint8_t>(bytes)));
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  const std::string text = disassemble(*program);
  EXPECT_THAT(text, HasSubstr("host function `scale(float32[1], 2) -> float32[1]`: 0 dims, 0 tensors, 0 slots"));
  EXPECT_THAT(text, HasSubstr("Values t0, (d1, d0)"));
  EXPECT_THAT(text, HasSubstr("param p0 `s`: sizes (a, b)"));
}

TEST(Host, E0855_functions_in_place_of_others) {
  EXPECT_THAT(
      fault_of(host_program([](auto& b) { b.emit(Opcode::Follow, {3, 0, 0}); })),
      HasSubstr("E0855 program: function `twice`, word 8 (Follow): a function of the host in place of another"));
  EXPECT_THAT(fault_of(host_program([](auto& b) {
                const uint32_t made = b.new_tensor();
                b.emit(Opcode::InvokeIf, {0, 3, 0, 0, 4, 0, 0, made, 0});
              })),
              HasSubstr("a function of the host in place of another, or in a choice"));
  ProgramBuilder b;
  b.begin_inner_function("no form", {}, {});
  EXPECT_THAT(fault_of(b.finish()), HasSubstr("it has no instructions, and is no function of the host"));
  ProgramBuilder entry;
  entry.begin_function("f()", {}, {});
  EXPECT_THAT(fault_of(entry.finish()), HasSubstr("the last instruction is no `Return`"));
}

/// An output of a function of the host, which counts itself.
struct Output {
  static std::atomic<int> live;
  Output(DLDataType type, std::vector<int64_t> shape_of_it) : shape(std::move(shape_of_it)), data(16) {
    ++live;
    tensor.dl_tensor = {data.data(), {kDLCPU, 0}, static_cast<int32_t>(shape.size()), type, shape.data(), nullptr, 0};
    tensor.manager_ctx = this;
    tensor.deleter = [](DLManagedTensor* t) { delete static_cast<Output*>(t->manager_ctx); };
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { --live; }
  std::vector<int64_t> shape;
  std::vector<float> data;
  DLManagedTensor tensor = {};
};
std::atomic<int> Output::live = 0;

constexpr DLDataType kFloat = {kDLFloat, 32, 1};

class RunHost : public ::testing::Test {
 protected:
  using Function = std::function<int(const sunmao_host_call&)>;

  const std::string artifact_ = make_artifact({.program = host_program(), .weights = {}});
  sunmao_error error_ = {};
  const ModelHandle model_ = load(artifact_, &error_);
  const SessionHandle session_ = model_ ? open(model_) : nullptr;
  Floats x_{{3}, {1, 2, 3}};
  Function function_;

  void SetUp() override { ASSERT_TRUE(session_) << error_.message; }
  void TearDown() override { EXPECT_EQ(Output::live, 0); }

  void give(Function function) {
    function_ = std::move(function);
    const auto call = [](void* data, const sunmao_host_call* c) { return (*static_cast<Function*>(data))(*c); };
    ASSERT_EQ(sunmao_register_function(session_.get(), "scale", call, &function_, &error_), 0) << error_.message;
  }
  int run(const char* function, std::vector<float>& out) {
    const DLTensor input = x_.tensor();
    DLTensor output = {};
    const int status = sunmao_run(session_.get(), function, &input, 1, &output, 1, &error_);
    if (status == 0) out = values(output);
    return status;
  }
  std::string error_of(const char* function) {
    std::vector<float> out;
    return run(function, out) == 0 ? "none" : std::string(error_.code) + " " + error_.message;
  }
};

int double_all(const sunmao_host_call& call) {
  const DLTensor& x = call.inputs[0];
  auto* out = new Output(kFloat, {x.shape[0]});
  for (int64_t i = 0; i < x.shape[0]; ++i) out->data[static_cast<size_t>(i)] = 2 * values(x)[static_cast<size_t>(i)];
  call.outputs[0] = &out->tensor;
  return 0;
}

TEST_F(RunHost, functions_are_listed_and_called) {
  ASSERT_EQ(sunmao_host_function_count(model_.get()), 1u);
  EXPECT_STREQ(sunmao_host_function_name(model_.get(), 0), "scale");
  EXPECT_EQ(sunmao_host_function_name(model_.get(), 1), nullptr);
  std::string form;
  give([&](const sunmao_host_call& call) {
    form = call.form;
    return double_all(call);
  });
  std::vector<float> out;
  ASSERT_EQ(run("twice", out), 0) << error_.message;
  EXPECT_THAT(out, ElementsAre(2, 4, 6));
  EXPECT_EQ(form, "scale(float32[1], 2) -> float32[1]");
  ASSERT_EQ(run("any", out), 0) << error_.message;
  EXPECT_THAT(out, ElementsAre(2, 4, 6));
}

TEST_F(RunHost, results_have_any_size_in_a_chain) {
  for (const int64_t size : {2, 0, 5}) {
    give([size](const sunmao_host_call& call) {
      auto* out = new Output(kFloat, {size});
      out->data.assign(out->data.size(), 7);
      call.outputs[0] = &out->tensor;
      return 0;
    });
    std::vector<float> out;
    ASSERT_EQ(run("any", out), 0) << error_.message;
    EXPECT_EQ(out, std::vector<float>(static_cast<size_t>(size), 7));
  }
  EXPECT_EQ(error_of("twice"),
            "E0923 function `twice`: result 0 of the host's function `scale` has 5 elements along axis 0, expected 3");
}

TEST_F(RunHost, strided_results_are_gathered) {
  give([](const sunmao_host_call& call) {
    auto* out = new Output(kFloat, {3});
    static int64_t two = 2;
    out->tensor.dl_tensor.strides = &two;
    for (size_t i = 0; i < 6; ++i) out->data[i] = static_cast<float>(i);
    call.outputs[0] = &out->tensor;
    return 0;
  });
  std::vector<float> out;
  ASSERT_EQ(run("twice", out), 0) << error_.message;
  EXPECT_THAT(out, ElementsAre(0, 2, 4));
}

TEST_F(RunHost, E0924_there_is_none) {
  EXPECT_EQ(error_of("twice"), "E0924 function `twice`: it calls `scale`, a function of the host, and there is none");
  EXPECT_EQ(std::string(error_.help),
            "give it to the session: sunmao_register_function(session, \"scale\", ...); it is called as "
            "scale(float32[1], 2) -> float32[1]");
}

TEST_F(RunHost, E0927_forms_that_are_none_of_a_kernel) {
  const sunmao_op kernel = [](void*, const sunmao_op_call*) { return 0; };
  EXPECT_NE(sunmao_register_op(session_.get(), "scale", kernel, nullptr, &error_), 0);
  EXPECT_EQ(std::string(error_.code) + " " + error_.message,
            "E0927 the model calls `scale` in a form that is none of a kernel: scale(float32[1], 2) -> float32[1]");
  EXPECT_EQ(std::string(error_.help), "register it by sunmao_register_function, as a function that makes its results");
}

TEST_F(RunHost, E0923_results_that_do_not_fit) {
  const auto with = [&](DLDataType type, const std::vector<int64_t>& shape, const auto& change) {
    give([=](const sunmao_host_call& call) {
      auto* out = new Output(type, shape);
      change(out->tensor.dl_tensor);
      call.outputs[0] = &out->tensor;
      return 0;
    });
    return error_of("twice");
  };
  const auto nothing = [](DLTensor&) {};
  const std::string result = "E0923 function `twice`: result 0 of the host's function `scale`";
  EXPECT_EQ(with({kDLInt, 32, 1}, {3}, nothing), result + " is int32, expected float32");
  EXPECT_EQ(with(kFloat, {3, 1}, nothing), result + " has rank 2, expected 1");
  EXPECT_EQ(with(kFloat, {-3}, nothing), result + " is no tensor");
  EXPECT_EQ(with(kFloat, {3}, [](DLTensor& t) { t.data = nullptr; }), result + " is no tensor");
  EXPECT_EQ(with(kFloat, {3}, [](DLTensor& t) { t.device = {kDLCUDA, 0}; }),
            result + " is not in the memory of the CPU");
  give([](const sunmao_host_call&) { return 0; });
  EXPECT_EQ(error_of("twice"), result + " is missing");
}

TEST_F(RunHost, E0923_failures_say_why) {
  give([](const sunmao_host_call& call) {
    call.outputs[0] = &(new Output(kFloat, {3}))->tensor;
    std::snprintf(call.error->message, sizeof(call.error->message), "no data today");
    return 1;
  });
  EXPECT_EQ(error_of("any"), "E0923 function `any`: the host's function `scale` failed: no data today");
  give([](const sunmao_host_call& call) {
    std::memset(call.error->message, 'x', sizeof(call.error->message));
    std::memset(call.error->help, 'y', sizeof(call.error->help));
    return 1;
  });
  EXPECT_THAT(error_of("any"), HasSubstr("the host's function `scale` failed: xxx"));
  EXPECT_THAT(std::string(error_.help), ::testing::StartsWith("yyy"));
  give(double_all);
  std::vector<float> out;
  EXPECT_EQ(run("any", out), 0) << "the session goes on";
}

TEST_F(RunHost, a_function_cannot_run_its_own_session) {
  give([&](const sunmao_host_call& call) {
    sunmao_error inner = {};
    const DLTensor input = x_.tensor();
    DLTensor output = {};
    EXPECT_NE(sunmao_run(session_.get(), "swap", &input, 1, &output, 1, &inner), 0);
    EXPECT_STREQ(inner.code, "E0916");
    return double_all(call);
  });
  std::vector<float> out;
  EXPECT_EQ(run("twice", out), 0) << error_.message;
}

TEST_F(RunHost, eight_sessions_have_functions_of_their_own) {
  std::vector<std::thread> threads;
  std::vector<int> failures(8);
  for (size_t i = 0; i < failures.size(); ++i)
    threads.emplace_back([&, i] {
      const SessionHandle session = open(model_);
      Function add = [i](const sunmao_host_call& call) {
        auto* out = new Output(kFloat, {3});
        for (size_t k = 0; k < 3; ++k) out->data[k] = values(call.inputs[0])[k] + static_cast<float>(i);
        call.outputs[0] = &out->tensor;
        return 0;
      };
      const auto call = [](void* data, const sunmao_host_call* c) { return (*static_cast<Function*>(data))(*c); };
      failures[i] += sunmao_register_function(session.get(), "scale", call, &add, nullptr);
      const DLTensor input = x_.tensor();
      for (int round = 0; round < 50; ++round)
        for (const char* function : {"twice", "any"}) {
          DLTensor output = {};
          failures[i] += sunmao_run(session.get(), function, &input, 1, &output, 1, nullptr);
          if (values(output)[2] != 3 + static_cast<float>(i)) ++failures[i];
        }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(failures, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
}

TEST_F(RunHost, arguments_of_registration_are_checked) {
  const auto call = [](void*, const sunmao_host_call*) { return 0; };
  EXPECT_NE(sunmao_register_function(session_.get(), "other", call, nullptr, &error_), 0);
  EXPECT_STREQ(error_.code, "E0901");
  EXPECT_STREQ(error_.message, "the model calls no function `other` of the host");
  EXPECT_STREQ(error_.help, "it calls `scale`");
  EXPECT_NE(sunmao_register_function(session_.get(), "scale", nullptr, nullptr, &error_), 0);
  EXPECT_NE(sunmao_register_function(session_.get(), nullptr, call, nullptr, &error_), 0);
  EXPECT_NE(sunmao_register_function(nullptr, "scale", call, nullptr, &error_), 0);
  EXPECT_STREQ(error_.code, "E0900");
}

class RunSwap : public RunHost {
 protected:
  std::string run_swap(std::vector<int64_t> sizes, std::vector<int64_t> shape = {2}) {
    DLTensor input = {
        sizes.data(), {kDLCPU, 0}, static_cast<int32_t>(shape.size()), {kDLInt, 64, 1}, shape.data(), nullptr, 0};
    DLTensor output = {};
    if (sunmao_run(session_.get(), "swap", &input, 1, &output, 1, &error_))
      return std::string(error_.code) + " " + error_.message;
    const auto* data = static_cast<const int64_t*>(output.data);
    return std::to_string(data[0]) + " " + std::to_string(data[1]);
  }
};

TEST_F(RunSwap, sizes_are_passed_and_given) {
  EXPECT_EQ(run_swap({4, 7}), "7 4");
  EXPECT_EQ(run_swap({0, 1}), "1 0");
  sunmao_value_info info;
  ASSERT_EQ(sunmao_input_info(model_.get(), 2, 0, &info), 0);
  EXPECT_STREQ(info.dtype_name, "int64");
  ASSERT_EQ(info.ndim, 1);
  EXPECT_EQ(info.dims[0].size, 2);
  const sunmao_dim* told = nullptr;
  ASSERT_EQ(sunmao_input_sizes(model_.get(), 2, 0, &told), 2u);
  EXPECT_STREQ(told[1].symbol, "b");
  EXPECT_EQ(sunmao_input_sizes(model_.get(), 0, 0, &told), 0u) << "a tensor";
  EXPECT_EQ(sunmao_input_sizes(model_.get(), 2, 1, &told), 0u);
  EXPECT_EQ(sunmao_input_sizes(nullptr, 2, 0, &told), 0u);
  const std::vector<int64_t> sizes = {4, 7};
  sunmao_memory_info memory;
  EXPECT_EQ(sunmao_function_memory(model_.get(), 2, sizes.data(), 2, &memory, &error_), 0) << error_.message;
}

TEST_F(RunSwap, E0904_and_E0911_sizes_that_are_none) {
  EXPECT_EQ(run_swap({4, 7, 1}, {3}), "E0904 function `swap`: input `s` holds 3 sizes, expected 2");
  EXPECT_EQ(run_swap({4, 7}, {1, 2}), "E0904 function `swap`: input `s` has rank 2, expected 1");
  EXPECT_EQ(run_swap({4, -7}), "E0911 function `swap`: input `s` holds the size -7");
}

}  // namespace
}  // namespace sunmao::runtime::testing
