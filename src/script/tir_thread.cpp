// PrimReader for device threads: T.env_thread, T.launch_thread, and the attribute of older scripts. A launch and that
// attribute become a thread-bound loop.
#include <algorithm>

#include "script/prim_reader.h"

namespace sunmao::script {

namespace {

std::string name_of_tag(std::string tag) {
  std::replace(tag.begin(), tag.end(), '.', '_');
  return tag;
}

}  // namespace

PrimReader::Item PrimReader::thread_loop(Ref<SymVar> var, Scalar extent, const std::string& tag, const PyExpr& at) {
  if (!extent->dtype.is_integral() || extent->dtype.lanes != 1)
    error("E0110", at, fmt::format("a number of threads is an integer, not {}", extent->dtype.str()));
  if (find<IntImm>(extent) && extent->dtype != var->dtype) extent = integer_of(var->dtype, *find_int(extent), span(at));
  if (extent->dtype != var->dtype)
    error("E0110", at,
          fmt::format("the thread is an {}, the number of threads an {}", var->dtype.str(), extent->dtype.str()));
  Scalar zero = IntImm::make(var->dtype, 0);
  loops_.insert_or_assign(var.get(), Range{zero, extent});
  For::Options options{.kind = ForKind::ThreadBinding, .thread = tag, .span = span(at)};
  return {nullptr, [=](Stmt body) { return For::make(var, zero, extent, std::move(body), options); }};
}

// Reads `T.launch_thread("blockIdx.x", 64)`, or with a name from `T.env_thread`. `target` is the bound name.
PrimReader::Item PrimReader::launch(const PyExpr& call, const PyExpr* target) {
  std::vector<std::string> names{"thread", "extent"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, call, "T.launch_thread", names);
  if (!given[0] || !given[1])
    error("E0108", call, "`T.launch_thread` takes a thread and how many there are",
          "write `tx = T.launch_thread(\"threadIdx.x\", 128)`");
  auto known = given[0]->kind == PyKind::Name ? threads_.find(given[0]->text) : threads_.end();
  Scalar extent = scalar(*given[1]);
  std::string tag, name;
  DType type = extent->dtype;
  if (known != threads_.end()) {
    name = known->first;
    tag = known->second.tag;
    type = known->second.dtype;
  } else {
    tag = text(*given[0], "the thread");
    name = target && target->kind == PyKind::Name ? target->text : name_of_tag(tag);
  }
  Ref<SymVar> var = SymVar::make(name, type, span(call));
  Item item = thread_loop(var, std::move(extent), tag, call);
  if (known != threads_.end()) scope_.set(known->first, Scalar(var));
  if (target && target->kind == PyKind::Name) scope_.set(target->text, Scalar(var));
  return item;
}

// Reads `tx = T.env_thread("threadIdx.x")` and `bx = T.launch_thread("blockIdx.x", 64)`. False for other calls.
bool PrimReader::thread_assignment(const PyStmt& s, const PyExpr& call, const std::string& function, Items& out) {
  if (function == "launch_thread") {
    out.push_back(launch(call, s.target.get()));
    return true;
  }
  if (function != "env_thread") return false;
  std::vector<std::string> names{"thread_tag", "dtype"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, call, "T.env_thread", names);
  if (!given[0]) error("E0108", call, "`T.env_thread` needs a thread", "write `T.env_thread(\"threadIdx.x\")`");
  threads_.insert_or_assign(s.target->text,
                            EnvThread{text(*given[0], "the thread"), given[1] ? dtype(*given[1]) : DType::int_(32)});
  return true;
}

// Reads `T.attr(T.iter_var(tx, None, "ThreadIndex", "threadIdx.x"), "thread_extent", 128)`; absent when the first
// argument is no `T.iter_var`.
std::optional<PrimReader::Item> PrimReader::thread_attribute(const PyExpr& call) {
  const PyExpr& node = call.arg(0);
  bool is_thread =
      node.kind == PyKind::Call && dialect_name(*node.items[0]) == std::pair<char, std::string>('T', "iter_var");
  if (!is_thread) return std::nullopt;
  std::string key = text(call.arg(1), "the key");
  if (key != "thread_extent" && key != "virtual_thread")
    error("E0105", node, fmt::format("`{}` is no attribute of a thread", key), "write \"thread_extent\"");
  std::vector<std::string> names{"var", "dom", "iter_type", "thread_tag"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, node, "T.iter_var", names);
  if (!given[0] || !given[3]) error("E0108", node, "`T.iter_var` takes a variable, a range, a kind and a thread");
  Scalar var = scalar(*given[0]);
  Ref<SymVar> symbol = find_ref<SymVar>(var);
  if (!symbol || !symbol->dtype.is_integral())
    error("E0110", *given[0], fmt::format("`{}` is no variable of an integer", unparse(*given[0])));
  std::string tag = text(*given[3], "the thread");
  // The loop gets a variable of its own; statements outside of it keep the declared one.
  symbol = symbol->renamed(symbol->name);
  if (given[0]->kind == PyKind::Name) scope_.set(given[0]->text, Scalar(symbol));
  return thread_loop(symbol, scalar(call.arg(2)), tag.empty() ? "vthread" : tag, call);
}

}  // namespace sunmao::script
