// Targets as text.
#include "support/target.h"

#include <gtest/gtest.h>

#include "tests/unit/error_code.h"

namespace sunmao {
namespace {

TEST(TargetText, IsReadBackAsTheSameTarget) {
  for (const char* text : {"host", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "llvm",
                           "llvm -mcpu=x86-64-v4 -mattr=+avx512vnni,+avx512bf16",
                           "llvm -mcpu=x86-64-v3 -l1-cache=49152 -l2-cache=2097152"}) {
    const Target target = Target::parse(text);
    EXPECT_EQ(Target::parse(target.text()), target) << text << " as " << target.text();
  }
  EXPECT_EQ(Target::parse("x86-64-v3").text(), "x86-64-v3");
  EXPECT_EQ(Target::parse("llvm -mcpu=x86-64-v3 -l2-cache=2097152").l2_bytes, 2097152);
}

TEST(TargetText, SizesOfCachesAreChecked) {
  for (const char* size : {"", "0", "-5", "12k", "99999999999999999999"})
    EXPECT_EQ(code_of([&] { Target::parse(std::string("llvm -mcpu=x86-64-v3 -l2-cache=") + size); }), "E1001") << size;
}

}  // namespace
}  // namespace sunmao
