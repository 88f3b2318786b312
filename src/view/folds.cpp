#include "view/folds.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

namespace sunmao::view {
namespace {

constexpr size_t kFewestOfPart = 16;  // members of a part, but for the last one

/// A tree of modules while it is built: members in the order of their first nodes.
struct Tree {
  std::string name, path;
  std::vector<size_t> nodes = {};                          // those directly in it
  size_t parent = 0, first = 0, last = 0;                  // numbers of nodes, at any depth
  std::map<std::string, size_t> children = {}, uses = {};  // the last group of a module, and how many there are
  /// Groups by number in the list of trees, or nodes.
  std::vector<Member> members = {};
};

class Folding {
 public:
  explicit Folding(const GraphFunction& function) : function_(function) {
    trees_.push_back({.name = function.name, .path = ""});
  }

  std::vector<Fold> run() {
    for (size_t n = 0; n < function_.nodes.size(); ++n) place(n);
    join_chains(0);
    write(0, 0);
    connect();
    return std::move(folds_);
  }

 private:
  void place(size_t node) {
    size_t at = 0;
    for (const std::string& part : function_.nodes[node].path) {
      const auto known = trees_[at].children.find(part);
      const bool is_used_again = known != trees_[at].children.end() && leaves_and_returns(known->second, node);
      if (known != trees_[at].children.end() && !is_used_again) {
        at = known->second;
        continue;
      }
      at = add_group(at, part);
    }
    trees_[at].members.push_back({.is_group = false, .number = node});
    tree_of_.push_back(at);
    for (size_t t = at;; t = trees_[t].parent) {
      trees_[t].last = node;
      if (t == 0) break;
    }
  }

  /// Adds the first or a further use of a module; the last one is where nodes go.
  size_t add_group(size_t parent, const std::string& part) {
    const size_t child = trees_.size(), use = ++trees_[parent].uses[part];
    Tree tree{.name = part, .path = trees_[parent].path.empty() ? part : trees_[parent].path + "." + part};
    if (use > 1) {
      tree.name += fmt::format(" ({})", use);
      tree.path += fmt::format("#{}", use);
    }
    tree.parent = parent;
    tree.first = tree_of_.size();
    trees_.push_back(std::move(tree));
    trees_[parent].children[part] = child;
    trees_[parent].members.push_back({.is_group = true, .number = child});
    return child;
  }

  bool is_in(size_t node, size_t tree) const {
    size_t at = tree_of_[node];
    while (at > tree) at = trees_[at].parent;  // parents have smaller numbers
    return at == tree;
  }

  /// True when a value of the group reaches the node through nodes outside: as one group, both would be drawn in a
  /// circle. A module that is called several times is several groups.
  bool leaves_and_returns(size_t tree, size_t node) {
    if (trees_[tree].last + 1 == node) return false;
    std::vector<size_t> open;
    const auto follow = [&](size_t from) {
      for (size_t input : function_.nodes[from].inputs)
        if (input < from && seen_.insert(input).second) open.push_back(input);
    };
    seen_.clear();
    for (size_t input : function_.nodes[node].inputs)
      if (input < node && !is_in(input, tree) && seen_.insert(input).second) open.push_back(input);
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      if (is_in(at, tree)) return true;
      if (at > trees_[tree].first) follow(at);
    }
    return false;
  }

  /// A group whose only member is a group takes that one's members and both names; one whose only member is a node is
  /// no group.
  void join_chains(size_t at) {
    // Children have greater numbers than their parents.
    for (size_t t = trees_.size(); t-- > at;)
      for (Member& m : trees_[t].members) {
        if (!m.is_group) continue;
        Tree& child = trees_[m.number];
        if (child.members.size() == 1 && !child.members[0].is_group) {
          m = child.members[0];
        } else if (child.members.size() == 1) {
          Tree& inner = trees_[child.members[0].number];
          child.name += "." + inner.name;
          child.path = inner.path;
          const std::vector<Member> members = inner.members;
          child.members = members;
        }
      }
  }

  /// Writes group `tree` and those inside, in order; returns its number.
  size_t write(size_t tree, size_t parent) {
    const size_t number = folds_.size();
    folds_.push_back({.name = trees_[tree].name, .path = trees_[tree].path, .parent = parent});
    divide(tree);
    const std::vector<Member> members = trees_[tree].members;
    for (const Member& m : members) {
      const Member written = m.is_group ? Member{.is_group = true, .number = write(m.number, number)} : m;
      folds_[number].members.push_back(written);
    }
    return number;
  }

  /// Replaces the members of a large group by parts of consecutive ones.
  void divide(size_t tree) {
    while (trees_[tree].members.size() > kMostMembers) {
      const std::vector<Member> all = trees_[tree].members;
      const std::vector<size_t> crossing = crossings(all);
      std::vector<Member> parts;
      for (size_t begin = 0; begin < all.size();) {
        const size_t end = end_of_part(begin, crossing);
        parts.push_back({.is_group = true, .number = trees_.size()});
        Tree part{.name = fmt::format("part {}", parts.size()),
                  .path = fmt::format("{}#{}-{}", trees_[tree].path, begin, end)};
        part.members.assign(all.begin() + static_cast<std::ptrdiff_t>(begin),
                            all.begin() + static_cast<std::ptrdiff_t>(end));
        trees_.push_back(std::move(part));
        begin = end;
      }
      trees_[tree].members = std::move(parts);
    }
  }

