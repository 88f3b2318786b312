#include "compiler/preparation.h"

#include <algorithm>

#include "ir/equal.h"
#include "ir/walk.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/result_tuple.h"
#include "passes/weights/parameter_stages.h"
#include "passes/weights/weight_dependence.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

const Function& function(const Module& m, const std::string& name) { return *find<Function>(Expr(m.find(name))); }

// True when one array may have both types. Symbolic dimensions count as equal, because each function has symbols of its
// own.
bool is_same_weight(const Type& a, const Type& b) {
  const auto *t = find<TensorType>(a), *u = find<TensorType>(b);
  if (!t || !u || !t->dims() || !u->dims()) return structural_equal(a, b);
  return t->dtype == u->dtype && std::ranges::equal(*t->dims(), *u->dims(), [](const Scalar& x, const Scalar& y) {
           const int64_t *m = find_int(x), *n = find_int(y);
           return m && n ? *m == *n : !m && !n;
         });
}

// Returns the function with only these fields as result.
Ref<Function> with_fields(const Function& transform, std::vector<Expr> fields) {
  const Expr tuple = Tuple::make(std::move(fields));
  Expr result = tuple;
  std::vector<Ref<BindingBlock>> blocks;
  for (const Ref<BindingBlock>& block : transform.body->blocks) {
    std::vector<Binding> bindings = block->bindings;
    for (Binding& b : bindings)
      if (b.var == transform.body->body) {
        b = {Var::make(b.var->name, tuple->type), tuple, nullptr, b.span};
        result = b.var;
      }
    blocks.push_back(make_block(std::move(bindings), block->is_dataflow, block->span));
  }
  return transform.with_body(SeqExpr::make(std::move(blocks), result, transform.body->span));
}

// Maps variables that are unmodified fields of the transform's tuple to the field index.
std::unordered_map<Ref<Var>, size_t> find_raw_fields(const Function& transform) {
  std::unordered_map<Ref<Var>, size_t> fields;
  for (const Ref<BindingBlock>& block : transform.body->blocks)
    for (const Binding& b : block->bindings) {
      if (b.is_match_cast()) continue;
      const auto* field = find<TupleGetItem>(b.value);
      if (field && field->tuple == transform.params[0]) fields.emplace(b.var, static_cast<size_t>(field->index));
      if (auto known = fields.find(find_ref<Var>(b.value)); known != fields.end()) fields.emplace(b.var, known->second);
    }
  return fields;
}

class Planner {
 public:
  // Raw weights get their names before prepared ones.
  Planner(const Module& module, const std::vector<std::string>& entries) : module_(module), entries_(entries) {
    for (const std::string& entry : entries)
      if (const std::vector<std::string> stages = stages_of(entry); !stages.empty()) take_raw(stages[0]);
  }

  Preparation run() {
    for (const std::string& entry : entries_) plan(entry);
    return std::move(out_);
  }

 private:
  std::vector<std::string> stages_of(const std::string& entry) const {
    const Function& f = function(module_, entry);
    return f.params.size() == *num_input(f, entry) ? std::vector<std::string>() : param_transforms(entry, module_);
  }

  void plan(const std::string& entry) {
    const Function& f = function(module_, entry);
    const size_t inputs = *num_input(f, entry);
    const std::vector<std::string> stages = stages_of(entry);
    if (stages.empty()) return;
    auto [known, is_new] = given_.try_emplace(stages);
    if (is_new) {
      std::vector<std::string> names = names_in(function(module_, stages[0]), kWeightNamesAttr);
      for (size_t i = 0; i + 1 < stages.size(); ++i) names = step(stages[i], names, {}, stages[i]);
      std::vector<std::string> wanted;
      for (size_t i = inputs; i < f.params.size(); ++i) wanted.push_back(f.params[i]->name);
      known->second = step(stages.back(), names, wanted, entry);
    }
    for (size_t i = inputs; i < f.params.size(); ++i) {
      check_is_array(*f.params[i]);
      out_.bound[entry].emplace(f.params[i]->name, known->second.at(i - inputs));
    }
  }

  static void check_is_array(const Var& v) {
    if (!find<TensorType>(v.type))
      fail("E0521", v.span, fmt::format("`{}` is {}, and an artifact holds arrays", v.name, describe(v.type)),
           "weights of sizes that only they know: give them their sizes with bind-symbolic-vars");
  }

