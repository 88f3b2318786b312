// Sessions of the program with state, and calls of its functions.
#pragma once
#include <gtest/gtest.h>

#include "tests/unit/runtime/handles.h"
#include "tests/unit/runtime/state_program.h"

namespace sunmao::runtime::testing {

class RunStates : public ::testing::Test {
 protected:
  const std::string artifact_ = make_artifact({.program = state_program()});
  sunmao_error error_ = {};
  const ModelHandle model_ = load(artifact_, &error_);
  const SessionHandle session_ = model_ ? open(model_) : nullptr;

  void SetUp() override { ASSERT_TRUE(session_) << error_.code << error_.message; }

  /// Returns the output of a function; empty when the run fails.
  std::vector<float> run(const char* function, std::vector<Floats> inputs, sunmao_session* session = nullptr) {
    std::vector<DLTensor> tensors;
    for (Floats& input : inputs) tensors.push_back(input.tensor());
    DLTensor output = {};
    sunmao_error error = {};
    const int failed =
        sunmao_run(session ? session : session_.get(), function, tensors.data(), tensors.size(), &output, 1, &error);
    if (!session) error_ = error;
    return failed ? std::vector<float>() : values(output);
  }
  std::vector<float> add(std::vector<float> x, sunmao_session* session = nullptr) {
    return run("add", {{{3}, std::move(x)}}, session);
  }
  std::vector<float> state(const char* name, sunmao_session* session = nullptr) {
    DLManagedTensor* value = nullptr;
    const auto number = static_cast<size_t>(sunmao_find_state(model_.get(), name));
    if (sunmao_session_get_state(session ? session : session_.get(), number, &value, &error_)) return {};
    std::vector<float> out = values(value->dl_tensor);
    value->deleter(value);
    return out;
  }
  std::string error() const { return std::string(error_.code) + " " + error_.message; }
};

}  // namespace sunmao::runtime::testing
