#include "passes/analysis/kernel_work.h"

#include <algorithm>
#include <unordered_set>

#include "loop/walk.h"
#include "sym/analyzer.h"
#include "sym/equal.h"

namespace sunmao {
namespace {

bool reads_data(const Scalar& s) {
  bool found = false;
  visit_all(s, [&](const Scalar& node) { found |= find<BufferLoad>(node) != nullptr; });
  return found;
}

bool is_arithmetic(const Binary& b) { return !is_comparison(b.op) && !is_logical(b.op); }

/// Returns the type that elements have before they are widened; void where the alternatives of a choice disagree.
DType type_before_widening(const Scalar& s) {
  const auto either = [](const Scalar& a, const Scalar& b) {
    const DType of_a = type_before_widening(a);
    return find_int(b) || find<FloatImm>(b) || type_before_widening(b) == of_a ? of_a : DType::void_();
  };
  if (const auto* choice = find<Select>(s)) return either(choice->then_value, choice->else_value);
  if (const auto* call = find<ScalarCall>(s); call && call->name == "if_then_else")
    return either(call->args[1], call->args[2]);
  const auto* cast = find<Cast>(s);
  return (cast ? cast->value : s)->dtype.element();
}

Numbers numbers_of(DType dtype) {
  if (!dtype.is_float()) return Numbers::Integers;
  if (dtype.code == TypeCode::BFloat) return Numbers::BFloat16;
  return dtype.bits == 64 ? Numbers::Float64 : dtype.bits == 16 ? Numbers::Float16 : Numbers::Float32;
}

Numbers numbers_of_product(const Scalar& a, const Scalar& b, DType dtype) {
  const DType of_a = type_before_widening(a), of_b = type_before_widening(b);
  const auto is_byte = [](DType t) { return t == DType::int_(8) || t == DType::uint(8); };
  const auto is_narrow_float = [](DType t) { return t.is_float() && t.bits == 16; };
  if (dtype.element() == DType::int_(32) && is_byte(of_a) && is_byte(of_b)) return Numbers::Int8;
  if (dtype.element() == DType::float_(32) && of_a == of_b && is_narrow_float(of_a)) return numbers_of(of_a);
  return numbers_of(dtype);
}

Numbers numbers_of(const Binary& b) {
  if (b.op == BinaryOp::Mul) return numbers_of_product(b.a, b.b, b.dtype);
  if (b.op == BinaryOp::Add || b.op == BinaryOp::Sub)
    for (const Scalar& part : {b.a, b.b})
      if (const auto* product = find<Binary>(part); product && product->op == BinaryOp::Mul)
        return numbers_of_product(product->a, product->b, b.dtype);
  return numbers_of(b.dtype);
}

// Counts the work of one evaluation of a scalar. Equal parts of it count once, as they are computed once.
class ScalarWork {
 public:
  std::map<Numbers, int64_t> flops;
  std::unordered_map<const Buffer*, int64_t> loads;

  void add_value(const Scalar& s) {
    if (!s || !seen_.insert(s).second) return;
    if (const auto* load = find<BufferLoad>(s)) return add_load(*load);
    if (const auto* b = find<Binary>(s)) {
      if (is_arithmetic(*b) && (s->dtype.is_float() || reads_data(s))) ++flops[numbers_of(*b)];
    } else if (const auto* call = find<ScalarCall>(s)) {
      if (call->name == "fma")
        flops[numbers_of_product(call->args[0], call->args[1], s->dtype)] += 2;
      else if (call->name != "if_then_else" && s->dtype.is_float())
        ++flops[numbers_of(s->dtype)];
    }
    const Scalar condition = condition_of(s);
    for_each_child(s, [&](const Scalar& child) {
      if (child == condition)
        add_condition(child);
      else
        add_value(child);
    });
  }

  // Adds the loads of an index or a condition.
  void add_condition(const Scalar& s) {
    if (!s || !seen_.insert(s).second) return;
    if (const auto* load = find<BufferLoad>(s)) return add_load(*load);
    for_each_child(s, [&](const Scalar& child) { add_condition(child); });
  }

 private:
  void add_load(const BufferLoad& load) {
    ++loads[load.buffer.get()];
    for (const Scalar& operand : load.operands()) add_condition(operand);
  }

  static Scalar condition_of(const Scalar& s) {
    if (const auto* select = find<Select>(s)) return select->condition;
    const auto* call = find<ScalarCall>(s);
    return call && call->name == "if_then_else" ? call->args[0] : Scalar();
  }

  struct Hash {
    size_t operator()(const Scalar& s) const { return structural_hash(s); }
  };
  struct Same {
    bool operator()(const Scalar& a, const Scalar& b) const { return a == b || structural_equal(a, b); }
  };
  std::unordered_set<Scalar, Hash, Same> seen_;
};

class WorkCounter {
 public:
  explicit WorkCounter(const PrimFunc& func) : func_(func), dims_(func.dims()) {
    for (const Ref<SymVar>& s : dims_) analyzer_.assume(s, {1, kLargestDim});
  }