  static size_t end_of_part(size_t begin, const std::vector<size_t>& crossing) {
    const size_t count = crossing.size();
    if (count - begin <= kMostMembers) return count;
    size_t best = begin + kMostMembers;
    for (size_t end = begin + kMostMembers; end >= begin + kFewestOfPart; --end)
      if (crossing[end] < crossing[best]) best = end;
    return best;
  }

  void nodes_of(const Member& m, std::vector<size_t>& out) const {
    if (!m.is_group) return out.push_back(m.number);
    for (const Member& inner : trees_[m.number].members) nodes_of(inner, out);
  }

  /// Returns for each position how many values pass from members before it to members from there on.
  std::vector<size_t> crossings(const std::vector<Member>& members) const {
    std::map<size_t, size_t> position;  // by node
    for (size_t i = 0; i < members.size(); ++i) {
      std::vector<size_t> nodes;
      nodes_of(members[i], nodes);
      for (size_t n : nodes) position.emplace(n, i);
    }
    std::map<size_t, size_t> last;  // use, by producer
    for (const auto& [node, at] : position)
      for (size_t input : function_.nodes[node].inputs)
        if (position.contains(input)) last[input] = std::max(last[input], at);
    std::vector<int64_t> change(members.size() + 1, 0);
    for (const auto& [node, at] : last)
      if (const size_t begin = position.at(node); begin < at) {
        ++change[begin + 1];
        --change[at + 1];
      }
    std::vector<size_t> out(members.size());
    int64_t open = 0;
    for (size_t i = 0; i < members.size(); ++i) out[i] = static_cast<size_t>(open += change[i]);
    return out;
  }

  /// The edges of all groups: between the members of the innermost group that has both ends, and by ports in the groups
  /// further in.
  void connect() {
    home_.resize(function_.nodes.size());
    position_.resize(function_.nodes.size());
    fold_position_.resize(folds_.size());
    for (size_t f = 0; f < folds_.size(); ++f)
      for (size_t i = 0; i < folds_[f].members.size(); ++i) {
        const Member& m = folds_[f].members[i];
        if (m.is_group)
          fold_position_[m.number] = i;
        else
          home_[m.number] = f, position_[m.number] = i;
      }
    std::vector<std::set<std::pair<size_t, size_t>>> inner(folds_.size());
    std::vector<std::map<size_t, std::set<size_t>>> entering(folds_.size()), leaving(folds_.size());
    for (size_t to = 0; to < function_.nodes.size(); ++to)
      for (size_t from : function_.nodes[to].inputs) {
        if (from == to) continue;
        const size_t common = common_fold(home_[from], home_[to]);
        inner[common].emplace(position_in(common, from), position_in(common, to));
        for (size_t f = home_[to]; f != common; f = folds_[f].parent) entering[f][from].insert(position_in(f, to));
        for (size_t f = home_[from]; f != common; f = folds_[f].parent) leaving[f][from].insert(position_in(f, from));
      }
    for (size_t f = 0; f < folds_.size(); ++f) {
      Fold& fold = folds_[f];
      for (const auto& [from, to] : inner[f])
        if (from != to) fold.edges.push_back({from, to});
      size_t port = fold.members.size();
      for (const auto& [node, members] : entering[f]) {
        fold.inputs.push_back(node);
        for (size_t m : members) fold.edges.push_back({port, m});
        ++port;
      }
      for (const auto& [node, members] : leaving[f]) {
        fold.outputs.push_back(node);
        for (size_t m : members) fold.edges.push_back({m, port});
        ++port;
      }
    }
  }

  size_t depth_of(size_t fold) const {
    size_t depth = 0;
    for (; fold != 0; fold = folds_[fold].parent) ++depth;
    return depth;
  }

  size_t common_fold(size_t a, size_t b) const {
    size_t depth_a = depth_of(a), depth_b = depth_of(b);
    for (; depth_a > depth_b; --depth_a) a = folds_[a].parent;
    for (; depth_b > depth_a; --depth_b) b = folds_[b].parent;
    while (a != b) a = folds_[a].parent, b = folds_[b].parent;
    return a;
  }

  /// Returns the position of the member of `fold` that is or contains the node.
  size_t position_in(size_t fold, size_t node) const {
    size_t at = home_[node];
    if (at == fold) return position_[node];
    while (folds_[at].parent != fold) at = folds_[at].parent;
    return fold_position_[at];
  }

  const GraphFunction& function_;
  std::vector<Tree> trees_;
  std::vector<size_t> tree_of_;  // by node
  std::unordered_set<size_t> seen_;
  std::vector<Fold> folds_;
  std::vector<size_t> home_, position_, fold_position_;
};

}  // namespace

std::vector<Fold> folds_of(const GraphFunction& function) { return Folding(function).run(); }

}  // namespace sunmao::view
