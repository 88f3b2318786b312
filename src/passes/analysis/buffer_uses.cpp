#include "passes/analysis/buffer_uses.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "loop/walk.h"
#include "sym/analyzer.h"
#include "sym/equal.h"

namespace sunmao {
namespace {

/// The elements that stores write as a loop runs through its range; with the loop's variable, or null for one index.
struct WrittenRange {
  Ref<SymVar> loop;
  Scalar min, extent;
};
using Box = std::vector<WrittenRange>;  // by dimension

class BufferUseFinder final : public StmtVisitor {
 public:
  explicit BufferUseFinder(const PrimFunc& func) : buffers_(func.buffers()), boxes_(buffers_.size()) {
    uses_.resize(buffers_.size());
    for (size_t i = 0; i < buffers_.size(); ++i) root_[buffers_[i]] = i;
    for (const PrimParam& p : func.params)
      if (p.buffer && p.var) handles_.emplace(p.var, root_.at(p.buffer));
    for (size_t i = 0; i < buffers_.size(); ++i)
      if (buffers_[i]->data) handles_.emplace(buffers_[i]->data, i);
  }

  std::vector<BufferUse> run(const Stmt& body) {
    if (body) visit(body);
    for (size_t i = 0; i < buffers_.size(); ++i) uses_[i].is_filled = covers(boxes_[i], buffers_[i]->shape);
    return std::move(uses_);
  }

 private:
  void visit(const Stmt& s) override {
    if (const auto* l = find<For>(s)) ranges_[l->var] = {l->var, l->min, l->extent};
    if (const auto* r = find<BlockRealize>(s)) enter(*r);
    if (const auto* block = find<Block>(s)) {
      for (const MatchBufferRegion& view : block->match_buffers) add_view(view.buffer, root_of(view.source.buffer));
      return visit_block(*block);
    }
    if (const auto* view = find<DeclBuffer>(s); view && view->buffer->data) {
      const auto handle = handles_.find(view->buffer->data);
      if (handle != handles_.end()) add_view(view->buffer, handle->second);
    }
    if (const auto* store = find<BufferStore>(s)) write(*store);
    const auto* loop = find<For>(s);
    const auto* realize = find<BlockRealize>(s);
    const bool is_condition = find<IfThenElse>(s) || find<While>(s) || (realize && !is_whole(*realize));
    if (loop) loops_.push_back(loop);
    conditions_ += is_condition ? 1 : 0;
    visit_parts(s);
    conditions_ -= is_condition ? 1 : 0;
    if (loop) loops_.pop_back();
  }

  // True when a value loads no other element of the buffer than the one that is stored.
  static bool loads_only(const Scalar& value, const BufferStore& own) {
    bool is_own = true;
    visit_all(value, [&](const Scalar& node) {
      const auto* load = find<BufferLoad>(node);
      if (!load || load->buffer != own.buffer) return;
      is_own &= std::ranges::equal(load->indices, own.indices,
                                   [](const Scalar& a, const Scalar& b) { return structural_equal(a, b); });
    });
    return is_own;
  }

  // Leaves out the regions that a block states.
  void visit_block(const Block& block) {
    if (block.init) visit(block.init);
    // What a reduction reads of its own element, its first step has written.
    const auto* first = block.init ? find<BufferStore>(block.init) : nullptr;
    const auto* next = first ? find<BufferStore>(block.body) : nullptr;
    const bool is_begun = next && next->buffer == first->buffer && loads_only(next->value, *first);
    if (is_begun) begun_.push_back(first->buffer);
    visit(block.body);
    if (is_begun) begun_.pop_back();
  }

  void visit_scalar(const Scalar& s) override {
    visit_all(s, [&](const Scalar& node) {
      if (const auto* load = find<BufferLoad>(node))
        if (const std::optional<size_t> root = root_of(load->buffer)) {
          uses_[*root].is_read = true;
          uses_[*root].reads_before |= std::ranges::find(begun_, load->buffer) == begun_.end();
        }
      const auto* call = find<ScalarCall>(node);
      if (call && (call->name == "address_of" || call->name.ends_with("access_ptr")))
        for (const Scalar& arg : call->args)
          if (const auto* load = find<BufferLoad>(arg)) escape(root_of(load->buffer));
      if (const Ref<SymVar> v = find_ref<SymVar>(node))
        if (const auto handle = handles_.find(v); handle != handles_.end()) escape(handle->second);
    });
  }

  void escape(std::optional<size_t> root) {
    if (root) uses_[*root].is_read = uses_[*root].reads_before = uses_[*root].is_written = true;
  }

  std::optional<size_t> root_of(const Ref<Buffer>& b) const {
    const auto found = root_.find(b);
    return found == root_.end() ? std::nullopt : std::optional(found->second);
  }
  void add_view(const Ref<Buffer>& view, std::optional<size_t> root) {
    if (root) root_[view] = *root;
  }

  static bool is_whole(const BlockRealize& realize) {
    const auto* always = realize.predicate ? find<IntImm>(realize.predicate) : nullptr;
    return !realize.predicate || (always && always->value != 0);
  }