  KernelWork run() {
    visit(func_.body, int_imm(1));
    Scalar bytes = int_imm(0);
    for (const Ref<Buffer>& b : func_.buffers()) {
      const auto written = stores_.find(b.get()), read = loads_.find(b.get());
      if (written != stores_.end())
        bytes = bytes + bytes_of(*b, written->second);
      else if (read != loads_.end())
        bytes = bytes + bytes_of(*b, read->second);
    }
    KernelWork out{.flops = analyzer_.simplify(flops_), .bytes = analyzer_.simplify(bytes), .flops_on = {}};
    for (const auto& [numbers, count] : flops_on_) {
      Scalar simplified = analyzer_.simplify(count);
      if (const int64_t* value = find_int(simplified); !value || *value != 0)
        out.flops_on.emplace(numbers, std::move(simplified));
    }
    return out;
  }

 private:
  using Counts = std::unordered_map<const Buffer*, Scalar>;

  void visit(const Stmt& s, const Scalar& times) {
    if (!s) return;
    if (const auto* store = find<BufferStore>(s)) {
      ScalarWork work;
      work.add_value(store->value);
      for (const Scalar& index : store->indices) work.add_condition(index);
      add(work, times);
      increase(stores_, store->buffer.get(), times);
    } else if (const auto* seq = find<Seq>(s)) {
      for (const Stmt& part : seq->stmts) visit(part, times);
    } else if (const auto* loop = find<For>(s)) {
      const Scalar extent = known_extent(loop->extent);
      means_.insert_or_assign(loop->var, loop->min + floor_div(extent, int_imm(2)));
      const Scalar within = iterations_of_tail(loop->extent, times).value_or(times * extent);
      loops_.push_back({loop->var, extent, within});
      visit(loop->body, within);
      loops_.pop_back();
    } else if (const auto* repeated = find<While>(s)) {
      visit(repeated->body, times);
    } else if (const auto* branch = find<IfThenElse>(s)) {
      visit(*branch, times);
    } else if (const auto* realize = find<BlockRealize>(s)) {
      visit(*realize, times);
    } else {
      visit_scope(s, times);
    }
  }

  // Forms for parts of a loop share its iterations; of other branches both count.
  void visit(const IfThenElse& branch, const Scalar& times) {
    add_condition(branch.condition, times);
    Scalar first = int_imm(0);  // iterations that forms before have
    const IfThenElse* form = &branch;
    for (std::optional<Scalar> end; (end = iterations_below(form->condition, times)); first = *end) {
      visit(form->then_case, *end - first);
      const auto* next = find<IfThenElse>(form->else_case);
      if (!next) return visit(form->else_case, times - *end);
      form = next;
    }
    const Scalar rest = form == &branch ? times : times - first;
    visit(form->then_case, rest);
    visit(form->else_case, rest);
  }

  /// `size - index * step`, where the index is that of a loop around, which runs once for each `step` of the size that
  /// begins.
  struct Tail {
    Scalar size;
    int64_t step;
    Scalar others;  // iterations of all loops around but that one
  };
  std::optional<Tail> find_tail(const Scalar& s, const Scalar& times) const {
    const auto* left = find<Binary>(s);
    const auto* taken = left && left->op == BinaryOp::Sub ? find<Binary>(left->b) : nullptr;
    if (!taken || taken->op != BinaryOp::Mul || loops_.empty() || loops_.back().within != times) return std::nullopt;
    const int64_t* step = find_int(taken->b);
    Ref<SymVar> index = find_ref<SymVar>(taken->a);
    const auto is_index = [&](const Iterations& loop) { return loop.index == index; };
    if (index && std::ranges::none_of(loops_, is_index))
      if (const auto value = means_.find(index); value != means_.end())
        index = find_ref<SymVar>(value->second);  // a block's iterator
    if (!step || *step < 1 || !index || std::ranges::none_of(loops_, is_index) || !is_of_dims(left->a))
      return std::nullopt;
    Scalar others = int_imm(1);
    for (const Iterations& loop : loops_)
      if (!is_index(loop)) others = others * loop.extent;
    return Tail{left->a, *step, std::move(others)};
  }

  /// Returns how many of the iterations `times` satisfy `tail > least`; nothing for other conditions.
  std::optional<Scalar> iterations_below(const Scalar& condition, const Scalar& times) const {
    const auto* above = find<Binary>(condition);
    const int64_t* least = above && above->op == BinaryOp::Gt ? find_int(above->b) : nullptr;
    const std::optional<Tail> tail = least ? find_tail(above->a, times) : std::nullopt;
    if (!tail || *least < 0 || *least >= tail->step) return std::nullopt;
    return tail->others * floor_div(tail->size + int_imm(tail->step - 1 - *least), int_imm(tail->step));
  }

