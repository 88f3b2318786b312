// The pass `compute-by-table`: what stands between two tensors of bytes and depends on one byte alone becomes a table
// of 256 bytes, which is computed ahead of time by the same ops. Such are activations between a `dequantize` and the
// next `quantize`, with all that is quantised between them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/equal.h"
#include "ops/algebra/rule.h"
#include "ops/ops.h"
#include "passes/algebra/byte_values.h"
#include "passes/analysis/unused.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

constexpr int64_t kEntries = 256;
constexpr int64_t kFewestElements = 1024;  // below which a kernel of its own costs more than it saves
constexpr int kLeastWork = 8;              // in additions; less is computed where the bytes come from

/// Returns about how many additions an op takes for an element.
int work_of(const Op& op) {
  static constexpr std::array<std::string_view, 14> kCheap{"add",     "subtract", "multiply", "maximum",   "minimum",
                                                           "clip",    "nn.relu",  "negative", "abs",       "astype",
                                                           "greater", "less",     "where",    "dequantize"};
  constexpr int kDivision = 3, kRounded = 4, kFunction = 8;
  if (std::ranges::find(kCheap, op.name()) != kCheap.end()) return 1;
  if (op.name() == "divide") return kDivision;
  return op.name() == "quantize" ? kRounded : kFunction;
}

class TableMaker final : public ByteValues {
 public:
  TableMaker(const Ref<Function>& f, const PassContext& ctx) : ByteValues(*f), ctx_(ctx) {}

 private:
  using ByteValues::visit;

  /// A tensor whose elements are a function of the bytes at the same places, and what it is for each byte.
  struct Tabulated {
    Expr bytes, entries;
    int work = 0;
  };

  void forget() override {
    ByteValues::forget();
    tables_.clear();
  }

  Expr visit(const Call& call) override {
    const Expr e = Rewriter::visit(call);
    span_ = call.span;
    const auto* own = find<Call>(e);
    if (!own || !find_call(e, "quantize") || !is_byte(element_dtype(e))) return e;
    const std::optional<Tabulated> table = tabulated(*own);
    if (!table || table->work < kLeastWork || !has_many_elements(table->bytes)) return e;
    if (ctx_.on_explain)
      ctx_.on_explain(fmt::format("compute-by-table: `{}` is a function of the bytes `{}`", binding_,
                                  find<Var>(table->bytes)->name));
    const Expr out = step("take", {table->entries, table->bytes}, {{"axis", int64_t{0}}, {"mode", "fast"}});
    tables_[find_ref<Var>(out)] = *table;
    return out;
  }

  static bool has_many_elements(const Expr& e) {
    const std::vector<Scalar>* dims = tensor_dims(e);
    if (!dims || dims->empty()) return false;
    int64_t known = 1;
    for (const Scalar& size : *dims) {
      const int64_t* n = find_int(size);
      if (!n) return true;
      known *= *n;
    }
    return known >= kFewestElements;
  }

  std::optional<Tabulated> tabulated(const Expr& e) {
    if (!find<Var>(e)) return std::nullopt;
    const auto done = tables_.find(find_ref<Var>(e));
    if (done != tables_.end()) return done->second;
    const Expr value = definition(e);
    const auto* call = value ? find<Call>(value) : nullptr;
    std::optional<Tabulated> out = call && op_of(*call) ? tabulated(*call) : std::nullopt;
    const bool is_computed = out && out->work > 0;
    if (!is_computed && element_dtype(e) == kUnsigned && tensor_rank(e) > 0) out = Tabulated{e, all_bytes()};
    if (out) tables_[find_ref<Var>(e)] = *out;
    return out;
  }

  std::optional<Tabulated> tabulated(const Call& call) {
    const Op& op = *op_of(call);
    if (moves_elements(call)) return moved(call);
    const bool has_scale = op.name() == "quantize" || op.name() == "dequantize";
    const bool is_elementwise = op.info.fuse == Fuse::Elementwise || op.info.fuse == Fuse::Broadcast;
    if (!has_scale && (!is_elementwise || !op.info.is_pure || call.attrs.has("axis"))) return std::nullopt;
    Tabulated out;
    std::vector<Expr> args;
    for (const Expr& arg : call.args) {
      if (is_known(arg) && (find<PrimType>(arg->type) || (tensor_type(arg) && is_single(arg)))) {
        args.push_back(find<PrimType>(arg->type) ? arg : single_as_number(arg));
        continue;
      }
      const std::optional<Tabulated> x =
          tensor_type(arg) && args.size() < (has_scale ? 1 : call.args.size()) ? tabulated(arg) : std::nullopt;
      if (!x || (out.bytes && out.bytes != x->bytes)) return std::nullopt;
      out.bytes = x->bytes;
      out.work += x->work;
      args.push_back(x->entries);
    }
    const std::vector<Scalar>*own = tensor_dims(Expr(&call)), *of_bytes = out.bytes ? tensor_dims(out.bytes) : nullptr;
    if (!own || !of_bytes ||
        !std::ranges::equal(*own, *of_bytes, [](const Scalar& a, const Scalar& b) { return structural_equal(a, b); }))
      return std::nullopt;
    out.work += work_of(op);
    AttrMap attrs = call.attrs.values();
    if (has_scale) attrs["axis"] = int64_t{0};
    out.entries = step(op.name().c_str(), std::move(args), std::move(attrs));
    return out;
  }

  /// What is a function of bytes is the same function of moved bytes.
  std::optional<Tabulated> moved(const Call& move) {
    std::optional<Tabulated> out = tabulated(move.args[0]);
    if (!out) return std::nullopt;
    std::vector<Expr> args = move.args;
    args[0] = out->bytes;
    out->bytes = step(op_of(move)->name().c_str(), std::move(args), move.attrs.values());
    return out;
  }

  Expr all_bytes() {
    const auto number = [](int64_t n) { return PrimValue::make(int_imm(n)); };
    return as(step("arange", {number(0), number(kEntries), number(1)}, {{"dtype", kSum}}), kUnsigned);
  }

  const PassContext& ctx_;
  std::unordered_map<Ref<Var>, Tabulated> tables_;
};

}  // namespace

Module compute_by_table(const Module& m, const PassContext& ctx) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return TableMaker(f, ctx).rewrite(f); });
}

}  // namespace sunmao
