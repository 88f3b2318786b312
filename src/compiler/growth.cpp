#include "compiler/growth.h"

#include <algorithm>
#include <unordered_map>

#include "io/concat.h"
#include "ir/walk.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

constexpr size_t kShown = 10;

size_t type_bytes(const Type& type) {
  const auto* tensor = find<TensorType>(type);
  if (!tensor || !tensor->dims()) return 0;
  std::vector<int64_t> shape;
  for (const Scalar& d : *tensor->dims()) {
    if (!find_int(d)) return 0;
    shape.push_back(*find_int(d));
  }
  return static_cast<size_t>(shape_bytes(shape, tensor->dtype).value_or(0));
}

/// The bindings of a preparing function, and what each of its values is made of.
class PreparedValues {
 public:
  explicit PreparedValues(const PreparingStep& step) : takes_(step.takes), tuple_(step.function->params.at(0)) {
    for (const Ref<BindingBlock>& block : step.function->body->blocks)
      for (const Binding& b : block->bindings) bindings_.emplace(b.var, &b);
  }

  /// Returns the fields of the function's result; null when they are not told.
  const Tuple* results(const Expr& body) const {
    const auto it = bindings_.find(find_ref<Var>(body));
    return find<Tuple>(it == bindings_.end() ? body : it->second->value);
  }

  /// Returns the names of the raw weights that `e` is made of, in order.
  std::vector<std::string> sources(const Expr& e) const {
    std::vector<std::string> out;
    std::unordered_set<Ref<Var>> seen;
    std::vector<Expr> open{e};
    while (!open.empty()) {
      const Expr next = open.back();
      open.pop_back();
      if (const auto* item = find<TupleGetItem>(next); item && item->tuple == Expr(tuple_)) {
        const std::string& name = takes_.at(static_cast<size_t>(item->index));
        if (std::ranges::find(out, name) == out.end()) out.push_back(name);
        continue;
      }
      for (const Ref<Var>& v : free_vars(next))
        if (auto it = bindings_.find(v); it != bindings_.end() && seen.insert(v).second)
          open.push_back(it->second->value);
    }
    return out;
  }

  /// Returns where the value of `e` first takes more bytes than what it is computed from.
  std::string first_increase(const Expr& e) const {
    for (Expr at = e;;) {
      const auto it = bindings_.find(find_ref<Var>(at));
      if (it == bindings_.end()) return {};
      size_t most = 0;
      Expr largest;
      for (const Ref<Var>& v : free_vars(it->second->value))
        if (type_bytes(v->type) > most) {
          most = type_bytes(v->type);
          largest = v;
        }
      if (!largest || type_bytes(it->second->var->type) > most)
        return it->second->span ? it->second->span->label : std::string();
      at = largest;
    }
  }

 private:
  const std::vector<std::string>& takes_;
  Ref<Var> tuple_;
  std::unordered_map<Ref<Var>, const Binding*> bindings_;
};

}  // namespace

double Growth::share() const {
  return bytes_before == 0 ? 0 : static_cast<double>(bytes_after) / static_cast<double>(bytes_before) - 1;
}

void add_grown(const PreparingStep& step, const std::map<std::string, size_t>& bytes, Growth& growth) {
  const PreparedValues steps(step);
  const Tuple* results = steps.results(step.function->body->body);
  for (size_t i = 0; i < step.gives.size(); ++i) {
    GrownWeight w{.name = step.gives[i], .made_of = {}, .bytes_after = bytes.at(step.gives[i]), .where = {}};
    if (results && i < results->fields.size()) {
      w.made_of = steps.sources(results->fields[i]);
      w.where = steps.first_increase(results->fields[i]);
    }
    for (const std::string& name : w.made_of) w.bytes_before += bytes.at(name);
    if (w.bytes_after > w.bytes_before) growth.grown.push_back(std::move(w));
  }
  std::ranges::stable_sort(growth.grown, std::greater(),
                           [](const GrownWeight& w) { return w.bytes_after - w.bytes_before; });
}

std::vector<std::string> growth_lines(const Growth& growth) {
  std::vector<std::string> lines;
  for (const GrownWeight& w : growth.grown) {
    if (lines.size() == kShown) break;
    lines.push_back(fmt::format("{}: {} bytes instead of {}{}", io::quoted(w.name), w.bytes_after, w.bytes_before,
                                w.where.empty() ? "" : ", at " + w.where));
  }
  if (growth.grown.size() > kShown) lines.push_back(fmt::format("and {} more", growth.grown.size() - kShown));
  return lines;
}

std::string growth_text(const Growth& growth) {
  if (growth.share() <= kReportedGrowth) return {};
  std::string text = fmt::format("the weights grow by {:.1f} %, from {} to {} bytes", 100 * growth.share(),
                                 growth.bytes_before, growth.bytes_after);
  for (const std::string& line : growth_lines(growth)) text += fmt::format("\n  {}", line);
  return text;
}

}  // namespace sunmao
