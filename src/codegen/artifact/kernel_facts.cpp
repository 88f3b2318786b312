#include "codegen/artifact/kernel_facts.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

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

// Returns the number of the symbol among the dims; nullopt when it is none of them.
std::optional<size_t> number_of(const Scalar& s, const std::vector<Ref<SymVar>>& dims) {
  const auto found = std::ranges::find(dims, find_ref<SymVar>(s));
  return found == dims.end() ? std::nullopt : std::optional(static_cast<size_t>(found - dims.begin()));
}

bool can_write(const Scalar& s, const std::vector<Ref<SymVar>>& dims) {
  if (find_int(s) || number_of(s, dims)) return true;
  if (const auto* cast = find<Cast>(s)) return can_write(cast->value, dims);
  const auto* b = find<Binary>(s);
  return b && symbol_of(b->op) && can_write(b->a, dims) && can_write(b->b, dims);
}

void write_count(io::JsonWriter& w, const Scalar& s, const std::vector<Ref<SymVar>>& dims) {
  if (const int64_t* value = find_int(s)) {
    w.value(*value);
  } else if (const std::optional<size_t> dim = number_of(s, dims)) {
    w.value(fmt::format("d{}", *dim));
  } else if (const auto* cast = find<Cast>(s)) {
    write_count(w, cast->value, dims);
  } else {
    const auto& b = *find<Binary>(s);
    w.begin_array().value(symbol_of(b.op));
    write_count(w, b.a, dims);
    write_count(w, b.b, dims);
    w.end_array();
  }
}

void write_kernel(io::JsonWriter& w, const ProgramKernel& kernel) {
  w.begin_object().key("name").value(kernel.name).key("family").value(kernel_family(*kernel.source));
  const KernelWork work = count_work(*kernel.source);
  const std::vector<Ref<SymVar>> dims = kernel.source->dims();
  for (const auto& [key, count] : {std::pair("flops", work.flops), std::pair("bytes", work.bytes)})
    if (can_write(count, dims)) write_count(w.key(key), count, dims);
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
  manifest.end_object();
}

}  // namespace sunmao
