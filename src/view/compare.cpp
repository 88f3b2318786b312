#include "view/compare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "eval/element.h"

namespace sunmao::view {
namespace {

constexpr size_t kMostCells = 4'000'000;  // of a table that aligns two sequences

/// What nodes of one function have in common with those of the other that may be their partners.
using Key = std::function<std::string(const GraphNode&, const GraphFunction&)>;

class Matching {
 public:
  Matching(const GraphFunction& a, const GraphFunction& b) : a_(a), b_(b), symbols_(a.symbols, b.symbols) {
    out_.a.resize(a.nodes.size());
    out_.b.resize(b.nodes.size());
  }

  FunctionMatch run(const ValueSamples& values_a, const ValueSamples& values_b) {
    pair_by_values(values_a, values_b);
    const auto kind = [](const GraphNode& n) { return std::to_string(static_cast<int>(n.kind)) + "\n"; };
    pair_unique([&](const GraphNode& n, const GraphFunction&) {
      return n.place.empty() ? "" : kind(n) + n.op + "\n" + module_of(n) + "\n" + n.place;
    });
    pair_unique(
        [&](const GraphNode& n, const GraphFunction&) { return n.name.empty() ? "" : kind(n) + n.op + "\n" + n.name; });
    const auto type = [](const GraphNode& n, const GraphFunction& f) { return without_symbols(n.type, f.symbols); };
    align([&](const GraphNode& n, const GraphFunction& f) { return n.op + "\n" + type(n, f); });
    align([](const GraphNode& n, const GraphFunction&) { return n.op; });
    pair_unique([&](const GraphNode& n, const GraphFunction& f) {
      return n.place.empty() ? "" : module_of(n) + "\n" + n.place + "\n" + type(n, f);
    });
    describe_changes();
    return std::move(out_);
  }

 private:
  void pair(size_t a, size_t b) {
    out_.a[a].other = b;
    out_.b[b].other = a;
  }

  /// Pairs nodes whose key occurs once among the nodes without a partner, on both sides.
  void pair_unique(const Key& key) {
    struct Found {
      size_t count_a = 0, count_b = 0, a = 0, b = 0;
    };
    std::map<std::string, Found> found;
    for (size_t i = 0; i < a_.nodes.size(); ++i)
      if (!out_.a[i].other) {
        Found& f = found[key(a_.nodes[i], a_)];
        ++f.count_a;
        f.a = i;
      }
    for (size_t i = 0; i < b_.nodes.size(); ++i)
      if (!out_.b[i].other) {
        Found& f = found[key(b_.nodes[i], b_)];
        ++f.count_b;
        f.b = i;
      }
    for (const auto& [text, f] : found)
      if (!text.empty() && f.count_a == 1 && f.count_b == 1) pair(f.a, f.b);
  }

  /// Pairs nodes with equal keys in order, between pairs that are in the same order on both sides.
  void align(const Key& key) {
    size_t begin_a = 0, begin_b = 0;
    for (size_t i = 0; i <= a_.nodes.size(); ++i) {
      const bool is_end = i == a_.nodes.size();
      if (!is_end && !out_.a[i].other) continue;
      const size_t end_b = is_end ? b_.nodes.size() : *out_.a[i].other;
      if (end_b < begin_b) continue;  // out of order
      align_gap(begin_a, i, begin_b, end_b, key);
      begin_a = i + 1;
      begin_b = end_b + 1;
    }
  }

  void align_gap(size_t begin_a, size_t end_a, size_t begin_b, size_t end_b, const Key& key) {
    const auto open = [&](const GraphFunction& f, const std::vector<NodeMatch>& known, size_t begin, size_t end) {
      std::vector<std::pair<std::string, size_t>> out;
      for (size_t i = begin; i < end; ++i)
        if (!known[i].other) out.emplace_back(key(f.nodes[i], f), i);
      return out;
    };
    const auto x = open(a_, out_.a, begin_a, end_a), y = open(b_, out_.b, begin_b, end_b);
    if (x.empty() || y.empty()) return;
    if (x.size() * y.size() > kMostCells) return pair_in_turn(x, y);
    pair_longest(
        x.size(), y.size(), [&](size_t i, size_t k) { return x[i].first == y[k].first; },
        [&](size_t i, size_t k) { pair(x[i].second, y[k].second); });
  }

  /// Pairs the members of the longest common subsequence of two sequences.
  template <class IsEqual, class OnPair>
  static void pair_longest(size_t count_x, size_t count_y, IsEqual is_equal, OnPair on_pair) {
    // The length of that of x from i on and y from k on.
    std::vector<std::vector<uint32_t>> length(count_x + 1, std::vector<uint32_t>(count_y + 1, 0));
    std::vector<std::vector<bool>> equal(count_x, std::vector<bool>(count_y));
    for (size_t i = count_x; i-- > 0;)
      for (size_t k = count_y; k-- > 0;) {
        equal[i][k] = is_equal(i, k);
        length[i][k] = equal[i][k] ? length[i + 1][k + 1] + 1 : std::max(length[i + 1][k], length[i][k + 1]);
      }
    for (size_t i = 0, k = 0; i < count_x && k < count_y;) {
      if (equal[i][k])
        on_pair(i++, k++);
      else
        length[i + 1][k] >= length[i][k + 1] ? ++i : ++k;
    }
  }

