// Runs of a loaded model: results, output memory, and state kept between runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <thread>

#include "tests/unit/runtime/handles.h"

namespace sunmao::runtime::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Run : public ::testing::Test {
 protected:
  const std::string artifact_ = make_artifact();
  sunmao_error error_ = {};
  const ModelHandle model_ = load(artifact_, &error_);
  const SessionHandle session_ = open(model_);

  int run(const char* function, std::vector<DLTensor> inputs, std::vector<DLTensor>& outputs) {
    return sunmao_run(session_.get(), function, inputs.data(), inputs.size(), outputs.data(), outputs.size(), &error_);
  }
};

TEST_F(Run, fills_in_outputs_without_data) {
  ASSERT_TRUE(model_) << error_.message;
  Floats x({2, 3}, {1, 2, 3, -4, -5, -6});
  std::vector<DLTensor> outputs(2);
  ASSERT_EQ(run("main", {x.tensor()}, outputs), 0) << error_.message;
  EXPECT_THAT(values(outputs[0]), ElementsAre(121, 484, 1089, 36, 225, 576));
  EXPECT_THAT(values(outputs[1]), ElementsAre(11, 22, 33, 6, 15, 24));
  EXPECT_EQ(outputs[0].ndim, 2);
  EXPECT_EQ(outputs[0].shape[0], 2);
  EXPECT_EQ(outputs[0].dtype.bits, 32);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(outputs[0].data) % 64, 0u);
  EXPECT_STREQ(error_.code, "");
}

TEST_F(Run, null_function_is_main) {
  Floats x({1, 3});
  std::vector<DLTensor> outputs(2);
  ASSERT_EQ(run(nullptr, {x.tensor()}, outputs), 0) << error_.message;
  EXPECT_THAT(values(outputs[1]), ElementsAre(10, 20, 30));
}

TEST_F(Run, writes_into_the_callers_memory) {
  Floats x({2, 3}, {1, 2, 3, 4, 5, 6});
  Floats squares({2, 3});
  std::vector<DLTensor> outputs = {squares.tensor(), {}};
  ASSERT_EQ(run("main", {x.tensor()}, outputs), 0) << error_.message;
  EXPECT_EQ(outputs[0].data, squares.data.data());
  EXPECT_THAT(squares.data, ElementsAre(121, 484, 1089, 196, 625, 1296));
}

TEST_F(Run, takes_every_batch_of_the_range) {
  for (int64_t n = 1; n <= 64; ++n) {
    Floats x({n, 3});
    std::vector<DLTensor> outputs(2);
    ASSERT_EQ(run("main", {x.tensor()}, outputs), 0) << error_.message;
    ASSERT_EQ(values(outputs[1]).size(), static_cast<size_t>(3 * n));
    EXPECT_EQ(values(outputs[0]).back(), 900);
  }
}

TEST_F(Run, both_branches) {
  std::vector<DLTensor> outputs(1);
  Floats positive({2, 2}, {1, 2, 3, 4});
  ASSERT_EQ(run("choose", {positive.tensor()}, outputs), 0) << error_.message;
  EXPECT_THAT(values(outputs[0]), ElementsAre(1, 2, 3, 4));
  outputs[0] = {};
  Floats negative({2, 2}, {-1, 2, 3, 4});
  ASSERT_EQ(run("choose", {negative.tensor()}, outputs), 0) << error_.message;
  EXPECT_THAT(values(outputs[0]), ElementsAre(1, 4, 9, 16));
}

TEST_F(Run, strides_are_followed) {
  Floats x({3, 2}, {1, 4, 2, 5, 3, 6});  // the transpose of (2, 3)
  DLTensor t = x.tensor();
  int64_t shape[] = {2, 3};
  int64_t strides[] = {1, 2};
  t.shape = shape;
  t.strides = strides;
  std::vector<DLTensor> outputs(2);
  ASSERT_EQ(run("main", {t}, outputs), 0) << error_.message;
  EXPECT_THAT(values(outputs[1]), ElementsAre(11, 22, 33, 14, 25, 36));
}

TEST_F(Run, negative_strides_are_followed) {
  Floats x({2, 3}, {1, 2, 3, 4, 5, 6});
  DLTensor t = x.tensor();
  int64_t strides[] = {-3, 1};
  t.strides = strides;
  t.byte_offset = 12;
  std::vector<DLTensor> outputs(2);
  ASSERT_EQ(run("main", {t}, outputs), 0) << error_.message;
  EXPECT_THAT(values(outputs[1]), ElementsAre(14, 25, 36, 11, 22, 33));
}

TEST_F(Run, unaligned_inputs_are_copied) {
  const float x[] = {1, 2, 3};
  std::vector<char> bytes(16);
  std::memcpy(bytes.data() + 1, x, sizeof(x));
  Floats like({1, 3});
  DLTensor t = like.tensor();
  t.data = bytes.data();
  t.byte_offset = 1;
  std::vector<DLTensor> outputs(2);
  ASSERT_EQ(run("main", {t}, outputs), 0) << error_.message;
  EXPECT_THAT(values(outputs[1]), ElementsAre(11, 22, 33));
}

TEST_F(Run, an_output_may_lie_over_an_input) {
  Floats x({2, 3}, {1, 2, 3, 4, 5, 6});
  std::vector<DLTensor> outputs = {x.tensor(), {}};
  ASSERT_EQ(run("main", {x.tensor()}, outputs), 0) << error_.message;
  EXPECT_THAT(x.data, ElementsAre(121, 484, 1089, 196, 625, 1296));
  EXPECT_THAT(values(outputs[1]), ElementsAre(11, 22, 33, 14, 25, 36));
}

