#include "passes/analysis/buffer_uses.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "loop/walk.h"
#include "sym/analyzer.h"

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
    if (const auto* loop = find<For>(s)) ranges_[loop->var] = {loop->var, loop->min, loop->extent};
    if (const auto* realize = find<BlockRealize>(s)) enter(*realize);
    if (const auto* block = find<Block>(s)) {
      for (const MatchBufferRegion& view : block->match_buffers) add_view(view.buffer, root_of(view.source.buffer));
      return visit_block(*block);
    }
    if (const auto* view = find<DeclBuffer>(s); view && view->buffer->data) {
      const auto handle = handles_.find(view->buffer->data);
      if (handle != handles_.end()) add_view(view->buffer, handle->second);
    }
    if (const auto* store = find<BufferStore>(s)) write(*store);
    const bool is_condition = find<IfThenElse>(s) || find<While>(s);
    conditions_ += is_condition ? 1 : 0;
    visit_parts(s);
    conditions_ -= is_condition ? 1 : 0;
  }

  // Leaves out the regions that a block states.
  void visit_block(const Block& block) {
    if (block.init) visit(block.init);
    visit(block.body);
  }

  void visit_scalar(const Scalar& s) override {
    visit_all(s, [&](const Scalar& node) {
      if (const auto* load = find<BufferLoad>(node))
        if (const std::optional<size_t> root = root_of(load->buffer)) uses_[*root].is_read = true;
      const auto* call = find<ScalarCall>(node);
      if (call && (call->name == "address_of" || call->name.ends_with("access_ptr")))
        for (const Scalar& arg : call->args)
          if (const auto* load = find<BufferLoad>(arg)) escape(root_of(load->buffer));
      if (const Ref<SymVar> v = find_ref<SymVar>(node))
        if (const auto handle = handles_.find(v); handle != handles_.end()) escape(handle->second);
    });
  }

  void escape(std::optional<size_t> root) {
    if (root) uses_[*root].is_read = uses_[*root].is_written = true;
  }

  std::optional<size_t> root_of(const Ref<Buffer>& b) const {
    const auto found = root_.find(b);
    return found == root_.end() ? std::nullopt : std::optional(found->second);
  }
  void add_view(const Ref<Buffer>& view, std::optional<size_t> root) {
    if (root) root_[view] = *root;
  }

  // An iterator runs through its domain if it is a loop's variable with that range.
  void enter(const BlockRealize& realize) {
    const auto* always = realize.predicate ? find<IntImm>(realize.predicate) : nullptr;
    const bool is_whole = !realize.predicate || (always && always->value != 0);
    for (size_t i = 0; i < realize.values.size(); ++i) {
      const IterVar& iter = realize.block->iters[i];
      const auto loop = ranges_.find(find_ref<SymVar>(realize.values[i]));
      if (is_whole && loop != ranges_.end())
        ranges_[iter.var] = loop->second;
      else if (is_whole && is_constant(realize.values[i]))
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
  std::unordered_map<Ref<SymVar>, WrittenRange> ranges_;  // of variables of loops and blocks
  std::unordered_set<Ref<SymVar>> unknown_;               // those of blocks that need not run through their domain
  int conditions_ = 0;
  Analyzer analyzer_;
};

}  // namespace

std::vector<BufferUse> buffer_uses(const PrimFunc& func) { return BufferUseFinder(func).run(func.body); }

}  // namespace sunmao
