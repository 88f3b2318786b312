#include "passes/lower/builtin_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "loop/walk.h"
#include "ops/ops.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

constexpr std::string_view kPrefix = "vm.builtin.";

/// The sizes that a loop-level function computes.
class SlotComputer {
 public:
  SlotComputer(const Ref<Buffer>& heap, std::vector<Scalar>& slots) : heap_(heap), slots_(slots) {}

  bool run(const Stmt& s) {
    if (!s) return true;
    if (const auto* seq = find<Seq>(s))
      return std::ranges::all_of(seq->stmts, [this](const Stmt& part) { return run(part); });
    if (const auto* realize = find<BlockRealize>(s))
      return realize->values.empty() && is_always(realize->predicate) && realize->block->alloc_buffers.empty() &&
             !realize->block->init && run(realize->block->body);
    const auto* store = find<BufferStore>(s);
    if (!store || store->buffer != heap_ || store->predicate) return false;
    Scalar* slot = find_slot(store->indices);
    const Scalar value = slot ? in_symbols(store->value) : nullptr;
    if (!value) return false;
    *slot = value;
    return true;
  }

 private:
  static bool is_always(const Scalar& predicate) {
    const int64_t* value = predicate ? find_int(predicate) : nullptr;
    return !predicate || (value && *value != 0);
  }

  Scalar* find_slot(const std::vector<Scalar>& indices) {
    const int64_t* i = indices.size() == 1 ? find_int(indices[0]) : nullptr;
    return i && *i >= 0 && std::cmp_less(*i, slots_.size()) ? &slots_[static_cast<size_t>(*i)] : nullptr;
  }

  Scalar in_symbols(const Scalar& value) {
    bool is_known = true;
    Scalar out = sunmao::rewrite(value, [&](const Scalar& node) -> Scalar {
      const auto* load = find<BufferLoad>(node);
      if (!load) return nullptr;
      const Scalar* slot = load->buffer == heap_ && !load->predicate ? find_slot(load->indices) : nullptr;
      is_known = is_known && slot && *slot;
      return is_known ? *slot : int_imm(0);
    });
    return is_known && free_of_loads(out) ? out : nullptr;
  }

  static bool free_of_loads(const Scalar& value) {
    bool is_free = true;
    visit_all(value, [&](const Scalar& node) { is_free = is_free && !find<BufferLoad>(node); });
    return is_free;
  }

  const Ref<Buffer>& heap_;
  std::vector<Scalar>& slots_;
};

/// True when the buffer holds this many sizes.
bool has_size(const Buffer& heap, size_t slots) {
  const int64_t* size = heap.rank() == 1 ? find_int(heap.shape[0]) : nullptr;
  return size && std::cmp_equal(*size, slots);
}

}  // namespace

std::optional<BuiltinUse> find_builtin(const Expr& e) {
  const auto* call = find<Call>(e);
  if (!call) return std::nullopt;
  const bool has_context = find_call(e, "call_builtin_with_ctx") != nullptr;
  const auto* callee = find<ExternFunc>(has_context ? call->args[0] : call->callee);
  if (!callee || !callee->name.starts_with(kPrefix)) return std::nullopt;
  BuiltinUse use{call, callee->name.substr(kPrefix.size()), call->args};
  if (has_context) {
    const auto* args = find<Tuple>(call->args[1]);
    if (!args) return std::nullopt;
    use.args = args->fields;
  }
  return use;
}

const Expr& BuiltinUse::arg(size_t i) const {
  if (i < args.size()) return args[i];
  fail("E1020", call->span,
       fmt::format("the virtual machine does not run a call of `vm.builtin.{}` without argument {}", name, i),
       "see docs/errors/E1020.md");
}

int64_t BuiltinUse::integer(size_t i) const {
  const auto* number = find<PrimValue>(arg(i));
  const int64_t* value = number ? find_int(number->value) : nullptr;
  if (value) return *value;
  fail(
      "E1020", call->span,
      fmt::format("the virtual machine does not run a call of `vm.builtin.{}` whose argument {} is no number", name, i),
      "see docs/errors/E1020.md");
}

int BuiltinUse::rank(size_t i) const {
  const int64_t value = integer(i);
  if (value >= kUnknownRank && value <= static_cast<int64_t>(kMaxRank)) return static_cast<int>(value);
  fail("E1020", call->span,
       fmt::format("the virtual machine does not run a call of `vm.builtin.{}` with the rank {}", name, value),
       "see docs/errors/E1020.md");
}

Type BuiltinUse::checked_type() const {
  const auto* dtype =
      args.empty() ? nullptr
                   : find<DTypeLiteral>(args.size() > 2 ? args[name == "check_tensor_info" ? 2 : 1] : args.back());
  if (name == "check_tensor_info") return TensorType::make_unknown(dtype ? dtype->value : DType::void_(), rank(1));
  if (name == "check_shape_info") return ShapeType::make_unknown(rank(1));
  if (name == "check_prim_value_info" && dtype) return PrimType::make(dtype->value);
  return nullptr;
}

Expr BuiltinUse::as_op() const {
  const auto op = [&](const char* of, std::vector<Expr> given) {
    return Call::make(builtin_ops().get(of), std::move(given), {}, {}, call->span);
  };
  for (const auto& [function, of] : {std::pair("shape_of", "shape_of"), std::pair("tensor_to_shape", "tensor_to_shape"),
                                     std::pair("ensure_zero_offset", "memory.ensure_zero_offset")})
    if (name == function) return op(of, {arg(0)});
  if (name == "reshape") return op("reshape", {arg(0), arg(1)});
  if (name == "call_tir_dyn")
    return op("vm.call_tir_dyn", {arg(0), Tuple::make(std::vector<Expr>(args.begin() + 1, args.end()), call->span)});
  return nullptr;
}

bool compute_slots(const PrimFunc& func, std::vector<Scalar>& slots) {
  const std::vector<Ref<Buffer>> buffers = func.buffers();
  return buffers.size() == 1 && func.params.size() == 1 && !func.result_type && buffers[0]->dtype == DType::int_(64) &&
         has_size(*buffers[0], slots.size()) && SlotComputer(buffers[0], slots).run(func.body);
}

}  // namespace sunmao
