// The exact messages of calls that fail.
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/runtime/handles.h"
#include "tests/unit/runtime/host_program.h"
#include "tests/unit/runtime/whole_message.h"

namespace sunmao::runtime::testing {
namespace {

using Call = std::function<int(sunmao_error&)>;
struct Failure {
  const char* message;
  Call call;
};

void expect_messages(const std::vector<Failure>& all) {
  for (const Failure& failure : all) {
    sunmao_error error = {};
    EXPECT_NE(failure.call(error), 0) << failure.message;
    EXPECT_EQ(whole(error), failure.message);
  }
}

class CallMessages : public ::testing::Test {
 protected:
  /// Returns a run of `function` with one input and two outputs, or `outputs` of them.
  Call run(const char* function, const DLTensor& input, size_t outputs = 2) {
    return [this, function, input, outputs](sunmao_error& error) {
      DLTensor made[2] = {};
      return sunmao_run(session_.get(), function, &input, 1, made, outputs, &error);
    };
  }
  /// The same of `main` with this memory for its outputs.
  Call run_into(const DLTensor& squares, const DLTensor& sums = {}) {
    return [this, squares, sums](sunmao_error& error) {
      const DLTensor input = x_.tensor();
      DLTensor outputs[] = {squares, sums};
      return sunmao_run(session_.get(), "main", &input, 1, outputs, 2, &error);
    };
  }
  DLTensor with(const std::function<void(DLTensor&)>& change) {
    DLTensor tensor = x_.tensor();
    change(tensor);
    return tensor;
  }

