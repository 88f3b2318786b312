// Converters of ai.onnx.ml, ONNX's ops of classical models: Scaler, ensembles of decision trees.
#include <algorithm>
#include <map>
#include <set>

#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

const DType kFloat = DType::float_(32);
constexpr int64_t kMostLevels = 1000;            // each is some ops
constexpr int64_t kMostSums = int64_t{1} << 28;  // elements of a table, by nodes and results

std::vector<int64_t> ints(const NodeContext& n, const char* name) {
  return n.ints_attr(name).value_or(std::vector<int64_t>{});
}
std::vector<double> floats(const NodeContext& n, const char* name) {
  return n.floats_attr(name).value_or(std::vector<double>{});
}

Expr table(const NodeContext& n, const std::vector<int64_t>& values) {
  return Constant::make(Array::from_ints({static_cast<int64_t>(values.size())}, values), n.span);
}
Expr table(const NodeContext& n, std::vector<int64_t> shape, const std::vector<double>& values) {
  const std::vector<float> narrow(values.begin(), values.end());
  return Constant::make(Array::from_floats(std::move(shape), narrow), n.span);
}
Expr table(const NodeContext& n, const std::vector<double>& values) {
  return table(n, {static_cast<int64_t>(values.size())}, values);
}

Results scaler(const NodeContext& n) {
  const std::vector<double> offset = floats(n, "offset"), scale = floats(n, "scale");
  if (offset.empty() || scale.empty()) n.fail("`offset` or `scale` is missing");
  const Expr x = converted(n.builder, n.tensor(0), kFloat, n.span);
  return binary(n, "multiply", binary(n, "subtract", x, table(n, offset)), table(n, scale));
}

/// The nodes of all trees, one behind another. A leaf is its own successor.
struct Trees {
  std::vector<int64_t> feature, yes, no, roots;
  std::vector<double> value;
  std::string mode;                                      // the comparison of all nodes but leaves
  int64_t depth = 0;                                     // the most steps to a leaf
  std::map<std::pair<int64_t, int64_t>, int64_t> place;  // by tree and node

  int64_t count() const { return static_cast<int64_t>(feature.size()); }
};

/// Returns the most steps from a root to a leaf. Nodes that several others lead to are gone through once for each
/// number of steps.
int64_t depth_of(const NodeContext& n, const Trees& t) {
  std::vector<int64_t> level = t.roots;
  for (int64_t depth = 0;; ++depth) {
    std::set<int64_t> next;
    for (const int64_t node : level) {
      const auto i = static_cast<size_t>(node);
      if (t.yes[i] != node) next.insert({t.yes[i], t.no[i]});
    }
    if (next.empty()) return depth;
    if (depth == t.count()) n.fail("the nodes of a tree form a ring");
    if (depth == kMostLevels) throw UnsupportedUse{fmt::format("with more than {} levels", kMostLevels)};
    level.assign(next.begin(), next.end());
  }
}

Trees read_trees(const NodeContext& n) {
  const std::vector<int64_t> trees = ints(n, "nodes_treeids"), nodes = ints(n, "nodes_nodeids"),
                             yes = ints(n, "nodes_truenodeids"), no = ints(n, "nodes_falsenodeids");
  const std::vector<std::string> modes = n.strings_attr("nodes_modes").value_or(std::vector<std::string>{});
  if (std::ranges::any_of(ints(n, "nodes_missing_value_tracks_true"), [](int64_t m) { return m != 0; }))
    throw UnsupportedUse{"with missing values that are tracked"};
  Trees t{.feature = ints(n, "nodes_featureids"), .value = floats(n, "nodes_values")};
  for (const size_t size : {trees.size(), nodes.size(), yes.size(), no.size(), modes.size(), t.value.size()})
    if (size != t.feature.size() || size == 0) n.fail("the lists of nodes have no or different sizes");
  for (size_t i = 0; i < trees.size(); ++i) {
    if (i == 0 || trees[i] != trees[i - 1]) t.roots.push_back(static_cast<int64_t>(i));
    t.place.emplace(std::pair(trees[i], nodes[i]), static_cast<int64_t>(i));
  }
  const auto successor = [&](size_t i, int64_t node) {
    const auto found = t.place.find({trees[i], node});
    if (found == t.place.end()) n.fail(fmt::format("node {} of tree {} is not there", node, trees[i]));
    if (found->second == static_cast<int64_t>(i)) n.fail("the nodes of a tree form a ring");
    return found->second;
  };
  for (size_t i = 0; i < trees.size(); ++i) {
    const bool is_leaf = modes[i] == "LEAF";
    if (!is_leaf && !t.mode.empty() && modes[i] != t.mode) throw UnsupportedUse{"with several comparisons"};
    if (!is_leaf) t.mode = modes[i];
    t.yes.push_back(is_leaf ? static_cast<int64_t>(i) : successor(i, yes[i]));
    t.no.push_back(is_leaf ? static_cast<int64_t>(i) : successor(i, no[i]));
  }
  t.depth = depth_of(n, t);
  return t;
}

