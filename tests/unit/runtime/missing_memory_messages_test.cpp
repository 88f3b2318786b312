// The exact messages where memory is missing: each is among those of a call whose allocations fail in turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "runtime/code_image.h"
#include "tests/unit/failing_calls.h"
#include "tests/unit/runtime/missing_memory.h"
#include "tests/unit/runtime/sizes_program.h"
#include "tests/unit/runtime/whole_message.h"

namespace sunmao::runtime::testing {
namespace {

using ::testing::Contains;

/// The messages of a call, in a session of its own, in which one of its allocations fails.
std::set<std::string> messages_of(const ModelHandle& model,
                                  const std::function<int(sunmao_session*, sunmao_error&)>& call) {
  std::set<std::string> all;
  for (uint64_t number = 1; number < 1000; ++number) {
    const SessionHandle session = open(model);
    sunmao_error error = {};
    {
      const Fault fault(number, Fault::Kind::Alone);
      call(session.get(), error);
    }
    if (Fault::count() == 0) return all;
    all.insert(whole(error));
  }
  ADD_FAILURE() << "there is no end of allocations";
  return all;
}

const char* const kHelp = "; use smaller dimensions, or a machine with more memory";

TEST(MemoryMessages, E0910_of_runs) {
  const std::string artifact = make_artifact();
  const ModelHandle model = load(artifact);
  Floats x({2, 3});
  const auto run_main = [&](sunmao_session* session, sunmao_error& error) {
    const DLTensor input = x.tensor();
    DLTensor outputs[2] = {};
    return sunmao_run(session, "main", &input, 1, outputs, 2, &error);
  };
  EXPECT_THAT(
      messages_of(model, run_main),
      Contains("E0910 this run needs 192 bytes of memory, and the system does not give them" + std::string(kHelp)));
  const auto managed = [&](sunmao_session* session, sunmao_error& error) {
    const DLTensor input = x.tensor();
    DLManagedTensor* outputs[2] = {};
    const int status = sunmao_run_managed(session, "main", &input, 1, outputs, 2, &error);
    for (DLManagedTensor* output : outputs)
      if (output) output->deleter(output);
    return status;
  };
  EXPECT_THAT(messages_of(model, managed),
              Contains("E0910 there is no memory for an output of 24 bytes" + std::string(kHelp)));
}

#ifndef SUNMAO_SANITIZED  // sanitizers ask for memory in the same way
TEST(MemoryMessages, E0910_of_blocks) {
  const std::string artifact = make_artifact();
  const ModelHandle model = load(artifact);
  const SessionHandle session = open(model);
  Floats x({1, 3}, {3, 0, 0}), row({3}, {-1, 0, 0});
  const system_calls::FailingCall calls[] = {{SYS_mmap, ENOMEM, 3, MAP_NORESERVE}};
  const std::string text = system_calls::text_of_child(calls, [&] {
    const DLTensor inputs[] = {x.tensor(), row.tensor()};
    DLTensor output = {};
    sunmao_error error = {};
    sunmao_run(session.get(), "walk", inputs, 2, &output, 1, &error);
    return whole(error);
  });
  if (text == system_calls::kNoFilters) GTEST_SKIP() << text;
  EXPECT_EQ(text, "E0910 this run needs 1048576 more bytes of memory, and the system does not give them" +
                      std::string(kHelp));
}
#endif

TEST(MemoryMessages, E0910_of_texts) {
  const std::string artifact = make_artifact();
  const ModelHandle model = load(artifact);
  char* text = nullptr;
  ASSERT_EQ(sunmao_model_disassemble(model.get(), &text, nullptr), 0);
  const std::string size = std::to_string(std::string(text).size());
  sunmao_string_free(text);
  EXPECT_THAT(messages_of(model,
                          [&](sunmao_session*, sunmao_error& error) {
                            char* none = nullptr;
                            const int status = sunmao_model_disassemble(model.get(), &none, &error);
                            sunmao_string_free(none);
                            return status;
                          }),
              Contains("E0910 there is no memory for a text of " + size + " bytes"));
}

TEST(MemoryMessages, E0804_of_links) {
  const std::string artifact = make_artifact();
  const ModelHandle model = load(artifact);
  const std::string path = ::testing::TempDir() + "sunmao_memory_messages_" + std::to_string(::getpid());
  EXPECT_THAT(messages_of(model,
                          [&](sunmao_session*, sunmao_error& error) {
                            return sunmao_model_write_weights(model.get(), path.c_str(), &error);
                          }),
              Contains("E0804 cannot write `" + path + "`: following links: Cannot allocate memory"));
  std::filesystem::remove(path);
}

TEST(MemoryMessages, E0910_more_than_the_machine_has) {
  const std::string artifact = make_artifact();
  const ModelHandle model = load(artifact);
  const SessionHandle session = open(model);
  struct sysinfo info = {};
  ASSERT_EQ(::sysinfo(&info), 0);
  const uint64_t most = (uint64_t{info.totalram} + info.totalswap) * info.mem_unit;
  Floats x({1});
  x.shape[0] = int64_t{1} << 44;  // nothing is read before there is memory for the output
  const DLTensor input = x.tensor();
  DLTensor output = {};
  sunmao_error error = {};
  EXPECT_NE(sunmao_run(session.get(), "refuse", &input, 1, &output, 1, &error), 0);
  EXPECT_EQ(whole(error),
            "E0910 this run needs 70368744177664 bytes of memory, this machine has " + std::to_string(most) + kHelp);
}

TEST(MemoryMessages, E0859_and_E0910_of_code) {
  const std::vector<uint8_t> image = tiny_code();
  const auto with = [&](uint32_t error) {
    const system_calls::FailingCall calls[] = {{SYS_mmap, error, 2, PROT_EXEC}, {SYS_mprotect, error, 2, PROT_EXEC}};
    return system_calls::text_of_child(calls, [&] {
      return CodeImage::load(std::as_bytes(std::span<const uint8_t>(image)), 4, {}).status().to_string();
    });
  };
  if (with(EPERM) == system_calls::kNoFilters) GTEST_SKIP() << system_calls::kNoFilters;
  EXPECT_EQ(with(EPERM),
            "E0859: code image: the system gives no executable memory (Operation not permitted); put the file on a "
            "file system that is not mounted `noexec`, or allow the process to map executable memory");
  EXPECT_EQ(with(ENOMEM),
            "E0910: code image: the system does not give 12288 bytes of memory; free memory, or raise the process's "
            "limit (`ulimit -v`)");
}

}  // namespace
}  // namespace sunmao::runtime::testing
