// The CPU quota that control groups set for the process, of versions 1 and 2.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace sunmao::runtime {

/// Returns the least quota of the process's groups and those above them, in processors, rounded up; absent when none
/// has one. `groups` is the path of the list of groups (cgroups(7)), `mount` the folder of their file systems.
std::optional<uint32_t> processors_of_quota(const std::string& groups, const std::string& mount);

}  // namespace sunmao::runtime