const char* comparison_of(const NodeContext& n, const std::string& mode) {
  constexpr std::pair<const char*, const char*> kModes[] = {
      {"BRANCH_LEQ", "less_equal"}, {"BRANCH_LT", "less"},  {"BRANCH_GTE", "greater_equal"},
      {"BRANCH_GT", "greater"},     {"BRANCH_EQ", "equal"}, {"BRANCH_NEQ", "not_equal"}};
  for (const auto& [name, op] : kModes)
    if (mode == name || mode.empty()) return op;
  n.fail(fmt::format("the mode {} is unknown", mode));
}

/// The sums of what leaves add to each of `count` results, by row.
Expr sums_of_leaves(const NodeContext& n, const Trees& t, const char* of, int64_t count) {
  const std::string prefix = of;
  const std::vector<int64_t> trees = ints(n, (prefix + "_treeids").c_str()),
                             nodes = ints(n, (prefix + "_nodeids").c_str()), ids = ints(n, (prefix + "_ids").c_str());
  const std::vector<double> weights = floats(n, (prefix + "_weights").c_str()), bases = floats(n, "base_values");
  if (count < 1) n.fail(fmt::format("it has {} results", count));
  if (count > kMostSums / t.count())
    throw UnsupportedUse{fmt::format("with {} nodes and {} results", t.count(), count)};
  std::vector<double> added(static_cast<size_t>(t.count() * count));
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto leaf = i < trees.size() && i < nodes.size() ? t.place.find({trees[i], nodes[i]}) : t.place.end();
    if (leaf == t.place.end() || i >= weights.size() || ids[i] < 0 || ids[i] >= count)
      n.fail(fmt::format("weight {} belongs to no leaf or result", i));
    added[static_cast<size_t>(leaf->second * count + ids[i])] += weights[i];
  }
  require_rank(n, 0, 2);
  const Expr x = converted(n.builder, n.tensor(0), kFloat, n.span);
  const std::vector<Scalar>& dims = n.dims(0);
  const auto look_up = [&](const Expr& values, const Expr& places) {
    return n.call("take", {values, places}, {{"axis", 0}});
  };
  Expr at = n.call("broadcast_to", {table(n, t.roots),
                                    ShapeExpr::make({dims[0], int_imm(static_cast<int64_t>(t.roots.size()))}, n.span)});
  const Expr feature = table(n, t.feature), value = table(n, t.value), yes = table(n, t.yes), no = table(n, t.no);
  for (int64_t step = 0; step < t.depth; ++step) {
    const Expr seen = n.call("gather_elements", {x, look_up(feature, at)}, {{"axis", 1}});
    const Expr holds = binary(n, comparison_of(n, t.mode), seen, look_up(value, at));
    at = n.builder.bind(chosen(n, holds, look_up(yes, at), look_up(no, at)), "node");
  }
  const Expr sums = n.call("sum", {look_up(table(n, {t.count(), count}, added), at)},
                           {{"axis", AttrValue::ints({1})}, {"keepdims", false}});
  return bases.empty() ? sums : binary(n, "add", sums, table(n, bases));
}

