// Folds: the nodes of a function grouped by the modules that they belong to, such that no group has many members.
#pragma once
#include <string>
#include <vector>

#include "view/graph.h"

namespace sunmao::view {

/// A member of a group: a node or another group.
struct Member {
  bool is_group = false;
  size_t number = 0;
};

/// An edge between members of a group, by their positions. What comes from outside of the group enters by a port, what
/// is used outside leaves by one.
struct FoldEdge {
  size_t from = 0, to = 0;
};

struct Fold {
  std::string name;   // the last part of its path: "layer1.0"
  std::string path;   // "encoder.layer1.0"; groups of nodes without modules have one that no module has
  size_t parent = 0;  // group 0 is its own
  std::vector<Member> members;
  std::vector<size_t> inputs;   // nodes outside whose values enter, one port each
  std::vector<size_t> outputs;  // nodes inside whose values leave
  /// Between members, then from and to ports: position members.size() + i is input i, then follow outputs.
  std::vector<FoldEdge> edges;
};

/// Returns the groups of a function; the first one is the whole function.
std::vector<Fold> folds_of(const GraphFunction& function);

/// The most members of a group; one with more is divided where few values cross.
inline constexpr size_t kMostMembers = 48;

}  // namespace sunmao::view
