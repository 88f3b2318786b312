// Cells: local buffers of one element that are printed as scalar variables.
#include "loop/walk.h"
#include "script/stmt_printer.h"

namespace sunmao::script {
namespace {

bool is_zero_index(const std::vector<Scalar>& indices) {
  const int64_t* at = indices.size() == 1 ? find_int(indices[0]) : nullptr;
  return at && *at == 0 && indices[0]->dtype == DType::int_(32);
}

bool is_cell(const AllocBuffer& alloc) {
  const Buffer& b = *alloc.buffer;
  const int64_t* extent = b.shape.size() == 1 ? find_int(b.shape[0]) : nullptr;
  return extent && *extent == 1 && b.shape[0]->dtype == DType::int_(32) && b.scope == "local" && b.is_dense() &&
         !b.elem_offset && b.align == 64 && b.offset_factor == 0 && b.axis_separators.empty() && b.dtype.lanes == 1 &&
         b.dtype.code != TypeCode::Handle && alloc.annotations.empty();
}

class CellFinder final : public StmtVisitor {
 public:
  std::unordered_set<const Buffer*> found, others;
  void visit(const Stmt& s) override {
    if (const auto* alloc = find<AllocBuffer>(s); alloc && is_cell(*alloc)) found.insert(alloc->buffer.get());
    if (const auto* alloc = find<AllocBuffer>(s)) note_memory(*alloc->buffer);
    if (const auto* decl = find<DeclBuffer>(s)) {
      others.insert(decl->buffer.get());
      note_memory(*decl->buffer);
    }
    if (const auto* store = find<BufferStore>(s)) {
      if (!is_zero_index(store->indices)) others.insert(store->buffer.get());
      note_memory(*store->buffer);
    }
    if (const auto* block = find<Block>(s)) regions(*block);
    visit_parts(s);
  }
  void visit_scalar(const Scalar& s) override {
    visit_all(s, [&](const Scalar& node) {
      if (find<SymVar>(node)) named_.insert(node.get());
      const auto* load = find<BufferLoad>(node);
      if (!load) return;
      if (!is_zero_index(load->indices)) others.insert(load->buffer.get());
      note_memory(*load->buffer);
    });
  }
  /// True when the buffer's memory is also referenced by something else than the buffer.
  bool shares_memory(const Buffer& b) const { return b.data && named_.contains(b.data.get()); }

 private:
  void note_memory(const Buffer& b) {
    if (b.data && owners_.try_emplace(b.data.get(), &b).first->second != &b) named_.insert(b.data.get());
  }
  void regions(const Block& b) {
    for (const BufferRegion& r : b.reads) others.insert(r.buffer.get());
    for (const BufferRegion& r : b.writes) others.insert(r.buffer.get());
    for (const MatchBufferRegion& m : b.match_buffers) others.insert(m.source.buffer.get());
    for (const Ref<Buffer>& alloc : b.alloc_buffers) others.insert(alloc.get());
  }

  std::unordered_map<const Node*, const Buffer*> owners_;  // keyed by data pointer variable
  std::unordered_set<const Node*> named_;
};

}  // namespace

std::unordered_set<const Buffer*> StmtPrinter::find_cells(const Stmt& body) {
  CellFinder finder;
  if (body) finder.visit(body);
  for (const Buffer* other : finder.others) finder.found.erase(other);
  std::erase_if(finder.found, [&](const Buffer* b) { return finder.shares_memory(*b); });
  return std::move(finder.found);
}

std::string StmtPrinter::load_text(const BufferLoad& load) {
  return cells_.contains(load.buffer.get()) ? buffer(load.buffer) : Printer::load_text(load);
}

}  // namespace sunmao::script
