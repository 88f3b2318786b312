// Loops: range, T.grid, T.serial and its kinds.
#include "script/prim_reader.h"

namespace sunmao::script {

Range PrimReader::loop_range(const PyExpr* start, const PyExpr* stop, const PyExpr& at) {
  Scalar end = scalar(*stop);
  Scalar begin =
      start ? scalar(*start) : IntImm::make(end->dtype.is_integral() ? end->dtype.element() : defaults_.integer, 0);
  unify(begin, end);
  if (begin->dtype != end->dtype && find<IntImm>(begin))
    begin = IntImm::make(end->dtype.is_integral() ? end->dtype.element() : defaults_.integer, *find_int(begin));
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

// `for i, j in T.grid(4, 8):` is a nest of serial loops.
void PrimReader::grid(const PyStmt& s, const PyExpr& call, Items& out) {
  std::vector<Range> ranges;
  for (size_t i = 0; i < call.arg_count(); ++i) {
    const PyExpr& extent = call.arg(i);
    bool pair = extent.kind == PyKind::Tuple && extent.items.size() == 2;
    ranges.push_back(pair ? loop_range(extent.items[0].get(), extent.items[1].get(), extent)
                          : loop_range(nullptr, &extent, extent));
  }
  std::vector<const PyExpr*> targets = elements(*s.target);
  bool together = targets.size() == 1 && ranges.size() != 1;
  if (ranges.empty() || (!together && targets.size() != ranges.size()))
    error("E0108", call, fmt::format("`T.grid` has {} extents for {} loop variables", ranges.size(), targets.size()));
  Deeper deeper(*this, s.place);
  for (size_t i = 1; i < ranges.size(); ++i) deeper.add(s.place);
  ScopeLevel level(scope_);
  std::vector<Ref<SymVar>> vars;
  for (size_t i = 0; i < ranges.size(); ++i) {
    vars.push_back(loop_var(*targets[together ? 0 : i], ranges[i]));
    if (!together) scope_.set(vars[i]->name, Scalar(vars[i]));
  }
  if (together) scope_.set(vars[0]->name, std::vector<Scalar>(vars.begin(), vars.end()));
  Stmt body = sequence(s.body, nullptr);
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
  if (given[4] && !(number(*given[4]) && integer(*given[4], "the step") == 1))
    error("E0105", *given[4], "loops count by one", "multiply the loop variable");
  For::Options options{.kind = kind->second, .span = ctx_.span(s.place)};
  bool binds_thread = options.kind == ForKind::ThreadBinding;
  if (binds_thread != (given[2] != nullptr))
    error("E0108", e, binds_thread ? "`T.thread_binding` needs `thread=`" : "`thread=` belongs to `T.thread_binding`",
          "write `T.thread_binding(128, thread=\"threadIdx.x\")`");
  if (given[2]) options.thread = text(*given[2], "`thread`");
  if (given[3] && !given[3]->is_literal("None")) options.annotations = Attrs(map(*given[3]));
  Range range = loop_range(given[0], given[1], e);
  Ref<SymVar> var = loop_var(*s.target, range);
  ScopeLevel level(scope_);
  scope_.set(var->name, Scalar(var));
  Stmt body = sequence(s.body, nullptr);
  out.push_back({For::make(var, range.min, range.extent, std::move(body), std::move(options)), {}});
}

}  // namespace sunmao::script
