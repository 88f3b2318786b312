#include "eval/symbolic_kernel.h"

#include <algorithm>
#include <unordered_map>

#include "loop/calls.h"

namespace sunmao {
namespace {

// Limit on executed statements per kernel; shape arithmetic needs far fewer.
constexpr int64_t kMaxSteps = 1 << 16;

bool holds_range(const Interval& range, DType dtype) {
  if (dtype.bits == 64) return true;
  if (dtype.is_bool()) return range.lo >= 0 && range.hi <= 1;
  const int64_t half = int64_t{1} << (dtype.bits - 1);
  return dtype.is_uint() ? range.lo >= 0 && range.hi < 2 * half : range.lo >= -half && range.hi < half;
}

// Thrown when execution depends on unknown values, exceeds a limit or reaches a statement that is not supported.
struct Undecided {};

class Runner {
 public:
  Runner(Analyzer& analyzer, Int32Sizes int32_sizes) : analyzer_(analyzer), int32_sizes_(int32_sizes) {}

  void hold(const Ref<Buffer>& buffer, SymbolicTensor tensor) { memory_[buffer.get()] = std::move(tensor); }
  void allocate(const Ref<Buffer>& buffer) {
    const std::optional<int64_t> count = small_count(buffer->shape);
    if (!count || !buffer->dtype.is_integral()) throw Undecided();
    SymbolicTensor& t = memory_[buffer.get()];
    t = {buffer->dtype, {}, std::vector<Scalar>(static_cast<size_t>(*count))};
    for (const Scalar& d : buffer->shape) t.shape.push_back(*find_int(d));
  }
  SymbolicTensor take(const Ref<Buffer>& buffer) { return std::move(memory_[buffer.get()]); }

  void run(const Stmt& s) {
    if (++steps_ > kMaxSteps) throw Undecided();
    if (const auto* n = find<BufferStore>(s)) return store(*n);
    if (const auto* n = find<Seq>(s)) {
      for (const Stmt& part : n->stmts) run(part);
      return;
    }
    if (const auto* n = find<For>(s)) return run_for(*n);
    if (const auto* n = find<BlockRealize>(s)) return run_block(*n);
    if (const auto* n = find<IfThenElse>(s)) {
      if (holds(n->condition)) return run(n->then_case);
      return n->else_case ? run(n->else_case) : void();
    }
    if (const auto* n = find<Bind>(s)) {
      values_[n->var.get()] = value(n->value);
      return run(n->body);
    }
    if (const auto* n = find<AllocBuffer>(s)) {
      allocate(n->buffer);
      return run(n->body);
    }
    if (const auto* n = find<AttrStmt>(s)) return run(n->body);
    throw Undecided();
  }

 private:
  void run_for(const For& n) {
    const int64_t begin = number(n.min), end = begin + number(n.extent);
    for (int64_t i = begin; i < end; ++i) {
      values_[n.var.get()] = int_imm(i);
      run(n.body);
    }
  }

  void run_block(const BlockRealize& n) {
    const Block& b = *n.block;
    if (!b.match_buffers.empty()) throw Undecided();
    if (!holds(n.predicate)) return;
    bool first = true;
    for (size_t i = 0; i < b.iters.size(); ++i) {
      const int64_t at = number(n.values[i]);
      values_[b.iters[i].var.get()] = int_imm(at);
      if (b.iters[i].kind == IterKind::Reduce) first = first && at == number(b.iters[i].domain.min);
    }
    for (const Ref<Buffer>& own : b.alloc_buffers) allocate(own);
    if (b.init && first) run(b.init);
    run(b.body);
  }

  void store(const BufferStore& n) {
    if (n.predicate) throw Undecided();
    const size_t at = place(*n.buffer, n.indices);
    memory_[n.buffer.get()].elements[at] = value(n.value);
  }

  size_t place(const Buffer& buffer, const std::vector<Scalar>& indices) {
    auto found = memory_.find(&buffer);
    if (found == memory_.end()) throw Undecided();
    int64_t at = 0;
    for (size_t i = 0; i < indices.size(); ++i) {
      const int64_t index = number(indices[i]), size = found->second.shape[i];
      if (index < 0 || index >= size) throw Undecided();
      at = at * size + index;
    }
    return static_cast<size_t>(at);
  }

  int64_t number(const Scalar& s) {
    const Scalar v = value(s);
    if (const int64_t* n = v ? find_int(v) : nullptr) return *n;
    throw Undecided();
  }

  bool holds(const Scalar& condition) { return number(condition) != 0; }

  // Returns the value of `s` as an int64 scalar over symbols; null when unknown.
  Scalar value(const Scalar& s) {
    if (const int64_t* n = find_int(s)) return int_imm(*n);
    if (const auto* v = find<SymVar>(s)) {
      auto found = values_.find(v);
      if (found != values_.end()) return found->second;
      return s->dtype == DType::int_(64) ? s : nullptr;
    }
    if (const auto* load = find<BufferLoad>(s)) {
      const size_t at = place(*load->buffer, load->indices);
      return memory_[load->buffer.get()].elements[at];
    }
    if (const auto* cast = find<Cast>(s))
      return cast->value->dtype.is_integral() ? fitted(value(cast->value), s->dtype) : nullptr;
    if (const auto* n = find<Not>(s)) return truth_of(value(n->a), [](int64_t a) { return a == 0; });
    if (const auto* b = find<Binary>(s)) return binary(*b);
    if (const auto* n = find<Select>(s)) return chosen(n->condition, n->then_value, n->else_value);
    if (const auto* n = find<Let>(s)) {
      values_[n->var.get()] = value(n->value);
      return value(n->body);
    }
    const auto* call = find<ScalarCall>(s);
    if (call && call->name == "if_then_else") return chosen(call->args[0], call->args[1], call->args[2]);
    if (call && is_index_check(*call)) return index_inside(index_check(*call));
    if (call && call->name == "likely") return value(call->args[0]);
    if (call && call->name == "abs" && s->dtype.is_integral()) return magnitude(value(call->args[0]));
    return nullptr;
  }

