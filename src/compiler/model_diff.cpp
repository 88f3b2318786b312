#include "compiler/model_diff.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "eval/element.h"
#include "ir/op.h"
#include "ir/source_names.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr double kSame = 1e-4;  // relative to the scale of the values: rounding of reordered arithmetic

Ref<Function> main_of(const Model& model) { return model.module.find_as<Function>("main"); }

std::vector<double> numbers_of(const Array& data) {
  std::vector<double> out(static_cast<size_t>(data.count()));
  for (size_t i = 0; i < out.size(); ++i) out[i] = number_at(data, static_cast<int64_t>(i));
  return out;
}

double scale_of(const std::vector<double>& values) {
  double scale = 0;
  for (double v : values)
    if (std::isfinite(v)) scale = std::max(scale, std::abs(v));
  return scale;
}

bool agree(double a, double b, double scale) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= kSame * scale;
}

/// The numbers of a value in order, for comparison with another one whose axes may be in another order.
struct Sorted {
  std::vector<double> values;
  double scale;
  explicit Sorted(const Array& data) : values(numbers_of(data)), scale(scale_of(values)) {
    std::ranges::sort(values, [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
  }
  bool same_as(const Sorted& other) const {
    if (values.size() != other.values.size()) return false;
    const double most = std::max(scale, other.scale);
    for (size_t i = 0; i < values.size(); ++i)
      if (!agree(values[i], other.values[i], most)) return false;
    return true;
  }
};

std::string name_in_file(const Model& model, const std::string& parameter) {
  const Ref<Function> main = main_of(model);
  const AttrMap* names = main ? main->attr<AttrMap>(kSourceWeightsAttr) : nullptr;
  if (names)
    if (auto it = names->find(parameter); it != names->end())
      if (const auto* own = it->second.find<std::string>()) return *own;
  return parameter;
}

template <class F>
void for_each_binding(const Function& f, F visit) {
  for (const Ref<BindingBlock>& block : f.body->blocks)
    for (const Binding& b : block->bindings) visit(b);
}

std::string op_of(const Expr& value) {
  const auto* call = find<Call>(value);
  const Op* op = call ? sunmao::op_of(*call) : nullptr;
  return op ? op->name() : std::string();
}

std::string place_of(const TracedValue& value) {
  return value.place.empty() ? value.op : fmt::format("{} ({})", value.place, value.op);
}

}  // namespace

std::map<std::string, std::pair<size_t, size_t>> count_ops(const Model& a, const Model& b) {
  std::map<std::string, std::pair<size_t, size_t>> counts;
  if (const Ref<Function> main = main_of(a))
    for_each_binding(*main, [&](const Binding& x) {
      if (const std::string op = op_of(x.value); !op.empty()) ++counts[op].first;
    });
  if (const Ref<Function> main = main_of(b))
    for_each_binding(*main, [&](const Binding& x) {
      if (const std::string op = op_of(x.value); !op.empty()) ++counts[op].second;
    });
  return counts;
}

std::vector<WeightPair> pair_weights(const Model& a, const Model& b) {
  std::vector<WeightPair> pairs;
  std::map<std::string, const Array*> open;  // weights of b without a partner
  for (const auto& [name, data] : b.weights) open.emplace(name, &data);
  const auto take = [&](const auto& is_partner) {
    auto it = std::ranges::find_if(open, is_partner);
    if (it == open.end()) return std::optional<std::pair<std::string, size_t>>();
    auto found = std::make_optional(std::make_pair(name_in_file(b, it->first), it->second->size_bytes()));
    open.erase(it);
    return found;
  };
  for (const auto& [name, data] : a.weights) {
    WeightPair pair{.name_a = name_in_file(a, name), .name_b = {}, .bytes_a = data.size_bytes()};
    auto partner = take([&](const auto& other) { return *other.second == data; });
    if (!partner && data.dtype().is_float()) {
      std::optional<Sorted> own;
      partner = take([&](const auto& other) {
        if (other.second->count() != data.count() || other.second->dtype() != data.dtype()) return false;
        if (!own) own.emplace(data);
        return own->same_as(Sorted(*other.second));
      });
      pair.is_reordered = partner.has_value();
    }
    if (partner) std::tie(pair.name_b, pair.bytes_b) = *partner;
    pairs.push_back(std::move(pair));
  }
  for (const auto& [name, data] : open)
    pairs.push_back({.name_a = {}, .name_b = name_in_file(b, name), .bytes_b = data->size_bytes()});
  return pairs;
}

TracedModel traced(const Model& model) {
  const Ref<Function> main = main_of(model);
  if (!main) fail("E0003", {}, "the module has no function `main`", "the values of `main` are compared");
  TracedModel out{.model = model, .results = 0, .values = {}};
  std::vector<Expr> results{main->body->body};
  if (const auto* tuple = find<Tuple>(main->body->body)) results = tuple->fields;
  out.results = results.size();
  // A variable of a dataflow block is not visible behind it, so another one is bound to it.
  std::vector<Ref<BindingBlock>> blocks;
  for (const Ref<BindingBlock>& block : main->body->blocks) {
    std::vector<Binding> bindings = block->bindings;
    for (const Binding& b : block->bindings) {
      const auto* tensor = find<TensorType>(b.var->type);
      if (!tensor || !tensor->dims() || !tensor->dtype.is_float()) continue;
      Ref<Var> visible = b.var;
      if (b.var->is_dataflow) {
        visible = Var::make(b.var->name + "_traced", b.var->type, b.span);
        bindings.push_back({visible, b.var, nullptr, b.span});
      }
      results.push_back(visible);
      out.values.push_back({op_of(b.value), b.span ? b.span->label : std::string(), {}, b.var->name});
    }
    blocks.push_back(block->is_dataflow ? BindingBlock::make_dataflow(std::move(bindings))
                                        : BindingBlock::make(std::move(bindings)));
  }
  Ref<SeqExpr> body = SeqExpr::make(std::move(blocks), Tuple::make(std::move(results)), main->body->span);
  Attrs attrs = main->attrs.without(kSourceOutputsAttr);
  out.model.module = model.module.with_function(
      "main", Function::make(main->params, std::move(body), nullptr, main->is_pure, std::move(attrs), main->span));
  return out;
}

Divergence find_divergence(const std::vector<TracedValue>& a, const std::vector<TracedValue>& b) {
  std::vector<Sorted> others;
  for (const TracedValue& v : b) others.emplace_back(v.data);
  size_t behind_a = 0, behind_b = 0;  // the numbers of values up to and with the last ones that agree
  Divergence out;
  for (size_t i = 0; i < a.size(); ++i) {
    const Sorted own(a[i].data);
    for (size_t k = 0; k < b.size(); ++k) {
      if (!own.same_as(others[k])) continue;
      behind_a = i + 1;
      behind_b = std::max(behind_b, k + 1);
      out.last_a = place_of(a[i]);
      out.last_b = place_of(b[k]);
      break;
    }
  }
  out.is_found = behind_a < a.size();
  if (out.is_found) out.first_a = place_of(a[behind_a]);
  if (out.is_found && behind_b < b.size()) out.first_b = place_of(b[behind_b]);
  return out;
}

double relative_difference(const Array& a, const Array& b) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return kInfinite;
  const std::vector<double> x = numbers_of(a), y = numbers_of(b);
  const double scale = std::max(scale_of(x), std::numeric_limits<double>::min());
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    const double difference = std::abs(x[i] - y[i]) / scale;
    largest = std::isnan(difference) ? kInfinite : std::max(largest, difference);
  }
  return largest;
}

}  // namespace sunmao
