// CPU quotas of control groups, read from files as the kernel writes them.
#include "runtime/cpu_quota.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace sunmao::runtime::testing {
namespace {

class CpuQuota : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("quota-") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  std::optional<uint32_t> quota(const std::string& groups) const {
    write("groups", groups);
    return processors_of_quota(folder_ / "groups", folder_ / "mount");
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(CpuQuota, of_version_2_is_rounded_up) {
  write("mount/app/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota("0::/app\n"), 2u);
  write("mount/app/cpu.max", "1000 100000\n");
  EXPECT_EQ(quota("0::/app\n"), 1u);
  write("mount/app/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota("0::/app\n"), 4u);
}

TEST_F(CpuQuota, is_the_least_of_the_groups_above) {
  write("mount/cpu.max", "max 100000\n");
  write("mount/pod/cpu.max", "300000 100000\n");
  write("mount/pod/app/cpu.max", "800000 100000\n");
  EXPECT_EQ(quota("0::/pod/app\n"), 3u);
}

TEST_F(CpuQuota, of_version_1_is_that_of_the_controller) {
  write("mount/cpu/app/cpu.cfs_quota_us", "250000\n");
  write("mount/cpu/app/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("5:memory:/other\n4:cpu,cpuacct:/app\n0::/\n"), 3u);
}

TEST_F(CpuQuota, of_a_container_is_at_the_root) {
  write("mount/cpu/cpu.cfs_quota_us", "200000\n");
  write("mount/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("4:cpuacct,cpu:/docker/0123\n"), 2u);
}

TEST_F(CpuQuota, is_absent_without_a_limit) {
  EXPECT_EQ(quota(""), std::nullopt);
  EXPECT_EQ(quota("0::/nowhere\n"), std::nullopt);
  write("mount/app/cpu.max", "max 100000\n");
  EXPECT_EQ(quota("0::/app\n"), std::nullopt);
  write("mount/cpu/app/cpu.cfs_quota_us", "-1\n");
  write("mount/cpu/app/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("4:cpu:/app"), std::nullopt);
  write("mount/app/cpu.max", "nonsense");
  EXPECT_EQ(quota("0::/app\n:::\n\n7\n"), std::nullopt);
}

}  // namespace
}  // namespace sunmao::runtime::testing