  Scalar chosen(const Scalar& condition, const Scalar& a, const Scalar& b) {
    const Scalar decided = value(condition);
    const int64_t* n = decided ? find_int(decided) : nullptr;
    if (n) return value(*n ? a : b);
    const Scalar x = value(a), y = value(b);
    return x && y && analyzer_.can_prove_equal(x, y) ? x : nullptr;
  }

  // Returns the value of a `checked_index`; null when it is not provably in range.
  Scalar index_inside(const IndexCheck& check) {
    const Scalar place = value(check.place), size = value(check.size);
    if (!place || !size) return nullptr;
    const bool is_inside = analyzer_.can_prove(Binary::make(BinaryOp::Ge, place, int_imm(0))) &&
                           analyzer_.can_prove(Binary::make(BinaryOp::Lt, place, size));
    return is_inside ? place : nullptr;
  }

  Scalar magnitude(const Scalar& x) {
    if (!x) return nullptr;
    const Interval range = analyzer_.range(x);
    if (range.lo >= 0) return x;
    return range.hi <= 0 && range.lo > Interval::kMin ? analyzer_.simplify(int_imm(0) - x) : nullptr;
  }

  Scalar binary(const Binary& b) {
    if (!b.a->dtype.is_integral()) return nullptr;
    const Scalar x = value(b.a);
    if (is_logical(b.op)) return logical(b, x);
    const Scalar y = value(b.b);
    if (!x || !y) return nullptr;
    if (is_comparison(b.op)) {
      const Scalar holds = Binary::make(b.op, x, y);
      const Proof proof = analyzer_.prove(holds);
      return proof == Proof::Unknown ? Select::make(holds, int_imm(1), int_imm(0)) : int_imm(proof == Proof::Yes);
    }
    const bool divides =
        b.op == BinaryOp::Div || b.op == BinaryOp::FloorDiv || b.op == BinaryOp::TruncMod || b.op == BinaryOp::FloorMod;
    if (divides && !analyzer_.can_prove(Binary::make(BinaryOp::Ne, y, int_imm(0)))) return nullptr;
    return fitted(analyzer_.simplify(Binary::make(b.op, x, y)), b.dtype);
  }

  // Evaluates `and` or `or`: the second operand only if the first does not determine the result.
  Scalar logical(const Binary& b, const Scalar& x) {
    const int64_t decides = b.op == BinaryOp::And ? 0 : 1;
    const int64_t* first = x ? find_int(x) : nullptr;
    if (first && (*first != 0) == (decides != 0)) return int_imm(decides);
    const Scalar y = value(b.b);
    const int64_t* second = y ? find_int(y) : nullptr;
    if (second && (*second != 0) == (decides != 0)) return int_imm(decides);
    return first && second ? int_imm(1 - decides) : nullptr;
  }

  template <class Test>
  static Scalar truth_of(const Scalar& x, const Test& test) {
    const int64_t* n = x ? find_int(x) : nullptr;
    return n ? int_imm(test(*n)) : nullptr;
  }

  // A value that may exceed its dtype is unknown, since kernels wrap around and symbolic scalars do not.
  Scalar fitted(const Scalar& x, DType dtype) {
    if (!x || !dtype.is_integral()) return nullptr;
    const bool is_taken_to_fit = int32_sizes_ == Int32Sizes::Fit && dtype == DType::int_(32) && !find_int(x);
    return is_taken_to_fit || holds_range(analyzer_.range(x), dtype) ? x : nullptr;
  }

  Analyzer& analyzer_;
  const Int32Sizes int32_sizes_;
  std::unordered_map<const Node*, SymbolicTensor> memory_;
  std::unordered_map<const Node*, Scalar> values_;
  int64_t steps_ = 0;
};

}  // namespace

bool SymbolicTensor::is_known() const {
  return std::ranges::all_of(elements, [](const Scalar& e) { return static_cast<bool>(e); });
}

std::optional<int64_t> small_count(const std::vector<Scalar>& shape) {
  int64_t count = 1;
  for (const Scalar& d : shape) {
    const int64_t* size = find_int(d);
    if (!size || *size < 0 || *size > kMaxSymbolicElements) return std::nullopt;
    count *= *size;
    if (count > kMaxSymbolicElements) return std::nullopt;
  }
  return count;
}

std::optional<std::vector<SymbolicTensor>> run_symbolically(const PrimFunc& kernel,
                                                            const std::vector<SymbolicTensor>& inputs,
                                                            Analyzer& analyzer, Int32Sizes int32_sizes) {
  const std::vector<Ref<Buffer>> buffers = kernel.buffers();
  if (buffers.size() < inputs.size()) return std::nullopt;
  try {
    Runner runner(analyzer, int32_sizes);
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (i < inputs.size())
        runner.hold(buffers[i], inputs[i]);
      else
        runner.allocate(buffers[i]);
    }
    runner.run(kernel.body);
    std::vector<SymbolicTensor> results;
    for (size_t i = inputs.size(); i < buffers.size(); ++i) results.push_back(runner.take(buffers[i]));
    return results;
  } catch (const Undecided&) {
    return std::nullopt;
  }
}

}  // namespace sunmao