Expr transformed(const NodeContext& n, const Expr& scores) {
  const std::string name = n.string_attr("post_transform", "NONE");
  if (name == "NONE") return scores;
  if (name == "LOGISTIC") return n.call("sigmoid", {scores});
  if (name == "SOFTMAX") return n.call("nn.softmax", {scores}, {{"axis", 1}});
  throw UnsupportedUse{"with `post_transform` " + name};
}

Results tree_regressor(const NodeContext& n) {
  const Trees t = read_trees(n);
  const std::string aggregate = n.string_attr("aggregate_function", "SUM");
  if (aggregate != "SUM") throw UnsupportedUse{"with `aggregate_function` " + aggregate};
  return transformed(n, sums_of_leaves(n, t, "target", n.int_attr("n_targets", 1)));
}

/// Two classes of which leaves know one have the scores 1 - p and p, or -p and p where weights may be negative.
Expr scores_of_two(const NodeContext& n, const Expr& p, bool are_shares) {
  const std::string name = n.string_attr("post_transform", "NONE");
  const bool is_logistic = name == "LOGISTIC";
  if (name != "NONE" && (are_shares || !is_logistic))
    throw UnsupportedUse{"of two classes with `post_transform` " + name};
  const Expr other = are_shares ? binary(n, "subtract", 1, p) : n.call("negative", {p});
  const Expr both = joined(n, {other, p}, 1);
  return is_logistic ? n.call("sigmoid", {both}) : both;
}

Results tree_classifier(const NodeContext& n) {
  const Trees t = read_trees(n);
  const std::vector<int64_t> labels = ints(n, "classlabels_int64s"), ids = ints(n, "class_ids");
  if (labels.empty()) throw UnsupportedUse{"with labels that are texts"};
  if (ids.empty()) n.fail("no leaf has a class");
  const bool knows_one = labels.size() == 2 && std::ranges::all_of(ids, [&](int64_t i) { return i == ids[0]; });
  const Expr names = table(n, labels);
  if (!knows_one) {
    const Expr sums = sums_of_leaves(n, t, "class", static_cast<int64_t>(labels.size()));
    const Expr best = n.call("argmax", {sums}, {{"axis", 1}, {"keepdims", false}});
    return {n.call("take", {names, best}, {{"axis", 0}}), transformed(n, sums)};
  }
  if (ids[0] != 0) throw UnsupportedUse{"of two classes of which leaves know the second alone"};
  if (n.has_attr("base_values")) throw UnsupportedUse{"of two classes with `base_values`"};
  const bool are_shares = std::ranges::all_of(floats(n, "class_weights"), [](double w) { return w >= 0; });
  const Expr all = sums_of_leaves(n, t, "class", 2);
  const Expr p = sliced(n.builder, all, {{.axis = 1, .begin = int_imm(0), .end = int_imm(1)}}, n.span);
  const Expr is_second = without_axes(n.builder, binary(n, "greater", p, are_shares ? 0.5 : 0), {1}, n.span);
  const auto label = [&](size_t i) { return integer_constant(DType::int_(64), labels[i], n.span); };
  return {chosen(n, is_second, label(1), label(0)), scores_of_two(n, p, are_shares)};
}

}  // namespace

std::vector<Converter> classical_converters() {
  const char* kTrees = "a step of `R.take`, `R.gather_elements` and a comparison for each level of the trees";
  return {
      {"ai.onnx.ml::Scaler", 1, scaler, "`R.subtract`, `R.multiply`"},
      {"ai.onnx.ml::TreeEnsembleRegressor", 1, tree_regressor, kTrees,
       "sums alone, one kind of comparison, no missing values that are tracked, 1000 levels at most"},
      {"ai.onnx.ml::TreeEnsembleClassifier", 1, tree_classifier, kTrees,
       "labels that are integers, one kind of comparison, no missing values that are tracked, 1000 levels at most"}};
}

}  // namespace sunmao::onnx