TEST_F(Run, E0915_outputs_that_overlap) {
  Floats x({2, 3});
  Floats y({2, 3});
  std::vector<DLTensor> outputs = {y.tensor(), y.tensor()};
  EXPECT_NE(run("main", {x.tensor()}, outputs), 0);
  EXPECT_STREQ(error_.code, "E0915");
}

TEST_F(Run, empty_tensors) {
  Floats a({0, 2});
  Floats b({0, 2});
  DLTensor none = a.tensor();
  none.data = nullptr;
  std::vector<DLTensor> outputs(1);
  ASSERT_EQ(run("pair", {none, b.tensor()}, outputs), 0) << error_.message;
  EXPECT_EQ(outputs[0].shape[0], 0);
  EXPECT_NE(outputs[0].data, nullptr);
}

TEST_F(Run, managed_outputs_outlive_everything) {
  DLManagedTensor* outputs[2] = {};
  {
    ModelHandle model = load(artifact_);
    SessionHandle session = open(model);
    model.reset();
    Floats x({1, 3}, {1, 2, 3});
    const DLTensor input = x.tensor();
    ASSERT_EQ(sunmao_run_managed(session.get(), "main", &input, 1, outputs, 2, &error_), 0) << error_.message;
  }
  EXPECT_THAT(values(outputs[0]->dl_tensor), ElementsAre(121, 484, 1089));
  EXPECT_THAT(values(outputs[1]->dl_tensor), ElementsAre(11, 22, 33));
  for (DLManagedTensor* output : outputs) output->deleter(output);
}

TEST_F(Run, E0913_a_kernel_that_fails) {
  Floats x({13});
  std::vector<DLTensor> outputs(1);
  EXPECT_NE(run("refuse", {x.tensor()}, outputs), 0);
  EXPECT_STREQ(error_.code, "E0913");
  EXPECT_THAT(error_.message, HasSubstr("thirteen rows are too many"));
  DLManagedTensor* managed = nullptr;
  const DLTensor input = x.tensor();
  EXPECT_NE(sunmao_run_managed(session_.get(), "refuse", &input, 1, &managed, 1, &error_), 0);
  EXPECT_EQ(managed, nullptr);
  Floats good({12}, std::vector<float>(12, 7));
  ASSERT_EQ(run("refuse", {good.tensor()}, outputs), 0) << error_.message;
  EXPECT_EQ(values(outputs[0])[11], 7);
}

TEST_F(Run, the_steady_state_allocates_nothing) {
  Floats small({2, 3});
  Floats large({64, 3});
  const DLTensor inputs[] = {small.tensor(), large.tensor()};
  DLTensor outputs[2] = {};
  const auto run_both = [&] {
    for (const DLTensor& input : inputs) {
      outputs[0].data = outputs[1].data = nullptr;
      ASSERT_EQ(sunmao_run(session_.get(), "main", &input, 1, outputs, 2, &error_), 0);
    }
  };
  for (int i = 0; i < 3; ++i) run_both();
  const size_t before = ::mallinfo2().uordblks;
  const void* const place = outputs[0].data;
  for (int i = 0; i < 100; ++i) run_both();
  EXPECT_EQ(::mallinfo2().uordblks, before);
  EXPECT_EQ(outputs[0].data, place);
}

TEST_F(Run, more_shapes_than_are_kept) {
  for (int round = 0; round < 2; ++round)
    for (int64_t m = 1; m <= 400; ++m) {
      Floats x({1, m}, std::vector<float>(static_cast<size_t>(m), -3));
      std::vector<DLTensor> outputs(1);
      ASSERT_EQ(run("choose", {x.tensor()}, outputs), 0) << error_.message;
      ASSERT_EQ(values(outputs[0]), std::vector<float>(static_cast<size_t>(m), 9));
    }
}

TEST_F(Run, sessions_on_several_threads) {
  std::vector<std::thread> threads;
  std::vector<int> failures(4);
  for (size_t i = 0; i < failures.size(); ++i)
    threads.emplace_back([&, i] {
      const SessionHandle session = open(model_);
      const int64_t n = static_cast<int64_t>(8 * (i + 1));
      for (int round = 0; round < 200; ++round) {
        Floats x({n, 3}, std::vector<float>(static_cast<size_t>(3 * n), static_cast<float>(round)));
        const DLTensor input = x.tensor();
        DLTensor outputs[2] = {};
        if (sunmao_run(session.get(), "main", &input, 1, outputs, 2, nullptr) != 0) ++failures[i];
        const float last = static_cast<float>(round) + 30;
        if (values(outputs[0]).back() != last * last) ++failures[i];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(failures, ElementsAre(0, 0, 0, 0));
}

TEST_F(Run, E0916_one_session_from_two_threads_is_refused_or_right) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        Floats x({64, 3});
        Floats squares({64, 3});
        Floats sums({64, 3});
        const DLTensor input = x.tensor();
        DLTensor outputs[] = {squares.tensor(), sums.tensor()};
        sunmao_error error = {};
        const int status = sunmao_run(session_.get(), "main", &input, 1, outputs, 2, &error);
        if (status == 0 ? squares.data.back() != 900 : std::string(error.code) != "E0916") ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace sunmao::runtime::testing
