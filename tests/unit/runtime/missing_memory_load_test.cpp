// Loads, sessions and descriptions of models whose allocations fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/runtime/missing_memory.h"

namespace sunmao::runtime::testing {
namespace {

TEST_F(MissingMemory, models_in_memory_and_in_files) {
  const std::string artifact = make_artifact();
  Work work = loading([&](sunmao_error& error) {
    return sunmao_load_memory(artifact.data(), artifact.size(), nullptr, &loaded_, &error);
  });
  work.at_least = 100;
  fail_each(work);
  const std::string path = file("tiny.sunmao", artifact);
  const std::vector<uint8_t> row = tiny_weights();
  const std::string weights = file("row.safetensors", std::string(row.begin(), row.end()));
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.weights_path = weights.c_str();
  options.verify_weights = 1;
  work = loading([&](sunmao_error& error) { return sunmao_load(path.c_str(), &options, &loaded_, &error); });
  // Code that cannot be mapped is copied.
  work.may_go_on = true;
  fail_each(work);
}

TEST_F(MissingMemory, the_message_itself) {
  Work work = loading([&](sunmao_error& error) {
    return sunmao_load("no/such/model/under/a/name/that/is/longer/than/short/strings", nullptr, &loaded_, &error);
  });
  work.code = "E0801";
  work.at_least = 3;
  fail_each(work);
}

TEST_F(MissingMemory, weights_prepared_with_and_without_a_cache) {
  const std::string artifact = make_artifact({.program = preparing_program()});
  const std::string cache = folder_ + "/cache";
  std::filesystem::create_directories(cache);
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  const auto call = [&](sunmao_error& error) {
    return sunmao_load_memory(artifact.data(), artifact.size(), &options, &loaded_, &error);
  };
  fail_each(loading(call));
  options.cache_folder = cache.c_str();
  Work work = loading(call);
  work.may_go_on = true;  // a cache that cannot be mapped is as good as none
  fail_each(work);
  ASSERT_FALSE(std::filesystem::is_empty(cache));
  work.begin = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(cache)) std::filesystem::remove(entry);
  };
  fail_each(work);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(cache), {}), 1) << "files that were never finished";
}

TEST_F(MissingMemory, sessions_and_descriptions) {
  const std::string artifact = make_artifact();
  const ModelHandle model = load(artifact);
  Work work = {.call = [&](sunmao_error& error) { return sunmao_session_create(model.get(), &session_, &error); },
               .end = [&] { sunmao_session_free(session_); }};
  work.at_least = 8;
  fail_each(work);
  char* text = nullptr;
  work.call = [&](sunmao_error& error) { return sunmao_model_disassemble(model.get(), &text, &error); };
  work.end = [&] { sunmao_string_free(text); };
  fail_each(work);
  work.call = [&](sunmao_error& error) { return sunmao_function_memory_formula(model.get(), 0, &text, &error); };
  fail_each(work);
  const std::vector<uint8_t> program = tiny_program();
  work.call = [&](sunmao_error& error) {
    return sunmao_program_disassemble(program.data(), program.size(), &text, &error);
  };
  fail_each(work);
  const std::string path = folder_ + "/written.safetensors";
  work.call = [&](sunmao_error& error) { return sunmao_model_write_weights(model.get(), path.c_str(), &error); };
  work.end = [] {};
  fail_each(work);
  sunmao_memory_info info = {};
  const int64_t sizes[] = {2, 3};
  work.call = [&](sunmao_error& error) { return sunmao_function_memory(model.get(), 0, sizes, 2, &info, &error); };
  work.at_least = 5;
  work.may_go_on = true;  // to sort needs memory only to be quick
  fail_each(work);
}

}  // namespace
}  // namespace sunmao::runtime::testing
