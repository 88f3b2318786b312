// The table of processors against LLVM's own.
#include "target/cpu_names.h"

#include <gtest/gtest.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/X86TargetParser.h>

#include <algorithm>
#include <set>

#include "target/target.h"

namespace sunmao {
namespace {

std::set<std::string> llvm_features(llvm::StringRef cpu) {
  llvm::SmallVector<llvm::StringRef> stated;
  llvm::X86::getFeaturesForCPU(cpu, stated);
  llvm::StringMap<bool> all;
  for (llvm::StringRef feature : stated) {
    all[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, true, all);
  }
  std::set<std::string> out{"cmov", "cx8", "sse2"};  // those of every 64-bit processor, which LLVM does not always list
  for (const auto& entry : all)
    if (entry.second) out.insert(entry.first().str());
  return out;
}

TEST(CpuNames, AreLlvmsWithTheirHighestLevelAndAllFeaturesBeyondIt) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
  size_t compared = 0;
  for (llvm::StringRef name : names) {
    if (name.starts_with("x86-64")) continue;
    const std::set<std::string> has = llvm_features(name);
    const CpuNames* known = find_cpu(name.str());
    ASSERT_TRUE(known) << name.str();
    std::string_view level;
    for (const Isa* row : isas())
      if (std::ranges::all_of(row->features, [&](const std::string& f) { return has.contains(f); })) level = row->name;
    EXPECT_EQ(known->level, level) << name.str();
    std::vector<std::string_view> extra;
    for (std::string_view feature : extra_features())
      if (has.contains(std::string(feature))) extra.push_back(feature);
    EXPECT_TRUE(std::ranges::equal(known->extra, extra)) << name.str();
    const Target target = Target::parse("llvm -mcpu=" + name.str());
    EXPECT_EQ(target, Target::parse(name.str()));
    EXPECT_EQ(target, Target::parse(target.text()));
    ++compared;
  }
  size_t listed = 0;
  for (const CpuNames& group : cpu_names()) listed += group.names.size();
  EXPECT_EQ(listed, compared);
}

}  // namespace
}  // namespace sunmao
