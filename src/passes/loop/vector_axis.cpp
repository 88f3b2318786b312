#include "passes/loop/vector_axis.h"

#include <algorithm>

#include "loop/intrinsics/table.h"
#include "loop/walk.h"

namespace sunmao {
namespace {

class WidestType final : public StmtVisitor {
 public:
  int bits = 8;
  void visit(const Stmt& s) override {
    if (const auto* store = find<BufferStore>(s)) bits = std::max<int>(bits, store->buffer->dtype.bits);
    visit_parts(s);
  }
  void visit_scalar(const Scalar& s) override {
    // The dtype of indices is ignored, since contiguous indices do not become vectors.
    if (find<BufferLoad>(s)) {
      bits = std::max<int>(bits, s->dtype.bits);
      return;
    }
    if (!find<SymVar>(s) && !find<IntImm>(s) && s->dtype.code != TypeCode::Handle) {
      // float16 and bfloat16 count as 32 bits, because arithmetic on them is done in float32.
      const bool is_half = s->dtype.is_float() && s->dtype.bits < 32;
      if (!is_index(s)) bits = std::max<int>(bits, is_half ? 32 : s->dtype.bits);
    }
    for_each_child(s, [&](const Scalar& child) { visit_scalar(child); });
  }

 private:
  static bool is_index(const Scalar& s) { return s->dtype.is_int() && s->dtype.bits == 64; }
};

}  // namespace

int vector_lanes(const Stmt& s, const Target& target) {
  WidestType widest;
  widest.visit(s);
  return std::max(1, target.isa.lanes(widest.bits));
}

int vectors_together(const Scalar& value, const Target& target) {
  return has_few_registers(target) && is_expensive(value) ? 2 : 1;
}

Stmt vector_axis(const std::string& name, const Scalar& first, const Scalar& extent, int lanes, const LoopBody& body) {
  if (lanes == 1) return serial_loop(name, extent, [&](const Scalar& i) { return body(sum(first, i)); });
  const Scalar width = int_imm(lanes);
  const Scalar full = compare(BinaryOp::FloorDiv, extent, width);
  Stmt vectors = serial_loop(name, full, [&](const Scalar& v) {
    return vector_loop(name + "_lane", lanes,
                       [&](const Scalar& j) { return body(sum(first, sum(product(v, width), j))); });
  });
  const Scalar done = product(full, width);
  const Scalar left_over = compare(BinaryOp::Sub, extent, done);
  const int64_t* rest = find_int(left_over);
  if (rest && *rest == 0) return vectors;
  Stmt tail = vector_loop(name + "_lane", lanes, [&](const Scalar& j) {
    const Scalar i = sum(done, j);
    return IfThenElse::make(compare(BinaryOp::Lt, i, extent), body(sum(first, i)));
  });
  if (const int64_t* whole = find_int(full); whole && *whole == 0) return tail;
  return Seq::make({vectors, rest ? tail : IfThenElse::make(compare(BinaryOp::Lt, done, extent), tail)});
}

}  // namespace sunmao
