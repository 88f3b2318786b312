// Profiles of sessions: what is recorded, read by the C API, and its bounds.
#include "runtime/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/runtime/handles.h"

namespace sunmao::runtime::testing {
namespace {

using ::testing::ElementsAre;

class Profiling : public ::testing::Test {
 protected:
  const std::string artifact_ = make_artifact();
  sunmao_error error_ = {};
  const ModelHandle model_ = load(artifact_, &error_);
  const SessionHandle session_ = open(model_);

  void start(uint64_t max_events = 0) {
    sunmao_profile_options options = SUNMAO_PROFILE_OPTIONS_INIT;
    options.max_events = max_events;
    ASSERT_EQ(sunmao_profile_start(session_.get(), &options, &error_), 0) << error_.message;
  }
  void run(int64_t rows) {
    Floats x({rows, 3});
    std::vector<DLTensor> outputs(2);
    const DLTensor input = x.tensor();
    ASSERT_EQ(sunmao_run(session_.get(), "main", &input, 1, outputs.data(), 2, &error_), 0) << error_.message;
  }
  sunmao_profile_info info() {
    sunmao_profile_info out = {};
    EXPECT_EQ(sunmao_profile_get_info(session_.get(), &out), 0);
    return out;
  }
  sunmao_profile_record record(size_t index) {
    sunmao_profile_record out = {};
    EXPECT_EQ(sunmao_profile_get_record(session_.get(), index, &out), 0);
    return out;
  }
};

std::vector<int64_t> sizes(const sunmao_profile_record& r) { return {r.dims, r.dims + r.dim_count}; }

TEST_F(Profiling, counts_calls_by_place_and_sizes) {
  start();
  run(2);
  run(5);
  run(2);
  EXPECT_EQ(info().runs, 3u);
  ASSERT_EQ(info().record_count, 4u);
  EXPECT_EQ(info().event_count, 0u);
  const sunmao_profile_record first = record(0), second = record(1), larger = record(3);
  EXPECT_STREQ(first.kernel, "add_row");
  EXPECT_STREQ(first.function, "main");
  EXPECT_EQ(first.call, 0u);
  EXPECT_EQ(first.calls, 2u);
  EXPECT_THAT(sizes(first), ElementsAre(2, 3));
  EXPECT_STREQ(second.kernel, "square_rows");
  EXPECT_EQ(second.call, 1u);
  EXPECT_THAT(sizes(larger), ElementsAre(5, 3));
  EXPECT_EQ(larger.calls, 1u);
  for (size_t i = 0; i < 4; ++i) EXPECT_LE(record(i).fastest * record(i).calls, record(i).nanoseconds);
}

TEST_F(Profiling, kernels_take_no_longer_than_the_runs_that_call_them) {
  start();
  for (int i = 0; i < 10; ++i) run(7);
  EXPECT_LE(record(0).nanoseconds + record(1).nanoseconds, info().nanoseconds);
}

TEST_F(Profiling, keeps_events_in_order_up_to_their_limit) {
  start(4);
  run(1);
  run(1);
  EXPECT_EQ(info().event_count, 4u);
  EXPECT_EQ(info().lost_events, 2u);
  std::vector<int64_t> records;
  uint64_t last = 0;
  for (size_t i = 0; i < 4; ++i) {
    sunmao_profile_event event;
    ASSERT_EQ(sunmao_profile_get_event(session_.get(), i, &event), 0);
    records.push_back(event.record);
    const uint64_t end = event.begin + event.nanoseconds;
    EXPECT_LE(last, end);
    last = end;
  }
  EXPECT_THAT(records, ElementsAre(0, 1, -1, 0));
}

TEST_F(Profiling, stops_and_starts_anew) {
  start();
  run(1);
  ASSERT_EQ(sunmao_profile_stop(session_.get(), &error_), 0);
  run(1);
  EXPECT_EQ(info().runs, 1u);
  start();
  EXPECT_EQ(info().runs, 0u);
  EXPECT_EQ(info().record_count, 0u);
}

TEST_F(Profiling, runs_with_outputs_of_their_own_are_recorded) {
  start();
  Floats x({1, 3});
  const DLTensor input = x.tensor();
  DLManagedTensor* outputs[2] = {};
  ASSERT_EQ(sunmao_run_managed(session_.get(), "main", &input, 1, outputs, 2, &error_), 0) << error_.message;
  for (DLManagedTensor* out : outputs) out->deleter(out);
  EXPECT_EQ(info().runs, 1u);
  EXPECT_EQ(info().record_count, 2u);
}

TEST_F(Profiling, places_in_other_functions) {
  start();
  std::vector<DLTensor> outputs(1);
  Floats x({2, 2}, {-1, 2, 3, 4});
  const DLTensor input = x.tensor();
  ASSERT_EQ(sunmao_run(session_.get(), "choose", &input, 1, outputs.data(), 1, &error_), 0) << error_.message;
  EXPECT_STREQ(record(0).kernel, "is_positive");
  EXPECT_EQ(record(0).dim_count, 0u);
  EXPECT_STREQ(record(1).function, "choose");
  EXPECT_EQ(record(1).call, 1u);
}

TEST_F(Profiling, different_sizes_beyond_the_limit_are_counted_alone) {
  const std::vector<uint8_t> bytes = tiny_program();
  const auto program = Program::read(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(program.ok());
  Profile profile(*program, 0);
  const uint32_t* words = program->tables().words.data();
  const int64_t limit = Profile::kMaxRecords;
  for (int64_t n = 0; n < limit + 3; ++n) profile.add(words, std::span(&n, 1), 0, 1);
  const int64_t known = 1;
  profile.add(words, std::span(&known, 1), 0, 1);
  EXPECT_EQ(profile.records().size(), static_cast<size_t>(limit));
  EXPECT_EQ(profile.totals().lost_calls, 3u);
  EXPECT_EQ(profile.records()[1].calls, 2u);
}

TEST_F(Profiling, wrong_arguments_are_refused) {
  sunmao_profile_info info;
  sunmao_profile_record record;
  sunmao_profile_event event;
  EXPECT_NE(sunmao_profile_get_info(session_.get(), &info), 0);  // not started
  EXPECT_NE(sunmao_profile_get_record(session_.get(), 0, &record), 0);
  EXPECT_NE(sunmao_profile_start(nullptr, nullptr, &error_), 0);
  EXPECT_STREQ(error_.code, "E0900");
  EXPECT_NE(sunmao_profile_stop(nullptr, &error_), 0);
  sunmao_profile_options options = {};
  EXPECT_NE(sunmao_profile_start(session_.get(), &options, &error_), 0);
  EXPECT_STREQ(error_.code, "E0900");
  ASSERT_EQ(sunmao_profile_start(session_.get(), nullptr, &error_), 0);
  EXPECT_EQ(sunmao_profile_get_info(session_.get(), &info), 0);
  EXPECT_NE(sunmao_profile_get_record(session_.get(), 0, &record), 0);
  EXPECT_NE(sunmao_profile_get_event(session_.get(), 0, &event), 0);
  EXPECT_NE(sunmao_profile_get_info(nullptr, &info), 0);
  EXPECT_NE(sunmao_profile_get_info(session_.get(), nullptr), 0);
}

}  // namespace
}  // namespace sunmao::runtime::testing
