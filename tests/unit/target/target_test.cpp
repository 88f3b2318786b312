// Targets as text, and the table of instruction sets.
#include "target/target.h"

#include <gtest/gtest.h>

#include "tests/random/mock_isa.h"
#include "tests/unit/error_code.h"

namespace sunmao {
namespace {

TEST(TargetText, IsReadBackAsTheSameTarget) {
  for (const char* text : {"host", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "llvm",
                           "llvm -mcpu=x86-64-v4 -mattr=+avx512vnni,+avx512bf16",
                           "llvm -mcpu=x86-64-v3 -l1-cache=49152 -l2-cache=2097152 -l3-cache=8388608",
                           "llvm -mcpu=znver4 -num-cores=16"}) {
    const Target target = Target::parse(text);
    EXPECT_EQ(Target::parse(target.text()), target) << text << " as " << target.text();
  }
  EXPECT_EQ(Target::parse("x86-64-v3").text(), "x86-64-v3");
  EXPECT_EQ(Target::parse("llvm -mcpu=x86-64-v3 -l2-cache=2097152").machine.l2_bytes, 2097152);
}

TEST(TargetText, NumbersOfCoresAndCachesReachTheMachine) {
  EXPECT_EQ(Target::parse("llvm -mcpu=x86-64-v3 -num-cores=16").machine.cores, 16);
  EXPECT_EQ(Target::parse(R"({"kind": "llvm", "mcpu": "x86-64-v3", "num-cores": 16})").machine.cores, 16);
  EXPECT_EQ(Target::parse("llvm -mcpu=x86-64-v3 -num-cores=4").text(), "x86-64-v3");
}

TEST(TargetText, NumbersAreChecked) {
  for (const char* size : {"", "0", "-5", "12k", "99999999999999999999"})
    for (const char* option : {"num-cores", "l1-cache", "l2-cache", "l3-cache"})
      EXPECT_EQ(code_of([&] { Target::parse(std::string("llvm -mcpu=x86-64-v3 -") + option + "=" + size); }), "E1001")
          << option << "=" << size;
  EXPECT_EQ(code_of([&] { Target::parse(R"({"kind": "llvm", "mcpu": "x86-64-v3", "num-cores": "4"})"); }), "E1001");
}

TEST(Isa, LevelsNest) {
  const std::vector<const Isa*> rows = isas();
  ASSERT_EQ(rows.size(), 4u);
  for (size_t i = 1; i < rows.size(); ++i)
    for (const std::string& feature : rows[i - 1]->features)
      EXPECT_TRUE(rows[i]->has_feature(feature)) << rows[i]->name << " lacks " << feature;
}

TEST(Isa, InstructionsComeWithFeatures) {
  const Isa &v2 = *find_isa("x86-64-v2"), &v3 = *find_isa("x86-64-v3"), &v4 = *find_isa("x86-64-v4");
  EXPECT_FALSE(v2.has(Instruction::FusedMultiplyAdd));
  EXPECT_TRUE(v3.has(Instruction::FusedMultiplyAdd));
  EXPECT_TRUE(v2.has(Instruction::AddPairs, 128));
  EXPECT_FALSE(v2.has(Instruction::AddPairs, 256));
  EXPECT_TRUE(v4.has(Instruction::ScaleByPower));
  EXPECT_FALSE(v4.has(Instruction::DotBytes));
  EXPECT_TRUE(v4.with_feature("avx512vnni").has(Instruction::DotBytes));
  EXPECT_TRUE(v3.with_feature("avxvnni").has(Instruction::DotBytes));
  EXPECT_FALSE(v4.has(Instruction::DotPairs));
  for (const int bits : {128, 256, 512}) EXPECT_TRUE(v4.with_feature("avx512bf16").has(Instruction::DotPairs, bits));
  // It has no form on the vectors of 512 bits that the level has.
  EXPECT_FALSE(v4.with_feature("avxvnni").has(Instruction::DotBytes));
  EXPECT_TRUE(v4.with_feature("avxvnni").has(Instruction::DotBytes, 256));
}

TEST(Isa, ARowMayBeAddedForATime) {
  EXPECT_EQ(code_of([&] { Target::parse(kMockIsa); }), "E1001");
  {
    const AddedIsa mock(mock_isa());
    const Target target = Target::parse(kMockIsa);
    EXPECT_EQ(target.isa.vector_registers, 8);
    EXPECT_NE(Target::host().isa.name, kMockIsa);
    EXPECT_EQ(Target::parse(target.text()), target);
  }
  EXPECT_EQ(find_isa(kMockIsa), nullptr);
}

TEST(Machine, OfTheHostHasCachesThatNest) {
  const Machine host = Machine::host();
  EXPECT_GE(host.cores, Machine().cores);
  EXPECT_LE(host.l1_bytes, host.l2_bytes);
  EXPECT_LE(host.l2_bytes, host.l3_bytes);
}

}  // namespace
}  // namespace sunmao