  /// Returns how often the body of a loop of `min(step, tail)` iterations runs; nothing for other extents.
  std::optional<Scalar> iterations_of_tail(const Scalar& extent, const Scalar& times) const {
    const auto* least = find<Binary>(extent);
    const int64_t* step = least && least->op == BinaryOp::Min ? find_int(least->a) : nullptr;
    const std::optional<Tail> tail = step ? find_tail(least->b, times) : std::nullopt;
    if (!tail || tail->step != *step) return std::nullopt;
    return tail->others * tail->size;
  }

  void visit(const BlockRealize& realize, const Scalar& times) {
    const Block& block = *realize.block;
    for (size_t i = 0; i < block.iters.size(); ++i) means_.insert_or_assign(block.iters[i].var, realize.values[i]);
    for (const MatchBufferRegion& m : block.match_buffers)
      sources_.insert_or_assign(m.buffer.get(), m.source.buffer.get());
    visit(block.body, times);
  }

  // Definitions, around their scopes.
  void visit_scope(const Stmt& s, const Scalar& times) {
    if (const auto* bind = find<Bind>(s)) {
      ScalarWork work;
      work.add_value(bind->value);
      add(work, times);
      means_.insert_or_assign(bind->var, bind->value);
      visit(bind->body, times);
    } else if (const auto* alloc = find<AllocBuffer>(s)) {
      visit(alloc->body, times);
    } else if (const auto* decl = find<DeclBuffer>(s)) {
      visit(decl->body, times);
    } else if (const auto* attr = find<AttrStmt>(s)) {
      visit(attr->body, times);
    }
  }

  void add_condition(const Scalar& s, const Scalar& times) {
    ScalarWork work;
    work.add_condition(s);
    add(work, times);
  }

  void add(const ScalarWork& work, const Scalar& times) {
    for (const auto& [numbers, count] : work.flops) {
      flops_ = flops_ + times * int_imm(count);
      Scalar& total = flops_on_.try_emplace(numbers, int_imm(0)).first->second;
      total = total + times * int_imm(count);
    }
    for (const auto& [buffer, count] : work.loads) increase(loads_, buffer, times * int_imm(count));
  }

  void increase(Counts& counts, const Buffer* buffer, const Scalar& by) {
    while (sources_.contains(buffer)) buffer = sources_.at(buffer);
    auto [count, is_new] = counts.try_emplace(buffer, by);
    if (!is_new) count->second = count->second + by;
  }

  bool is_of_dims(const Scalar& s) const {
    const auto is_dim = [&](const Ref<SymVar>& v) { return std::ranges::find(dims_, v) != dims_.end(); };
    return !reads_data(s) && std::ranges::all_of(free_symbols(s), is_dim);
  }

  // Returns an extent as an expression of the function's symbols; 1 when it depends on anything else.
  Scalar known_extent(Scalar extent) {
    for (int depth = 0; depth < 8; ++depth) extent = substitute(extent, means_);
    if (!is_of_dims(extent)) return int_imm(1);
    return analyzer_.simplify(Cast::make(DType::int_(64), extent));
  }

  Scalar bytes_of(const Buffer& b, const Scalar& accesses) {
    Scalar size = int_imm(1);
    for (const Scalar& d : b.shape) size = size * d;
    Scalar elements = analyzer_.simplify(size);
    const Scalar touched = analyzer_.simplify(accesses);
    if (!analyzer_.can_prove(Binary::make(BinaryOp::Ge, touched, elements))) elements = min(touched, elements);
    const int64_t bits = b.dtype.bits * b.dtype.lanes;
    return bits % 8 == 0 ? elements * int_imm(bits / 8) : floor_div(elements * int_imm(bits) + int_imm(7), int_imm(8));
  }

  const PrimFunc& func_;
  const std::vector<Ref<SymVar>> dims_;
  Analyzer analyzer_;
  Substitution means_;  // of loop variables and block iterators
  /// A loop around, and how often its body runs in all.
  struct Iterations {
    Ref<SymVar> index;
    Scalar extent, within;
  };
  std::vector<Iterations> loops_;
  Scalar flops_ = int_imm(0);
  std::map<Numbers, Scalar> flops_on_;
  Counts loads_, stores_;
  std::unordered_map<const Buffer*, const Buffer*> sources_;  // of views
};

}  // namespace

const char* name_of(Numbers numbers) {
  switch (numbers) {
    case Numbers::Int8: return "int8";
    case Numbers::Integers: return "integers";
    case Numbers::Float16: return "float16";
    case Numbers::BFloat16: return "bfloat16";
    case Numbers::Float32: return "float32";
    case Numbers::Float64: return "float64";
  }
  return "";
}

KernelWork count_work(const PrimFunc& func) { return WorkCounter(func).run(); }

}  // namespace sunmao
