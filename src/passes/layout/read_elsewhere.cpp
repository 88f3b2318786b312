#include "passes/layout/read_elsewhere.h"

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/store_nest.h"

namespace sunmao {
namespace {

class LoadsElsewhere final : public StmtRewriter {
 public:
  LoadsElsewhere(const Buffer& before, const Ref<Buffer>& after, const Place& place)
      : before_(before), after_(after), place_(place) {}
  using StmtRewriter::visit;
  Stmt visit(const Stmt& s) override {
    const auto* block = find<Block>(s);
    if (!block) return visit_parts(s);
    Block::Parts parts = block->parts();
    for (BufferRegion& r : parts.reads)
      if (r.buffer.get() == &before_) r = all_of(after_);
    if (parts.init) parts.init = visit(parts.init);
    parts.body = visit(parts.body);
    return Block::make(std::move(parts));
  }
  Scalar visit_scalar(const Scalar& s) override {
    if (!s) return s;
    return map_loads(s, [&](const BufferLoad& l) {
      return l.buffer.get() == &before_ ? load(after_, place_(l.indices)) : Scalar();
    });
  }

 private:
  static BufferRegion all_of(const Ref<Buffer>& b) {
    BufferRegion out{b, {}};
    for (const Scalar& size : b->shape) out.region.push_back({int_imm(0), size});
    return out;
  }
  const Buffer& before_;
  const Ref<Buffer>& after_;
  const Place& place_;
};

}  // namespace

Stmt read_elsewhere(const Stmt& s, const Buffer& before, const Ref<Buffer>& after, const Place& place) {
  return LoadsElsewhere(before, after, place).visit(s);
}

}  // namespace sunmao
