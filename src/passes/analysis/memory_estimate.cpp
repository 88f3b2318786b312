#include "passes/analysis/memory_estimate.h"

#include <fmt/format.h>

#include "ir/walk.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

// Returns the bytes of a tensor; nullopt for dynamic dimensions.
std::optional<int64_t> size_of(const std::vector<Scalar>* dims, DType dtype) {
  if (!dims) return std::nullopt;
  std::vector<int64_t> sizes;
  for (const Scalar& d : *dims) {
    const int64_t* size = find_int(d);
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return shape_bytes(sizes, dtype);
}

class Allocations final : public Visitor {
 public:
  MemoryEstimate found;
  using Visitor::visit;

 private:
  static void count(MemoryEstimate::Count& into, std::optional<int64_t> bytes) {
    (bytes ? into.number : into.dynamic) += 1;
    into.bytes += bytes.value_or(0);
  }

  void visit(const Call& call) override {
    Visitor::visit(call);
    Expr e(&call);
    const auto* tensor = find<TensorType>(call.type);
    bool alone = find_call(e, "builtin.alloc_tensor") != nullptr;
    if (tensor && (alone || find_call(e, "memory.alloc_tensor"))) {
      std::optional<int64_t> bytes = size_of(tensor->dims(), tensor->dtype);
      count(found.tensors, bytes);
      if (alone) count(found.planned, bytes);
    }
    if (find_call(e, "memory.alloc_storage")) {
      const auto* size = find<ShapeExpr>(call.args[0]);
      count(found.planned, size_of(size ? &size->values : nullptr, DType::uint(8)));
    }
  }
};

// The digits that upstream's text has: four, and one behind the point at least.
std::string gigabytes(int64_t bytes) {
  constexpr double kGigabyte = 1 << 30;
  std::string text = fmt::format("{:.4}", static_cast<double>(bytes) / kGigabyte);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string line(const char* when, const MemoryEstimate::Count& c) {
  std::string out =
      fmt::format(" * {} memory planning, there are {} constant-size memory allocation(s) with total size {} GB", when,
                  c.number, gigabytes(c.bytes));
  if (c.dynamic > 0) out += fmt::format(", and {} dynamic-size allocation(s)", c.dynamic);
  return out + ".\n";
}

}  // namespace

MemoryEstimate estimate_memory(const Function& function) {
  Allocations visitor;
  visitor.visit(Expr(function.body));
  return visitor.found;
}

std::string describe_memory(const Module& module) {
  std::string out;
  for (const FunctionEntry& e : module.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f) continue;
    const MemoryEstimate m = estimate_memory(*f);
    out += fmt::format("- Function {}:\n", e.var->name) + line("Without", m.tensors) + line("With", m.planned);
    if (m.tensors.bytes > 0)
      out += fmt::format(" * Memory planning reduces constant memory size to {:.1f}%.",
                         100.0 * static_cast<double>(m.planned.bytes) / static_cast<double>(m.tensors.bytes));
    out += "\n";
  }
  return out.empty() ? out : "Memory usage estimation:\n" + out;
}

}  // namespace sunmao
