#include "passes/loop/root_statements.h"

#include <utility>

namespace sunmao {
namespace {

const std::set<size_t>& numbers(const std::unordered_map<const Buffer*, std::set<size_t>>& of, const Buffer& b) {
  static const std::set<size_t> none;
  const auto found = of.find(&b);
  return found == of.end() ? none : found->second;
}

}  // namespace

RootStatements::RootStatements(RootBody root) : rows_(root.stmts.size()), temps_(std::move(root.temps)) {
  for (const Ref<Buffer>& b : temps_) is_temporary_.insert(b.get());
  for (size_t i = 0; i < rows_.size(); ++i) put(i, std::move(root.stmts[i]));
}

const StoreNest* RootStatements::nest(size_t i) {
  Row& row = rows_[i];
  if (!std::exchange(row.is_read, true)) row.nest = read_store_nest(row.stmt);
  return row.nest ? &*row.nest : nullptr;
}

int RootStatements::loads(size_t i, const Buffer& b) const {
  const auto found = rows_[i].accesses.loads.find(&b);
  return found == rows_[i].accesses.loads.end() ? 0 : found->second;
}

const std::set<size_t>& RootStatements::readers(const Buffer& b) const { return numbers(readers_, b); }
const std::set<size_t>& RootStatements::writers(const Buffer& b) const { return numbers(writers_, b); }

Stmt RootStatements::before(size_t i) const {
  while (i > 0)
    if (rows_[--i].stmt) return rows_[i].stmt;
  return nullptr;
}

RootBody RootStatements::root() const {
  RootBody out{.stmts = {}, .temps = temps_};
  for (const Row& row : rows_)
    if (row.stmt) out.stmts.push_back(row.stmt);
  return out;
}

void RootStatements::put(size_t i, Stmt s) {
  remove(i);
  Row& row = rows_[i];
  row.accesses = buffer_accesses(s);
  row.stmt = std::move(s);
  for (const auto& [buffer, count] : row.accesses.loads) readers_[buffer].insert(i);
  for (const Buffer* buffer : row.accesses.stores) writers_[buffer].insert(i);
  if (row.accesses.views.empty()) return;
  // What a view of the data is used for is not looked at: it may be both.
  for (const Ref<Buffer>& temp : temps_)
    if (row.accesses.views.contains(temp->data.get())) {
      row.accesses.loads.try_emplace(temp.get(), 1);
      row.accesses.stores.insert(temp.get());
      readers_[temp.get()].insert(i);
      writers_[temp.get()].insert(i);
    }
}

void RootStatements::remove(size_t i) {
  for (const auto& [buffer, count] : rows_[i].accesses.loads) readers_[buffer].erase(i);
  for (const Buffer* buffer : rows_[i].accesses.stores) writers_[buffer].erase(i);
  rows_[i] = {};
}

}  // namespace sunmao
