// PrimReader for loops: range, T.grid, T.serial and other loop kinds.
#include <algorithm>

#include "script/prim_reader.h"

namespace sunmao::script {

Range PrimReader::loop_range(const PyExpr* start, const PyExpr* stop, const PyExpr& at) {
  Scalar end = scalar(*stop);
  Scalar begin =
      start ? scalar(*start) : IntImm::make(end->dtype.is_integral() ? end->dtype.element() : defaults_.integer, 0);
  unify(begin, end);
  if (begin->dtype != end->dtype && find<IntImm>(begin))
    begin = integer_of(end->dtype.is_integral() ? end->dtype.element() : defaults_.integer, *find_int(begin), span(at));
  if (!end->dtype.is_integral() || end->dtype.lanes != 1 || begin->dtype != end->dtype)
    error("E0110", at,
          fmt::format("the ends of a loop are integers of one type, got {} and {}", begin->dtype.str(),
                      end->dtype.str()));
  if (find_int(begin) && *find_int(begin) == 0) return {begin, end};
  return {begin, distance(begin, end, at.place)};
}

Ref<SymVar> PrimReader::loop_var(const PyExpr& target, const Range& range) {
  if (target.kind != PyKind::Name)
    error("E0105", target, fmt::format("`{}` is no name", unparse(target)), "a loop variable is a name");
  Ref<SymVar> var = SymVar::make(target.text, range.extent->dtype, span(target));
  loops_.insert_or_assign(var.get(), range);
  return var;
}

std::vector<Range> PrimReader::grid_ranges(const PyExpr& call) {
  std::vector<Range> out;
  for (size_t i = 0; i < call.arg_count(); ++i) {
    const PyExpr& extent = call.arg(i);
    if (extent.kind == PyKind::Starred) {
      for (Scalar& s : unpacked(extent)) out.push_back({IntImm::make(s->dtype, 0), s});
      continue;
    }
    bool pair = extent.kind == PyKind::Tuple && extent.items.size() == 2;
    out.push_back(pair ? loop_range(extent.items[0].get(), extent.items[1].get(), extent)
                       : loop_range(nullptr, &extent, extent));
  }
  return out;
}

// Reads `for i, j in T.grid(4, 8):` as a nest of serial loops. A single or starred name stands for several variables.
void PrimReader::grid(const PyStmt& s, const PyExpr& call, Items& out) {
  std::vector<Range> ranges = grid_ranges(call);
  std::vector<const PyExpr*> targets = elements(*s.target);
  auto star = std::ranges::find_if(targets, [](const PyExpr* t) { return t->kind == PyKind::Starred; });
  bool together = targets.size() == 1 && ranges.size() != 1 && star == targets.end();
  size_t fixed = targets.size() - (star != targets.end() || together ? 1 : 0);
  bool fits = star != targets.end() || together ? fixed <= ranges.size() : fixed == ranges.size();
  if (ranges.empty() || !fits)
    error("E0108", call, fmt::format("`T.grid` has {} extents for {} loop variables", ranges.size(), targets.size()));
  Deeper deeper(*this, s.place);
  for (size_t i = 1; i < ranges.size(); ++i) deeper.add_scope(s.place);
  ScopeLevel level(scope_);
  std::vector<Ref<SymVar>> vars;
  for (const PyExpr* target : targets) {
    bool is_star = target->kind == PyKind::Starred;
    const PyExpr& name = is_star ? *target->items[0] : *target;
    std::vector<Scalar> several;
    for (size_t count = is_star || together ? ranges.size() - fixed : 1; count > 0; --count) {
      vars.push_back(loop_var(name, ranges[vars.size()]));
      several.push_back(vars.back());
    }
    if (is_star || together)
      scope_.set(name.text, std::move(several));
    else
      scope_.set(name.text, several[0]);
  }
  Stmt body = loop_body(s.body);
  for (size_t i = ranges.size(); i-- > 0;)
    body = For::make(vars[i], ranges[i].min, ranges[i].extent, std::move(body), {.span = ctx_.span(s.place)});
  out.push_back({std::move(body), {}});
}

void PrimReader::for_(const PyStmt& s, Items& out) {
  const PyExpr& e = *s.value;
  auto [dialect, name] = dialect_name(e.kind == PyKind::Call ? *e.items[0] : e);
  bool is_range = e.kind == PyKind::Call && e.items[0]->is_name("range");
  if (dialect == 'T' && name == "grid" && e.kind == PyKind::Call) {
    if (!e.keywords.empty())
      ctx_.error("E0109", e.keywords[0].place, "`T.grid` takes no keywords", "write single loops for annotations");
    return grid(s, e, out);
  }
  static const std::unordered_map<std::string, ForKind> kKinds{
      {"serial", ForKind::Serial},         {"range", ForKind::Serial},    {"parallel", ForKind::Parallel},
      {"vectorized", ForKind::Vectorized}, {"unroll", ForKind::Unrolled}, {"thread_binding", ForKind::ThreadBinding}};
  auto kind = is_range ? kKinds.find("range") : kKinds.find(name);
  if (e.kind != PyKind::Call || kind == kKinds.end() || (!is_range && dialect != 'T'))
    error("E0105", e, fmt::format("`{}` is nothing to loop over", unparse(e)),
          "loops are over `range(n)`, `T.grid(n, m)`, `T.serial(n)`, `T.parallel(n)` …");

  std::vector<std::string> names{"start", "stop", "thread", "annotations", "step"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, e, (is_range ? "" : "T.") + kind->first, names);
  if (given[1] && given[1]->kind == PyKind::String && !given[2]) std::swap(given[1], given[2]);
  if (is_range && given[2]) std::swap(given[2], given[4]);  // range(0, n, 1)
  if (given[1] && given[1]->is_literal("None")) given[1] = nullptr;
  if (!given[0] && !given[1]) error("E0108", e, "a loop needs an end", "write `range(n)`");
  if (!given[1]) std::swap(given[0], given[1]);
  Scalar step = given[4] && !given[4]->is_literal("None") ? scalar(*given[4]) : nullptr;
  if (step && find_int(step) && *find_int(step) == 1) step = nullptr;
  For::Options options{.kind = kind->second, .span = ctx_.span(s.place)};
  bool binds_thread = options.kind == ForKind::ThreadBinding;
  if (binds_thread != (given[2] != nullptr))
    error("E0108", e, binds_thread ? "`T.thread_binding` needs `thread=`" : "`thread=` belongs to `T.thread_binding`",
          "write `T.thread_binding(128, thread=\"threadIdx.x\")`");
  if (given[2]) options.thread = text(*given[2], "`thread`");
  if (given[3] && !given[3]->is_literal("None")) options.annotations = Attrs(map(*given[3]));
  Range range = loop_range(given[0], given[1], e);
  if (step) return stepped_loop(s, range, std::move(step), std::move(options), out);
  Ref<SymVar> var = loop_var(*s.target, range);
  ScopeLevel level(scope_);
  scope_.set(var->name, Scalar(var));
  Stmt body = loop_body(s.body);
  out.push_back({For::make(var, range.min, range.extent, std::move(body), std::move(options)), {}});
}

// A loop with a step iterates over the trip count and binds the variable to `min + round * step`.
void PrimReader::stepped_loop(const PyStmt& s, const Range& range, Scalar step, For::Options options, Items& out) {
  const PyExpr& at = *s.value;
  if (find<IntImm>(step)) step = integer_of(range.extent->dtype, *find_int(step), step->span);
  if (find_int(step) && *find_int(step) <= 0)
    error("E0110", at, fmt::format("a loop counts up, its step is {}", *find_int(step)), "turn the loop around");
  if (step->dtype != range.extent->dtype)
    error("E0110", at,
          fmt::format("the ends of the loop are {}, its step is {}", range.extent->dtype.str(), step->dtype.str()));
  const int64_t *count = find_int(range.extent), *by = find_int(step);
  DType type = step->dtype;
  Scalar rounds = count && by ? IntImm::make(type, *count <= 0 ? 0 : (*count - 1) / *by + 1)
                              : floor_div(range.extent + step - IntImm::make(type, 1), step);
  Range all{IntImm::make(type, 0), rounds};
  if (s.target->kind != PyKind::Name)
    error("E0105", *s.target, fmt::format("`{}` is no name", unparse(*s.target)), "a loop variable is a name");
  const std::string& name = s.target->text;
  Ref<SymVar> round = SymVar::make(name + "_round", type, span(*s.target));
  Scalar value = round * step;
  if (!find_int(range.min) || *find_int(range.min) != 0) value = range.min + value;
  ScopeLevel level(scope_);
  Ref<SymVar> index = SymVar::make(name, type, span(*s.target));
  scope_.set(name, Scalar(index));
  Stmt body = Bind::make(index, value, loop_body(s.body), span(*s.target));
  out.push_back({For::make(round, all.min, all.extent, std::move(body), std::move(options)), {}});
}

}  // namespace sunmao::script
