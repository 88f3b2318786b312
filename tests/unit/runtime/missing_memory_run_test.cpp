// Runs whose allocations fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/unit/runtime/host_program.h"
#include "tests/unit/runtime/missing_memory.h"

namespace sunmao::runtime::testing {
namespace {

using ::testing::ElementsAre;

TEST_F(MissingMemory, runs_on_shapes_that_are_new_and_known) {
  const std::string artifact = make_artifact();
  const ModelHandle model = load(artifact);
  Floats x({2, 3}, {1, 2, 3, 4, 5, 6}), other({4, 3});
  DLTensor input = x.tensor(), first = other.tensor();
  DLTensor outputs[2] = {};
  Work work = in_session(model, [&](sunmao_error& error) {
    outputs[0] = outputs[1] = {};
    return run("main", {&input, 1}, outputs, error);
  });
  work.end = [&] {
    EXPECT_THAT(values(outputs[1]), ElementsAre(11, 22, 33, 14, 25, 36));
    EXPECT_EQ(values(outputs[0])[5], 36 * 36);
    sunmao_session_free(session_);
  };
  work.may_go_on = true;  // with fewer threads
  work.at_least = 10;
  fail_each(work);
  // After a run on other shapes.
  work.begin = [&] {
    DLTensor ignored[2] = {};
    sunmao_session_create(model.get(), &session_, nullptr);
    ASSERT_EQ(sunmao_run(session_, "main", &first, 1, ignored, 2, nullptr), 0);
  };
  work.at_least = 5;
  fail_each(work);
}

TEST_F(MissingMemory, a_run_on_a_shape_it_had_allocates_nothing) {
  const std::string artifact = make_artifact();
  const ModelHandle model = load(artifact);
  const SessionHandle session = open(model);
  Floats x({2, 3});
  const DLTensor input = x.tensor();
  DLTensor outputs[2] = {};
  ASSERT_EQ(sunmao_run(session.get(), "main", &input, 1, outputs, 2, nullptr), 0);
  const Fault fault(1, Fault::Kind::WithAllThatFollow);
  const int status = sunmao_run(session.get(), "main", &input, 1, outputs, 2, nullptr);
  const Unfailing checks;
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Fault::count(), 0u);
}

TEST_F(MissingMemory, outputs_of_their_own) {
  const std::string artifact = make_artifact();
  const ModelHandle model = load(artifact);
  Floats x({2, 3}, {1, 2, 3, 4, 5, 6});
  const DLTensor input = x.tensor();
  DLManagedTensor* outputs[2] = {};
  Work work = in_session(model, [&](sunmao_error& error) {
    const int status = sunmao_run_managed(session_, "main", &input, 1, outputs, 2, &error);
    if (status != 0 && (outputs[0] || outputs[1])) error.code[0] = '?';  // all are NULL after a failure
    return status;
  });
  work.end = [&] {
    EXPECT_THAT(values(outputs[1]->dl_tensor), ElementsAre(11, 22, 33, 14, 25, 36));
    for (DLManagedTensor* output : outputs) output->deleter(output);
    sunmao_session_free(session_);
  };
  work.may_go_on = true;
  fail_each(work);
}

TEST_F(MissingMemory, branches_loops_and_recursion) {
  const std::string artifact = make_artifact();
  const ModelHandle model = load(artifact);
  Floats x({2, 3}, {3, 2, 3, 4, 5, 6}), row({3}, {-1, 10, 1});
  std::vector<DLTensor> inputs = {x.tensor(), row.tensor()};
  DLTensor output = {};
  const auto fail_each_of = [&](const char* function, size_t count, std::vector<float> result) {
    Work work = in_session(model, [&, function, count](sunmao_error& error) {
      output = {};
      return run(function, {inputs.data(), count}, {&output, 1}, error);
    });
    work.end = [&, result] {
      EXPECT_EQ(values(output), result);
      sunmao_session_free(session_);
    };
    work.may_go_on = true;
    work.at_least = 10;
    fail_each(work);
  };
  fail_each_of("choose", 1, {3, 2, 3, 4, 5, 6});
  fail_each_of("walk", 2, {0, 32, 6, 1, 35, 9});
  fail_each_of("climb", 2, {-3, 62, 9, -2, 65, 12});
  // Blocks so large that the system is asked for each.
  x = Floats({6000, 3});
  x.data[0] = 1;
  inputs[0] = x.tensor();
  std::vector<float> expected(18000);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = x.data[i] + row.data[i % 3];
  fail_each_of("walk", 2, expected);
}

TEST_F(MissingMemory, sizes_that_data_decides) {
  const std::string artifact = make_artifact({.program = head_and_parts(follow, chain), .weights = {}});
  const ModelHandle model = load(artifact);
  Floats x({4}, {1, 2, 3, 4});
  int64_t size = 2, one = 1;
  DLTensor inputs[2] = {{.data = &size, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLInt, 64, 1}, .shape = &one},
                        x.tensor()};
  DLTensor outputs[2] = {};
  DLManagedTensor* managed[2] = {};
  Work work = in_session(model, [&](sunmao_error& error) {
    outputs[0] = outputs[1] = {};
    return run("parts", inputs, outputs, error);
  });
  work.end = [&] {
    EXPECT_THAT(values(outputs[0]), ElementsAre(1, 2));
    EXPECT_THAT(values(outputs[1]), ElementsAre(1, 2, 3, 4));
    sunmao_session_free(session_);
  };
  work.at_least = 20;
  work.may_go_on = true;
  fail_each(work);
  work.call = [&](sunmao_error& error) { return sunmao_run_managed(session_, "parts", inputs, 2, managed, 2, &error); };
  work.end = [&] {
    EXPECT_THAT(values(managed[0]->dl_tensor), ElementsAre(1, 2));
    for (DLManagedTensor* output : managed) output->deleter(output);
    sunmao_session_free(session_);
  };
  fail_each(work);
  size = -1;
  work = in_session(model, [&](sunmao_error& error) {
    outputs[0] = outputs[1] = {};
    return run("parts", inputs, outputs, error);
  });
  work.code = "E0911";
  work.may_go_on = true;
  fail_each(work);
}