  void pair_by_values(const ValueSamples& values_a, const ValueSamples& values_b) {
    const auto known = [](const ValueSamples& values) {
      std::vector<size_t> out;
      for (size_t i = 0; i < values.size(); ++i)
        if (values[i]) out.push_back(i);
      return out;
    };
    const std::vector<size_t> x = known(values_a), y = known(values_b);
    if (x.size() * y.size() > kMostCells) return;
    pair_longest(
        x.size(), y.size(), [&](size_t i, size_t k) { return agree(*values_a[x[i]], *values_b[y[k]]); },
        [&](size_t i, size_t k) { pair(x[i], y[k]); });
  }

  static bool agree(const ValueSample& a, const ValueSample& b) {
    constexpr double kClose = 1e-3;  // relative to the largest magnitude: other front ends round otherwise
    if (a.shape != b.shape) return false;
    const double scale = std::max(a.scale, b.scale);
    for (size_t i = 0; i < a.elements.size(); ++i)
      if (!(std::abs(a.elements[i] - b.elements[i]) <= kClose * scale)) return false;
    return true;
  }

  void pair_in_turn(const std::vector<std::pair<std::string, size_t>>& x,
                    const std::vector<std::pair<std::string, size_t>>& y) {
    std::map<std::string, std::vector<size_t>> open;
    for (size_t k = y.size(); k-- > 0;) open[y[k].first].push_back(y[k].second);
    for (const auto& [text, node] : x)
      if (auto it = open.find(text); it != open.end() && !it->second.empty()) {
        pair(node, it->second.back());
        it->second.pop_back();
      }
  }

  void describe_changes() {
    for (size_t i = 0; i < a_.nodes.size(); ++i) {
      NodeMatch& here = out_.a[i];
      if (!here.other) continue;
      NodeMatch& there = out_.b[*here.other];
      here.changes = changes(a_.nodes[i], b_.nodes[*here.other]);
      for (const auto& [what, x, y] : here.changes) there.changes.push_back({what, y, x});
      here.mark = there.mark = here.changes.empty() ? Mark::Same : Mark::Changed;
    }
  }

  std::vector<std::array<std::string, 3>> changes(const GraphNode& x, const GraphNode& y) {
    std::vector<std::array<std::string, 3>> out;
    const auto compare = [&](const std::string& what, const std::string& here, const std::string& there) {
      if (!symbols_.match(here, there)) out.push_back({what, here, there});
    };
    if (x.op != y.op) out.push_back({"op", x.op, y.op});
    compare("type", x.type, y.type);
    const auto fields = [](const GraphNode& n) {
      std::map<std::string, std::string> found;
      for (const GraphField& f : n.fields)
        if (f.name != "source") found.emplace(f.name, f.text);
      return found;
    };
    const std::map<std::string, std::string> ours = fields(x), theirs = fields(y);
    for (const auto& [name, text] : ours) compare(name, text, theirs.contains(name) ? theirs.at(name) : "");
    for (const auto& [name, text] : theirs)
      if (!ours.contains(name)) compare(name, "", text);
    if (!has_same_inputs(x, y)) out.push_back({"takes", names(a_, x.inputs), names(b_, y.inputs) + " "});
    return out;
  }

  bool has_same_inputs(const GraphNode& x, const GraphNode& y) const {
    if (x.inputs.size() != y.inputs.size()) return false;
    for (size_t i = 0; i < x.inputs.size(); ++i)
      if (out_.a[x.inputs[i]].other != y.inputs[i]) return false;
    return true;
  }

  static std::string names(const GraphFunction& f, const std::vector<size_t>& nodes) {
    std::string out;
    for (size_t n : nodes) out += (out.empty() ? "" : ", ") + f.nodes[n].name;
    return out;
  }

  const GraphFunction &a_, &b_;
  SymbolPairs symbols_;
  FunctionMatch out_;
};

}  // namespace

ValueSample sample_of(const Array& value) {
  constexpr int64_t kElements = 64;
  ValueSample out{.shape = value.shape(), .elements = {}, .scale = 0};
  const int64_t count = value.count(), step = std::max<int64_t>(count / kElements, 1);
  for (int64_t i = 0; i < count; i += step) {
    const double x = number_at(value, i);
    out.elements.push_back(x);
    out.scale = std::max(out.scale, std::abs(x));
  }
  return out;
}

FunctionMatch match(const GraphFunction& a, const GraphFunction& b, const ValueSamples& values_a,
                    const ValueSamples& values_b) {
  return Matching(a, b).run(values_a, values_b);
}

}  // namespace sunmao::view
