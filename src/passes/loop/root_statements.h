// The statements of a root block and the buffers that each accesses, kept up to date while statements change and go:
// who asks which statements read a buffer does not walk all of them.
#pragma once
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "passes/loop/store_nest.h"

namespace sunmao {

/// A statement keeps its number when others go.
class RootStatements {
 public:
  explicit RootStatements(RootBody root);

  size_t size() const { return rows_.size(); }
  /// Null when the statement is gone.
  const Stmt& operator[](size_t i) const { return rows_[i].stmt; }
  /// The statement as a nest; null for another form.
  const StoreNest* nest(size_t i);
  bool is_temporary(const Buffer& b) const { return is_temporary_.contains(&b); }
  /// Returns how often the statement loads from the buffer.
  int loads(size_t i, const Buffer& b) const;
  /// The statements that load from the buffer, and those that store to it, in order.
  const std::set<size_t>& readers(const Buffer& b) const;
  const std::set<size_t>& writers(const Buffer& b) const;
  /// Returns the statement before; null when there is none.
  Stmt before(size_t i) const;
  RootBody root() const;

  void put(size_t i, Stmt s);
  void remove(size_t i);

 private:
  struct Row {
    Stmt stmt = {};
    BufferAccesses accesses = {};
    std::optional<StoreNest> nest = {};
    bool is_read = false;  // as a nest
  };
  std::vector<Row> rows_;
  std::unordered_map<const Buffer*, std::set<size_t>> readers_, writers_;
  std::vector<Ref<Buffer>> temps_;
  std::unordered_set<const Buffer*> is_temporary_;
};

}  // namespace sunmao
