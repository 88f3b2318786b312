#include "codegen/artifact/kernel_facts.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "ir/walk.h"
#include "passes/analysis/kernel_work.h"
#include "passes/schedule/kernel_family.h"

namespace sunmao {
namespace {

const char* symbol_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return "+";
    case BinaryOp::Sub: return "-";
    case BinaryOp::Mul: return "*";
    case BinaryOp::FloorDiv: return "//";
    case BinaryOp::FloorMod: return "%";
    case BinaryOp::Min: return "min";
    case BinaryOp::Max: return "max";
    default: return nullptr;
  }
}

/// The symbols that counts may have, by name.
class NamedSymbols {
 public:
  /// A kernel's sizes are `d0`, `d1` and so on.
  explicit NamedSymbols(const PrimFunc& kernel) {
    for (const Ref<SymVar>& s : kernel.dims()) add(s, fmt::format("d{}", names_.size()));
  }
  /// Those of a function are named as in its signature; names that two of them have name neither.
  explicit NamedSymbols(const Function& function) {
    for (const Ref<Var>& p : function.params)
      for (const Ref<SymVar>& s : free_symbols(p->type)) add(s, s->name);
  }

  const std::string* find_name(const Scalar& s) const {
    const auto found = std::ranges::find(symbols_, find_ref<SymVar>(s));
    if (found == symbols_.end()) return nullptr;
    const std::string& name = names_[static_cast<size_t>(found - symbols_.begin())];
    return std::ranges::count(names_, name) == 1 ? &name : nullptr;
  }

 private:
  void add(const Ref<SymVar>& symbol, std::string name) {
    if (std::ranges::find(symbols_, symbol) != symbols_.end()) return;
    symbols_.push_back(symbol);
    names_.push_back(std::move(name));
  }

  std::vector<Ref<SymVar>> symbols_;
  std::vector<std::string> names_;
};

bool can_write(const Scalar& s, const NamedSymbols& symbols) {
  if (find_int(s) || symbols.find_name(s)) return true;
  if (const auto* cast = find<Cast>(s)) return can_write(cast->value, symbols);
  const auto* b = find<Binary>(s);
  return b && symbol_of(b->op) && can_write(b->a, symbols) && can_write(b->b, symbols);
}

void write_count(io::JsonWriter& w, const Scalar& s, const NamedSymbols& symbols) {
  if (const int64_t* value = find_int(s)) {
    w.value(*value);
  } else if (const std::string* name = symbols.find_name(s)) {
    w.value(*name);
  } else if (const auto* cast = find<Cast>(s)) {
    write_count(w, cast->value, symbols);
  } else {
    const auto& b = *find<Binary>(s);
    w.begin_array().value(symbol_of(b.op));
    write_count(w, b.a, symbols);
    write_count(w, b.b, symbols);
    w.end_array();
  }
}

using Operations = std::map<Numbers, Scalar>;

/// True when there are some and all of them can be said.
bool can_write(const Operations& operations, const NamedSymbols& symbols) {
  return !operations.empty() &&
         std::ranges::all_of(operations, [&](const auto& entry) { return can_write(entry.second, symbols); });
}

void write_operations(io::JsonWriter& w, const Operations& operations, const NamedSymbols& symbols) {
  w.begin_object();
  for (const auto& [numbers, count] : operations) write_count(w.key(name_of(numbers)), count, symbols);
  w.end_object();
}

void write_kernel(io::JsonWriter& w, const ProgramKernel& kernel) {
  w.begin_object().key("name").value(kernel.name).key("family").value(kernel_family(*kernel.source));
  const KernelWork work = count_work(*kernel.source);
  const NamedSymbols symbols(*kernel.source);
  for (const auto& [key, count] : {std::pair("flops", work.flops), std::pair("bytes", work.bytes)})
    if (can_write(count, symbols)) write_count(w.key(key), count, symbols);
  if (can_write(work.flops_on, symbols)) write_operations(w.key("flops_on"), work.flops_on, symbols);
  w.end_object();
}

void write_origin(io::JsonWriter& w, const CallOrigin& origin) {
  w.begin_object();
  for (const auto& [key, text] :
       {std::pair("node", &origin.node), std::pair("module", &origin.module), std::pair("line", &origin.line)})
    if (!text->empty()) w.key(key).value(*text);
  w.end_object();
}

}  // namespace

void write_kernel_facts(io::JsonWriter& manifest, const Program& program) {
  manifest.key("kernels").begin_array();
  for (const ProgramKernel& kernel : program.kernels) write_kernel(manifest, kernel);
  manifest.end_array().key("calls").begin_object();
  for (const auto& [function, origins] : program.origins) {
    manifest.key(function).begin_array();
    for (const CallOrigin& origin : origins) write_origin(manifest, origin);
    manifest.end_array();
  }
  manifest.end_object().key("flops_on").begin_object();
  for (const auto& [function, work] : program.work) {
    const NamedSymbols symbols(*work.function);
    if (work.is_whole && can_write(work.flops_on, symbols))
      write_operations(manifest.key(function), work.flops_on, symbols);
  }
  manifest.end_object();
}

}  // namespace sunmao