  // An iterator runs through its domain if it is a loop's variable with that range.
  void enter(const BlockRealize& realize) {
    const bool is_always = is_whole(realize);
    for (size_t i = 0; i < realize.values.size(); ++i) {
      const IterVar& iter = realize.block->iters[i];
      const auto loop = ranges_.find(find_ref<SymVar>(realize.values[i]));
      if (is_always && loop != ranges_.end())
        ranges_[iter.var] = loop->second;
      else if (is_always && is_constant(realize.values[i]))
        ranges_[iter.var] = {{}, realize.values[i], int_imm(1)};
      else
        unknown_.insert(iter.var);
    }
  }
  static bool is_constant(const Scalar& s) { return find<IntImm>(s) != nullptr; }

  void write(const BufferStore& store) {
    const std::optional<size_t> root = root_of(store.buffer);
    if (!root) return;
    uses_[*root].is_written = true;
    if (store.buffer != buffers_[*root] || store.predicate || conditions_ > 0) return;
    Box box;
    for (const Scalar& index : store.indices) {
      const std::optional<WrittenRange> range = range_of(index);
      const auto is_same = [&](const WrittenRange& r) { return r.loop && r.loop == range->loop; };
      if (!range || std::ranges::any_of(box, is_same)) return;
      box.push_back(*range);
    }
    // A loop that moves the store nowhere may have no step.
    for (const For* loop : loops_) {
      const bool is_in_box = std::ranges::any_of(box, [&](const WrittenRange& r) { return r.loop == loop->var; });
      if (!is_in_box && !analyzer_.can_prove(Binary::make(BinaryOp::Ge, loop->extent, int_imm(1)))) return;
    }
    boxes_[*root].push_back(std::move(box));
  }

  // Returns the indices that the expression runs through: a loop's range, moved; nullopt for other forms.
  std::optional<WrittenRange> range_of(const Scalar& index) {
    const WrittenRange* range = nullptr;
    Substitution without;
    for (const Ref<SymVar>& v : free_symbols(index)) {
      if (unknown_.contains(v)) return std::nullopt;
      const auto found = ranges_.find(v);
      if (found == ranges_.end()) continue;
      if (range) return std::nullopt;
      range = &found->second;
      without[v] = int_imm(0);
      if (!analyzer_.can_prove_equal(index, Binary::make(BinaryOp::Add, v, substitute(index, {{v, int_imm(0)}}))))
        return std::nullopt;
    }
    if (!range) return WrittenRange{{}, index, int_imm(1)};
    const Scalar offset = substitute(index, without);
    return WrittenRange{range->loop, Binary::make(BinaryOp::Add, range->min, offset), range->extent};
  }

  bool is_full(const WrittenRange& r, const Scalar& size) {
    return analyzer_.can_prove_equal(r.min, int_imm(0)) && analyzer_.can_prove_equal(r.extent, size);
  }

  // True when the boxes lie side by side in one dimension, and are whole in the others.
  bool covers(const std::vector<Box>& boxes, const std::vector<Scalar>& shape) {
    if (shape.empty()) return !boxes.empty();
    for (size_t d = 0; d < shape.size(); ++d) {
      std::vector<const WrittenRange*> parts;
      for (const Box& box : boxes) {
        bool is_slice = true;
        for (size_t other = 0; other < shape.size() && is_slice; ++other)
          is_slice = other == d || is_full(box[other], shape[other]);
        if (is_slice) parts.push_back(&box[d]);
      }
      if (reaches(parts, shape[d])) return true;
    }
    return false;
  }

  bool reaches(const std::vector<const WrittenRange*>& parts, const Scalar& size) {
    Scalar end = int_imm(0);
    for (size_t tries = 0; tries < parts.size(); ++tries) {
      const auto next =
          std::ranges::find_if(parts, [&](const WrittenRange* r) { return analyzer_.can_prove_equal(r->min, end); });
      if (next == parts.end()) return false;
      end = Binary::make(BinaryOp::Add, end, (*next)->extent);
      if (analyzer_.can_prove_equal(end, size)) return true;
    }
    return false;
  }

  const std::vector<Ref<Buffer>> buffers_;
  std::vector<BufferUse> uses_;
  std::vector<std::vector<Box>> boxes_;
  std::unordered_map<Ref<Buffer>, size_t> root_;  // the parameter that a buffer is, or is a view of
  std::unordered_map<Ref<SymVar>, size_t> handles_;
  std::vector<const For*> loops_;                         // around the statement that is visited
  std::vector<Ref<Buffer>> begun_;                        // whose own elements are read behind an initial store
  std::unordered_map<Ref<SymVar>, WrittenRange> ranges_;  // of variables of loops and blocks
  std::unordered_set<Ref<SymVar>> unknown_;               // those of blocks that need not run through their domain
  int conditions_ = 0;
  Analyzer analyzer_;
};

}  // namespace

std::vector<BufferUse> buffer_uses(const PrimFunc& func) { return BufferUseFinder(func).run(func.body); }

}  // namespace sunmao