  void take_raw(const std::string& stage) {
    const Function& f = function(module_, stage);
    std::vector<std::string> names = names_in(f, kWeightNamesAttr);
    const auto& types = find<TupleType>(f.params[0]->type)->fields;
    if (names.size() != types.size())
      fail("E0520", f.span,
           fmt::format("`{}` takes {} weights and names {} of them", stage, types.size(), names.size()),
           fmt::format("say what they are called: R.func_attr({{\"{}\": [\"w\", …]}})", kWeightNamesAttr));
    for (size_t i = 0; i < names.size(); ++i) {
      auto [known, is_new] = raw_types_.try_emplace(names[i], types[i]);
      if (is_new) out_.raw.emplace_back(names[i], types[i]);
      taken_.insert(names[i]);
      if (!is_same_weight(known->second, types[i]))
        fail("E0521", f.span,
             fmt::format("two functions take a weight `{}`: one takes {}, the other {}", names[i],
                         describe(known->second), describe(types[i])),
             "weights that differ have names that differ");
    }
  }

  // Returns an unused name for a new weight: `wanted`, or a longer one if that is taken; `<owner>.<i>` when `wanted` is
  // empty.
  std::string name_of(const std::string& wanted, const std::string& owner, size_t i) {
    std::string name = wanted.empty() ? fmt::format("{}.{}", owner, i) : wanted;
    if (taken_.contains(name)) name = fmt::format("{}.{}", owner, name);
    const std::string base = name;
    for (int n = 1; taken_.contains(name); ++n) name = fmt::format("{}.{}", base, n);
    taken_.insert(name);
    return name;
  }

  // Adds a transform and returns the names of its results; `wanted` are preferred names.
  std::vector<std::string> step(const std::string& stage, const std::vector<std::string>& takes,
                                const std::vector<std::string>& wanted, const std::string& owner) {
    const Function& f = function(module_, stage);
    if (f.body->body == f.params[0]) return takes;
    PreparingStep s{
        .name = stage, .function = find_ref<Function>(Expr(module_.find(stage))), .takes = takes, .gives = {}};
    const Ref<Tuple> fields = find_result_tuple(f).tuple;
    const std::unordered_map<Ref<Var>, size_t> raw_fields = find_raw_fields(f);
    std::vector<std::string> given;
    std::vector<Expr> computed;
    for (size_t i = 0; i < find<TupleType>(f.result_type)->fields.size(); ++i) {
      const Expr field = fields ? fields->fields[i] : Expr();
      if (auto raw = raw_fields.find(find_ref<Var>(field)); raw != raw_fields.end()) {
        given.push_back(takes.at(raw->second));
        continue;
      }
      given.push_back(name_of(i < wanted.size() ? wanted[i] : std::string(), owner, i));
      s.gives.push_back(given.back());
      computed.push_back(field);
    }
    if (computed.empty()) return given;
    if (computed.size() < given.size()) s.function = with_fields(f, computed);
    out_.steps.push_back(std::move(s));
    return given;
  }

  const Module& module_;
  const std::vector<std::string>& entries_;
  Preparation out_;
  std::unordered_map<std::string, Type> raw_types_;
  std::set<std::string> taken_;
  // planned chains of transforms, and the names of their results
  std::map<std::vector<std::string>, std::vector<std::string>> given_;
};

}  // namespace

std::vector<std::string> find_weighted_entries(const Module& module) {
  std::vector<std::string> names;
  for (const FunctionEntry& e : module.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    const std::optional<size_t> inputs = f ? num_input(*f, e.var->name) : std::nullopt;
    if (inputs && *inputs < f->params.size() && !is_param_transform(*f)) names.push_back(e.var->name);
  }
  return names;
}

std::map<std::string, std::vector<std::string>> group_by_weights(const Module& module,
                                                                 const std::vector<std::string>& entries) {
  std::map<std::string, std::vector<std::string>> alike;
  for (const std::string& name : entries) {
    const Function& f = function(module, name);
    std::string weights;
    bool is_known = !f.attrs.has(kParamTransformAttr);
    for (size_t i = *num_input(f, name); i < f.params.size(); ++i) {
      is_known &= free_symbols(f.params[i]->type).empty();
      weights += fmt::format("{}: {}\n", f.params[i]->name, describe(f.params[i]->type));
    }
    if (is_known) alike[weights].push_back(name);
  }
  std::map<std::string, std::vector<std::string>> groups;
  for (auto& [weights, names] : alike) {
    if (names.size() < 2) continue;
    std::string transform = "transform_params";
    for (int i = 1; module.find(transform) || groups.contains(transform); ++i)
      transform = fmt::format("transform_params_{}", i);
    groups.emplace(transform, std::move(names));
  }
  return groups;
}

Preparation plan_preparation(const Module& module, const std::vector<std::string>& entries) {
  return Planner(module, entries).run();
}

}  // namespace sunmao
