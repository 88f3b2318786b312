// PrimReader for sequences of statements: definitions that cover the rest of a sequence, and nesting limits.
#include "script/prim_reader.h"

namespace sunmao::script {

PrimReader::Deeper::Deeper(PrimReader& reader, const Place& place) : reader_(reader) { add_scope(place); }
PrimReader::Deeper::~Deeper() {
  reader_.depth_ -= scopes_;
  reader_.definitions_ -= definitions_;
}
void PrimReader::Deeper::add_scope(const Place& place) {
  ++scopes_;
  if (++reader_.depth_ > kMaxScopes)
    reader_.ctx_.error("E0104", place,
                       fmt::format("more than {} loops, blocks and scopes stand inside each other", kMaxScopes),
                       "split the function");
}
void PrimReader::Deeper::add_definition(const Place& place) {
  ++definitions_;
  if (++reader_.definitions_ > kMaxDefinitions)
    reader_.ctx_.error("E0104", place, fmt::format("more than {} definitions hold for one statement", kMaxDefinitions),
                       "put parts of the function into loops, branches or functions of their own");
}

// A `wrap` encloses all that follows it, so a sequence is folded from its end.
Stmt PrimReader::fold(Items items) {
  std::vector<Stmt> rest;  // in reverse order
  auto body = [&] {
    if (rest.empty()) return Evaluate::make(IntImm::make(DType::int_(32), 0));
    return Seq::make({std::make_move_iterator(rest.rbegin()), std::make_move_iterator(rest.rend())});
  };
  for (size_t i = items.size(); i-- > 0;) {
    if (items[i].stmt) {
      rest.push_back(std::move(items[i].stmt));
    } else {
      Stmt wrapped = items[i].wrap(body());
      rest.assign(1, wrapped);
    }
  }
  return body();
}

Stmt PrimReader::sequence(const std::vector<PyStmt>& body, BlockFrame* block) {
  BlockFrame* around = std::exchange(block_, block);
  BlockFrame* outer = around_;
  if (block) around_ = block;
  Deeper deeper(*this, body.empty() ? Place{} : body.front().place);
  Stmt result;
  {
    ScopeLevel level(scope_);
    Items items;
    for (const PyStmt& s : body) {
      size_t before = items.size();
      ctx_.read_at(s.place, [&] { statement(s, items); });
      for (size_t i = before; i < items.size(); ++i) {
        if (!items[i].wrap) continue;
        deeper.add_definition(s.place);
        if (block) block->has_bindings = true;
      }
    }
    result = fold(std::move(items));
  }
  block_ = around;
  around_ = outer;
  return result;
}

}  // namespace sunmao::script