int doubling(void* count, const sunmao_host_call* call) {
  const Unfailing checks;
  auto* out = new Floats({call->inputs[0].shape[0]});
  for (size_t i = 0; i < out->data.size(); ++i) out->data[i] = 2 * values(call->inputs[0])[i];
  auto* tensor = new DLManagedTensor{out->tensor(), out, [](DLManagedTensor* self) {
                                       const Unfailing release;
                                       delete static_cast<Floats*>(self->manager_ctx);
                                       delete self;
                                     }};
  call->outputs[0] = tensor;
  ++*static_cast<int*>(count);
  return 0;
}

int refusing(void*, const sunmao_host_call* call) {
  std::snprintf(call->error->message, sizeof(call->error->message), "there are no doubles for %d today", 3);
  return 1;
}

TEST_F(MissingMemory, functions_of_the_host) {
  const std::string artifact = make_artifact({.program = host_program(), .weights = {}});
  const ModelHandle model = load(artifact);
  Floats x({3}, {1, 2, 3});
  DLTensor input = x.tensor(), output = {};
  int calls = 0;
  sunmao_host_function function = doubling;
  const char* name = "twice";
  Work work = in_session(model, [&](sunmao_error& error) {
    output = {};
    return run(name, {&input, 1}, {&output, 1}, error);
  });
  work.begin = [&] {
    sunmao_session_create(model.get(), &session_, nullptr);
    ASSERT_EQ(sunmao_register_function(session_, "scale", function, &calls, nullptr), 0);
  };
  work.end = [&] {
    EXPECT_THAT(values(output), ElementsAre(2, 4, 6));
    sunmao_session_free(session_);
  };
  work.may_go_on = true;
  work.at_least = 10;
  for (const char* each : {"twice", "any"}) {
    name = each;
    fail_each(work);
  }
  EXPECT_GT(calls, 20);
  function = refusing;
  work.code = "E0923";
  work.end = [&] { sunmao_session_free(session_); };
  fail_each(work);
}

TEST_F(MissingMemory, functions_are_registered_without_any) {
  const std::string artifact = make_artifact({.program = host_program(), .weights = {}});
  const ModelHandle model = load(artifact);
  const SessionHandle session = open(model);
  int calls = 0;
  const Fault fault(1, Fault::Kind::WithAllThatFollow);
  const int status = sunmao_register_function(session.get(), "scale", doubling, &calls, nullptr);
  const Unfailing checks;
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Fault::count(), 0u);
}

TEST_F(MissingMemory, profiles_count_what_they_have_no_room_for) {
  const std::string artifact = make_artifact();
  const ModelHandle model = load(artifact);
  sunmao_profile_options options = SUNMAO_PROFILE_OPTIONS_INIT;
  options.max_events = 1000;
  Work work = in_session(model, [&](sunmao_error& error) { return sunmao_profile_start(session_, &options, &error); });
  work.at_least = 4;
  fail_each(work);

  Floats x({2, 3});
  DLTensor input = x.tensor();
  DLTensor outputs[2] = {};
  work.begin = [&] {
    sunmao_session_create(model.get(), &session_, nullptr);
    outputs[0] = outputs[1] = {};
    // The next run allocates for the profile alone.
    ASSERT_EQ(sunmao_run(session_, "main", &input, 1, outputs, 2, nullptr), 0);
    ASSERT_EQ(sunmao_profile_start(session_, &options, nullptr), 0);
  };
  work.call = [&](sunmao_error& error) {
    outputs[0] = outputs[1] = {};
    return run("main", {&input, 1}, outputs, error);
  };
  work.end = [&] {
    sunmao_profile_info info = {};
    ASSERT_EQ(sunmao_profile_get_info(session_, &info), 0);
    EXPECT_EQ(info.runs, 1u);
    EXPECT_EQ(info.record_count + info.lost_calls, 2u);
    EXPECT_EQ(info.event_count + info.lost_events + info.lost_calls, 3u);
    sunmao_session_free(session_);
  };
  work.may_go_on = true;
  work.at_least = 2;
  fail_each(work);
}

}  // namespace
}  // namespace sunmao::runtime::testing
