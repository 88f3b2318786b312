#include <algorithm>

#include "ir/builder.h"
#include "ir/walk.h"
#include "passes/graph/graph_passes.h"

namespace sunmao {
namespace {

// Results up to this many bytes may be larger than what they are computed from.
constexpr size_t kSmallConstant = 64;

class Folder final : public Rewriter {
 public:
  explicit Folder(const PassContext& ctx) : ctx_(ctx) {}

 private:
  using Rewriter::visit;

  const Constant* constant(const Expr& e) const {
    if (const auto* c = find<Constant>(e)) return c;
    return find<Constant>(value_of(e));
  }

  Expr visit(const Call& call) override {
    Expr e = Rewriter::visit(call);
    const auto* c = find<Call>(e);
    const Op* op = c ? op_of(*c) : nullptr;
    const auto* type = c ? find<TensorType>(c->type) : nullptr;
    if (!op || !op->info.is_pure || op->info.is_random || !op->info.lower || !type || !type->dims()) return e;
    std::vector<Expr> args;
    size_t bytes_in = 0;
    for (const Expr& arg : c->args) {
      const Constant* known = constant(arg);
      if (!known && !find<ShapeExpr>(arg)) return e;
      args.push_back(known ? Expr(known) : arg);
      bytes_in += known ? known->data.size_bytes() : 0;
    }
    int64_t bytes_out = type->dtype.bytes();
    for (const Scalar& d : *type->dims()) {
      const int64_t* size = find_int(d);
      if (!size || __builtin_mul_overflow(bytes_out, *size, &bytes_out)) return e;
    }
    // Folding must not grow the module: a broadcast or a fill stays a call.
    if (static_cast<size_t>(bytes_out) > std::max(bytes_in, kSmallConstant)) return e;
    return Constant::make(run(*c, std::move(args)), c->span);
  }

  Array run(const Call& call, std::vector<Expr> args) const {
    BlockBuilder b;
    Expr result = b.emit_output(Call::make(call.callee, std::move(args), call.attrs, call.type_args, call.span));
    Module single = Module().with_function("folded", b.finish_function({}, result));
    return *ctx_.executor->call(single, "folded", {}).array();
  }

  const PassContext& ctx_;
};

}  // namespace

Module fold_constants(const Module& m, const PassContext& ctx) {
  return map_functions(m, [&](const Ref<Function>& f) { return Folder(ctx).rewrite(f); });
}

}  // namespace sunmao
