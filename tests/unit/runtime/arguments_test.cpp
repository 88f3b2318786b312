// Invalid arguments of a call: error codes and messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/runtime/handles.h"

namespace sunmao::runtime::testing {
namespace {

using ::testing::HasSubstr;

class Arguments : public ::testing::Test {
 protected:
  const std::string artifact_ = make_artifact();
  sunmao_error error_ = {};
  const ModelHandle model_ = load(artifact_, &error_);
  const SessionHandle session_ = open(model_);

  /// Runs, expects failure, and returns the error code.
  std::string fail(const char* function, std::vector<DLTensor> inputs, std::vector<DLTensor> outputs) {
    const int status =
        sunmao_run(session_.get(), function, inputs.data(), inputs.size(), outputs.data(), outputs.size(), &error_);
    EXPECT_NE(status, 0);
    return error_.code;
  }
};

TEST_F(Arguments, E0900_null_pointers) {
  DLTensor output = {};
  EXPECT_NE(sunmao_run(nullptr, "main", nullptr, 0, &output, 1, &error_), 0);
  EXPECT_STREQ(error_.code, "E0900");
  EXPECT_NE(sunmao_run(session_.get(), "main", nullptr, 1, &output, 1, nullptr), 0);
  EXPECT_NE(sunmao_run_managed(session_.get(), "main", nullptr, 0, nullptr, 1, &error_), 0);
  EXPECT_STREQ(error_.code, "E0900");
  EXPECT_NE(sunmao_load(nullptr, nullptr, nullptr, &error_), 0);
  sunmao_model* model = nullptr;
  EXPECT_NE(sunmao_load(nullptr, nullptr, &model, &error_), 0);
  EXPECT_NE(sunmao_load_memory(nullptr, 0, nullptr, &model, &error_), 0);
  sunmao_session* session = nullptr;
  EXPECT_NE(sunmao_session_create(nullptr, &session, &error_), 0);
  EXPECT_STREQ(error_.code, "E0900");
  sunmao_load_options options = {};
  EXPECT_NE(sunmao_load_memory(artifact_.data(), artifact_.size(), &options, &model, &error_), 0);
  EXPECT_STREQ(error_.code, "E0900");
  EXPECT_THAT(error_.message, HasSubstr("struct_size"));
  sunmao_model_free(nullptr);
  sunmao_session_free(nullptr);
  sunmao_string_free(nullptr);
}

TEST_F(Arguments, E0901_no_such_function) {
  EXPECT_EQ(fail("mane", {}, {}), "E0901");
  EXPECT_THAT(error_.message, HasSubstr("`mane`"));
  EXPECT_THAT(error_.help, HasSubstr("`main`, `choose`"));
}

TEST_F(Arguments, E0902_counts) {
  Floats x({1, 3});
  EXPECT_EQ(fail("main", {}, {{}, {}}), "E0902");
  EXPECT_THAT(error_.message, HasSubstr("0 inputs given, expected 1"));
  EXPECT_EQ(fail("main", {x.tensor(), x.tensor()}, {{}, {}}), "E0902");
  EXPECT_THAT(error_.help, HasSubstr("`x`"));
  EXPECT_EQ(fail("main", {x.tensor()}, {{}}), "E0902");
  EXPECT_THAT(error_.message, HasSubstr("1 outputs given, expected 2"));
}

TEST_F(Arguments, E0903_dtype) {
  Floats x({1, 3});
  DLTensor t = x.tensor();
  t.dtype = {kDLInt, 64, 1};
  EXPECT_EQ(fail("main", {t}, {{}, {}}), "E0903");
  EXPECT_THAT(error_.message, HasSubstr("function `main`: input `x` is int64, expected float32"));
}

TEST_F(Arguments, E0904_rank) {
  Floats x({3});
  EXPECT_EQ(fail("main", {x.tensor()}, {{}, {}}), "E0904");
  EXPECT_THAT(error_.message, HasSubstr("input `x` has rank 1, expected 2"));
}

TEST_F(Arguments, E0905_sizes) {
  Floats x({2, 4});
  EXPECT_EQ(fail("main", {x.tensor()}, {{}, {}}), "E0905");
  EXPECT_THAT(error_.message, HasSubstr("function `main`: input `x` has 4 on axis 1, expected 3"));
  EXPECT_THAT(error_.help, HasSubstr("float32 (n, 3)"));
  Floats a({2, 2});
  Floats b({5, 2});
  EXPECT_EQ(fail("pair", {a.tensor(), b.tensor()}, {{}}), "E0905");
  EXPECT_THAT(error_.message, HasSubstr("input `b` has 5 on axis 0, expected `n` = 2 (axis 0 of `a`)"));
}

TEST_F(Arguments, E0906_batch_outside_its_range) {
  for (const int64_t n : {int64_t{0}, int64_t{65}}) {
    Floats x({n, 3});
    EXPECT_EQ(fail("main", {x.tensor()}, {{}, {}}), "E0906");
    EXPECT_THAT(error_.message, HasSubstr("dimension `n` (axis 0 of `x`) is " + std::to_string(n)));
    EXPECT_THAT(error_.message, HasSubstr("expected 1 to 64"));
  }
}

TEST_F(Arguments, E0907_device) {
  Floats x({1, 3});
  DLTensor t = x.tensor();
  t.device = {kDLCUDA, 0};
  EXPECT_EQ(fail("main", {t}, {{}, {}}), "E0907");
}

TEST_F(Arguments, E0908_what_is_no_tensor) {
  Floats x({1, 3});
  DLTensor t = x.tensor();
  t.data = nullptr;
  EXPECT_EQ(fail("main", {t}, {{}, {}}), "E0908");
  EXPECT_THAT(error_.message, HasSubstr("NULL"));
  t = x.tensor();
  t.shape = nullptr;
  EXPECT_EQ(fail("main", {t}, {{}, {}}), "E0908");
  t = x.tensor();
  t.ndim = -1;
  EXPECT_EQ(fail("main", {t}, {{}, {}}), "E0908");
  t = x.tensor();
  int64_t negative[] = {-1, 3};
  t.shape = negative;
  EXPECT_EQ(fail("main", {t}, {{}, {}}), "E0908");
  int64_t huge[] = {INT64_MAX, 3};
  t.shape = huge;
  EXPECT_EQ(fail("main", {t}, {{}, {}}), "E0908");
}

TEST_F(Arguments, E0909_outputs_that_do_not_fit) {
  Floats x({2, 3});
  Floats wide({3, 3});
  EXPECT_EQ(fail("main", {x.tensor()}, {wide.tensor(), {}}), "E0909");
  EXPECT_THAT(error_.message, HasSubstr("output 0 `squares` has room for (3, 3), expected (2, 3)"));
  Floats y({2, 3});
  DLTensor t = y.tensor();
  t.dtype = {kDLFloat, 64, 1};
  EXPECT_EQ(fail("main", {x.tensor()}, {t, {}}), "E0909");
  t = y.tensor();
  int64_t strides[] = {1, 2};
  t.strides = strides;
  EXPECT_EQ(fail("main", {x.tensor()}, {t, {}}), "E0909");
  t = y.tensor();
  t.byte_offset = 1;
  EXPECT_EQ(fail("main", {x.tensor()}, {t, {}}), "E0909");
  t = y.tensor();
  t.device = {kDLCUDA, 0};
  EXPECT_EQ(fail("main", {x.tensor()}, {t, {}}), "E0909");
}

TEST_F(Arguments, E0905_sizes_that_the_model_compares) {
  Floats a({2, 2});
  Floats b({2, 3});
  EXPECT_EQ(fail("pair", {a.tensor(), b.tensor()}, {{}}), "E0905");
  EXPECT_THAT(error_.message, HasSubstr("function `pair`: m == 2, got 3 (axis 1 of `b`) and 2"));
}

TEST_F(Arguments, errors_are_optional_and_cut_to_fit) {
  const std::string name(5000, 'x');
  EXPECT_NE(sunmao_run(session_.get(), name.c_str(), nullptr, 0, nullptr, 0, nullptr), 0);
  EXPECT_EQ(fail(name.c_str(), {}, {}), "E0901");
  EXPECT_LT(std::strlen(error_.message), sizeof(error_.message));
}

TEST_F(Arguments, signatures) {
  EXPECT_EQ(sunmao_function_count(model_.get()), 6u);
  EXPECT_STREQ(sunmao_function_name(model_.get(), 0), "main");
  EXPECT_EQ(sunmao_function_name(model_.get(), 6), nullptr);
  EXPECT_EQ(sunmao_find_function(model_.get(), "choose"), 1);
  EXPECT_EQ(sunmao_find_function(model_.get(), "none"), -1);
  EXPECT_EQ(sunmao_input_count(model_.get(), 0), 1u);  // the other parameter is bound to a weight
  EXPECT_EQ(sunmao_output_count(model_.get(), 0), 2u);
  sunmao_value_info info = {};
  ASSERT_EQ(sunmao_input_info(model_.get(), 0, 0, &info), 0);
  EXPECT_STREQ(info.name, "x");
  EXPECT_STREQ(info.dtype_name, "float32");
  ASSERT_EQ(info.ndim, 2);
  EXPECT_STREQ(info.dims[0].symbol, "n");
  EXPECT_EQ(info.dims[0].size, -1);
  EXPECT_EQ(info.dims[0].minimum, 1);
  EXPECT_EQ(info.dims[0].maximum, 64);
  EXPECT_EQ(info.dims[1].symbol, nullptr);
  EXPECT_EQ(info.dims[1].size, 3);
  ASSERT_EQ(sunmao_output_info(model_.get(), 0, 1, &info), 0);
  EXPECT_STREQ(info.name, "sums");
  EXPECT_EQ(info.dims[0].maximum, 64);
  EXPECT_NE(sunmao_output_info(model_.get(), 0, 2, &info), 0);
  EXPECT_NE(sunmao_input_info(model_.get(), 9, 0, &info), 0);
}

TEST_F(Arguments, disassembly) {
  char* text = nullptr;
  ASSERT_EQ(sunmao_model_disassemble(model_.get(), &text, &error_), 0);
  const std::string all = text;
  sunmao_string_free(text);
  EXPECT_THAT(all, HasSubstr("function `main`"));
  EXPECT_THAT(all, HasSubstr("param p0 `x`: float32 (n, 3)"));
  EXPECT_THAT(all, HasSubstr("param p1 `row`: float32 (3) = w0"));
  EXPECT_THAT(all, HasSubstr("GuardRange d0, 1, 64, `n`"));
  EXPECT_THAT(all, HasSubstr("Call k0 `add_row`, [t0, t1, t2], [d0, d1]"));
  const std::vector<uint8_t> program = tiny_program();
  ASSERT_EQ(sunmao_program_disassemble(program.data(), program.size(), &text, &error_), 0);
  EXPECT_EQ(all, text);
  sunmao_string_free(text);
  EXPECT_NE(sunmao_program_disassemble(program.data(), 10, &text, &error_), 0);
  EXPECT_EQ(text, nullptr);
}

}  // namespace
}  // namespace sunmao::runtime::testing