  const std::string artifact_ = make_artifact();
  const ModelHandle model_ = load(artifact_);
  const SessionHandle session_ = open(model_);
  Floats x_{{2, 3}, {1, 2, 3, 4, 5, 6}};
  int64_t negative_[2] = {-1, 3}, huge_[2] = {INT64_MAX, 3}, row_[1] = {3}, columns_[2] = {1, 2};
};

TEST_F(CallMessages, E0900_pointers_that_are_null) {
  sunmao_model* model = nullptr;
  sunmao_session* session = nullptr;
  char* text = nullptr;
  sunmao_memory_info memory = {};
  const auto call = [](void*, const sunmao_host_call*) { return 0; };
  expect_messages({
      {"E0900 `sunmao_load`: `model` is NULL", [&](auto& e) { return sunmao_load("x", nullptr, nullptr, &e); }},
      {"E0900 `sunmao_load`: `path` is NULL", [&](auto& e) { return sunmao_load(nullptr, nullptr, &model, &e); }},
      {"E0900 `sunmao_load_memory`: `model` is NULL",
       [&](auto& e) { return sunmao_load_memory("x", 1, nullptr, nullptr, &e); }},
      {"E0900 `sunmao_load_memory`: `data` is NULL",
       [&](auto& e) { return sunmao_load_memory(nullptr, 1, nullptr, &model, &e); }},
      {"E0900 `sunmao_model_write_weights`: `model` is NULL",
       [&](auto& e) { return sunmao_model_write_weights(nullptr, "x", &e); }},
      {"E0900 `sunmao_model_write_weights`: `path` is NULL",
       [&](auto& e) { return sunmao_model_write_weights(model_.get(), nullptr, &e); }},
      {"E0900 `sunmao_session_create`: `session` is NULL",
       [&](auto& e) { return sunmao_session_create(model_.get(), nullptr, &e); }},
      {"E0900 `sunmao_session_create`: `model` is NULL",
       [&](auto& e) { return sunmao_session_create(nullptr, &session, &e); }},
      {"E0900 `sunmao_session_set_stop`: `session` is NULL",
       [&](auto& e) { return sunmao_session_set_stop(nullptr, nullptr, nullptr, &e); }},
      {"E0900 `sunmao_register_function`: `session` is NULL",
       [&](auto& e) { return sunmao_register_function(nullptr, "f", call, nullptr, &e); }},
      {"E0900 `sunmao_register_function`: `name` is NULL",
       [&](auto& e) { return sunmao_register_function(session_.get(), nullptr, call, nullptr, &e); }},
      {"E0900 `sunmao_register_function`: `function` is NULL",
       [&](auto& e) { return sunmao_register_function(session_.get(), "f", nullptr, nullptr, &e); }},
      {"E0900 `sunmao_run`: `session` is NULL",
       [&](auto& e) { return sunmao_run(nullptr, nullptr, nullptr, 0, nullptr, 0, &e); }},
      {"E0900 `sunmao_run`: `inputs` is NULL",
       [&](auto& e) { return sunmao_run(session_.get(), nullptr, nullptr, 1, nullptr, 0, &e); }},
      {"E0900 `sunmao_run_managed`: `outputs` is NULL",
       [&](auto& e) { return sunmao_run_managed(session_.get(), nullptr, nullptr, 0, nullptr, 1, &e); }},
      {"E0900 `sunmao_run_kernel`: `session` is NULL",
       [&](auto& e) { return sunmao_run_kernel(nullptr, 0, nullptr, 0, nullptr, 0, &e); }},
      {"E0900 `sunmao_run_kernel`: `buffers` is NULL",
       [&](auto& e) { return sunmao_run_kernel(session_.get(), 0, nullptr, 1, nullptr, 0, &e); }},
      {"E0900 `sunmao_run_kernel`: `dims` is NULL",
       [&](auto& e) { return sunmao_run_kernel(session_.get(), 0, nullptr, 0, nullptr, 1, &e); }},
      {"E0900 `sunmao_model_disassemble`: `text` is NULL",
       [&](auto& e) { return sunmao_model_disassemble(model_.get(), nullptr, &e); }},
      {"E0900 `sunmao_model_disassemble`: `model` is NULL",
       [&](auto& e) { return sunmao_model_disassemble(nullptr, &text, &e); }},
      {"E0900 `sunmao_program_disassemble`: `program` is NULL",
       [&](auto& e) { return sunmao_program_disassemble(nullptr, 1, &text, &e); }},
      {"E0900 `sunmao_function_memory`: `info` is NULL",
       [&](auto& e) { return sunmao_function_memory(model_.get(), 0, nullptr, 0, nullptr, &e); }},
      {"E0900 `sunmao_function_memory`: `model` is NULL",
       [&](auto& e) { return sunmao_function_memory(nullptr, 0, nullptr, 0, &memory, &e); }},
      {"E0900 `sunmao_function_memory`: `sizes` is NULL",
       [&](auto& e) { return sunmao_function_memory(model_.get(), 0, nullptr, 1, &memory, &e); }},
      {"E0900 `sunmao_function_memory_formula`: `text` is NULL",
       [&](auto& e) { return sunmao_function_memory_formula(model_.get(), 0, nullptr, &e); }},
      {"E0900 `sunmao_function_memory_formula`: `model` is NULL",
       [&](auto& e) { return sunmao_function_memory_formula(nullptr, 0, &text, &e); }},
      {"E0900 `sunmao_profile_start`: `session` is NULL",
       [&](auto& e) { return sunmao_profile_start(nullptr, nullptr, &e); }},
      {"E0900 `sunmao_profile_stop`: `session` is NULL", [&](auto& e) { return sunmao_profile_stop(nullptr, &e); }},
  });
}

TEST_F(CallMessages, E0900_options_of_no_size) {
  const sunmao_load_options load_options = {};
  const sunmao_profile_options profile_options = {};
  sunmao_model* model = nullptr;
  expect_messages({
      {"E0900 `sunmao_load_options`: `struct_size` is 0; begin with SUNMAO_LOAD_OPTIONS_INIT",
       [&](auto& e) { return sunmao_load("x", &load_options, &model, &e); }},
      {"E0900 `sunmao_profile_options`: `struct_size` is 0; begin with SUNMAO_PROFILE_OPTIONS_INIT",
       [&](auto& e) { return sunmao_profile_start(session_.get(), &profile_options, &e); }},
  });
}

TEST_F(CallMessages, E0901_and_E0902_names_and_counts) {
  sunmao_memory_info memory = {};
  const auto call = [](void*, const sunmao_host_call*) { return 0; };
  const int64_t size = 2;
  expect_messages({
      {"E0901 the model has no function `mane`; it has `main`, `choose`, `pair`, `refuse`, `walk`, `climb`",
       run("mane", x_.tensor())},
      {"E0901 the model has no kernel -1: there are 4",
       [&](auto& e) { return sunmao_run_kernel(session_.get(), -1, nullptr, 0, nullptr, 0, &e); }},
      {"E0901 there is no function 6",
       [&](auto& e) { return sunmao_function_memory(model_.get(), 6, nullptr, 0, &memory, &e); }},
      {"E0901 the model calls no function `f` of the host; it calls none",
       [&](auto& e) { return sunmao_register_function(session_.get(), "f", call, nullptr, &e); }},
      {"E0902 function `main`: 0 inputs given, expected 1; they are `x`",
       [&](auto& e) { return sunmao_run(session_.get(), "main", nullptr, 0, nullptr, 0, &e); }},
      {"E0902 function `main`: 1 outputs given, expected 2; they are `squares`, `sums`", run("main", x_.tensor(), 1)},
      {"E0902 kernel `add_row`: 0 buffers and 0 dims given, expected 3 and 2",
       [&](auto& e) { return sunmao_run_kernel(session_.get(), 0, nullptr, 0, nullptr, 0, &e); }},
      {"E0902 function `main`: 1 sizes given, expected 2",
       [&](auto& e) { return sunmao_function_memory(model_.get(), 0, &size, 1, &memory, &e); }},
  });
}

TEST_F(CallMessages, inputs) {
  expect_messages({
      {"E0903 function `main`: input `x` is int8, expected float32; convert it to float32 before the call",
       run("main", with([](auto& t) { t.dtype = {kDLInt, 8, 1}; }))},
      {"E0904 function `main`: input `x` has rank 1, expected 2; the shape given is (3)",
       run("main", with([&](auto& t) {
             t.ndim = 1;
             t.shape = row_;
           }))},
      {"E0907 function `main`: input `x` is on a device of kind 2, expected the CPU (kind 1); copy it to the memory of "
       "the CPU before the call",
       run("main", with([](auto& t) { t.device = {kDLCUDA, 0}; }))},
      {"E0908 function `main`: input `x` has no data: its pointer is NULL",
       run("main", with([](auto& t) { t.data = nullptr; }))},
      {"E0908 function `main`: input `x` is no tensor: ndim is 2 and `shape` is NULL",
       run("main", with([](auto& t) { t.shape = nullptr; }))},
      {"E0908 function `main`: input `x` is no tensor: ndim is -1", run("main", with([](auto& t) { t.ndim = -1; }))},
      {"E0908 function `main`: input `x` has the shape (-1, 3), which is none",
       run("main", with([&](auto& t) { t.shape = negative_; }))},
      {"E0908 function `main`: input `x` has the shape (9223372036854775807, 3), which is none",
       run("main", with([&](auto& t) { t.shape = huge_; }))},
  });
}

TEST_F(CallMessages, outputs) {
  Floats y({2, 3});
  const auto of_y = [&](const std::function<void(DLTensor&)>& change) {
    DLTensor tensor = y.tensor();
    change(tensor);
    return run_into(tensor);
  };
  expect_messages({
      {"E0909 function `main`: output 0 `squares` has room for (3), expected (2, 3); give memory that fits, or a NULL "
       "`data` pointer to get memory of the session",
       of_y([&](auto& t) {
         t.ndim = 1;
         t.shape = row_;
       })},
      {"E0909 function `main`: output 0 `squares` is no tensor: ndim is -1 or `shape` is NULL; give memory that fits, "
       "or a NULL `data` pointer to get memory of the session",
       of_y([](auto& t) { t.ndim = -1; })},
      {"E0909 function `main`: output 0 `squares` is float64, expected float32; give memory that fits, or a NULL "
       "`data` pointer to get memory of the session",
       of_y([](auto& t) { t.dtype = {kDLFloat, 64, 1}; })},
      {"E0909 function `main`: output 0 `squares` is not in the memory of the CPU; give memory that fits, or a NULL "
       "`data` pointer to get memory of the session",
       of_y([](auto& t) { t.device = {kDLCUDA, 0}; })},
      {"E0909 function `main`: output 0 `squares` is not contiguous; give memory that fits, or a NULL `data` pointer "
       "to get memory of the session",
       of_y([&](auto& t) { t.strides = columns_; })},
      {"E0909 function `main`: output 0 `squares` is not aligned to 4 bytes; give memory that fits, or a NULL `data` "
       "pointer to get memory of the session",
       of_y([](auto& t) { t.byte_offset = 1; })},
      {"E0915 function `main`: output 1 `sums` shares memory with output 0; give each output memory of its own",
       run_into(y.tensor(), y.tensor())},
  });
}

TEST_F(CallMessages, kernels_that_fail_and_runs_that_are_stopped) {
  const int64_t dims[] = {13};
  Floats thirteen({13}), row({3}, {-1, 0, 0}), first({1, 3}, {1e6, 0, 0});
  const auto call = [&](const char* function) {
    return [&, function](sunmao_error& error) {
      const DLTensor inputs[] = {first.tensor(), row.tensor()};
      DLTensor output = {};
      return sunmao_run(session_.get(), function, inputs, 2, &output, 1, &error);
    };
  };
  expect_messages({
      {"E0913 function `refuse`: kernel `refuse_thirteen` failed with status 1: thirteen rows are too many",
       run("refuse", thirteen.tensor(), 1)},
      {"E0913 kernel `refuse_thirteen` failed with status 1: thirteen rows are too many",
       [&](auto& e) { return sunmao_run_kernel(session_.get(), 2, nullptr, 0, dims, 1, &e); }},
      {"E0921 function `climb_on`: 50000 calls are nested; the recursion does not end, or should end with the call of "
       "itself, as a loop",
       call("climb")},
  });
  std::string inner;
  std::function<int()> question = [&] {
    sunmao_error error = {};
    sunmao_profile_stop(session_.get(), &error);
    inner = whole(error);
    return 1;
  };
  const auto ask = [](void* data) { return (*static_cast<std::function<int()>*>(data))(); };
  ASSERT_EQ(sunmao_session_set_stop(session_.get(), ask, &question, nullptr), 0);
  expect_messages(
      {{"E0922 function `walk`: the run was stopped; the program that runs the model asked for it", call("walk")}});
  EXPECT_EQ(inner, "E0916 this session is running already; use one session for each concurrent caller");
}

TEST_F(CallMessages, E0914_models_without_code) {
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.without_code = 1;
  const std::string artifact = make_artifact({.weights = {}});
  const ModelHandle model = load(artifact, nullptr, &options);
  sunmao_session* session = nullptr;
  expect_messages({
      {"E0914 this model was loaded without code and cannot run; load it again without the option `without_code`",
       [&](auto& e) { return sunmao_session_create(model.get(), &session, &e); }},
      {"E0914 this model was loaded without code and cannot prepare its weights; load it again without the option "
       "`without_code`",
       [&](auto& e) { return sunmao_model_write_weights(model.get(), "/tmp/none", &e); }},
  });
}

}  // namespace
}  // namespace sunmao::runtime::testing
