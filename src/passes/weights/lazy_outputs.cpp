#include "passes/weights/lazy_outputs.h"

#include "passes/analysis/blocks.h"
#include "passes/analysis/result_tuple.h"
#include "support/diagnostic.h"

namespace sunmao {

LazyOutputs find_lazy_outputs(const Function& f) {
  LazyOutputs out;
  const ResultTuple result = find_result_tuple(f);
  out.result = result.var;
  const std::vector<Expr> fields = result.tuple ? result.tuple->fields : std::vector<Expr>{f.body->body};
  for (size_t i = 0; i < fields.size(); ++i)
    if (Ref<Var> v = find_ref<Var>(fields[i]))
      out.of_vars[v].push_back(i);
    else
      out.leaves.emplace_back(fields[i], i);
  return out;
}

Ref<Function> with_literal_result(const Ref<Function>& f) {
  const auto* type = find<TupleType>(f->body->body->type);
  if (!type || find_result_tuple(*f).tuple) return f;
  std::vector<Binding> reads;
  std::vector<Expr> fields;
  for (size_t i = 0; i < type->fields.size(); ++i) {
    const Expr value = TupleGetItem::make(f->body->body, static_cast<int>(i));
    Ref<Var> field = Var::make(fmt::format("output_{}", i), value->type);
    reads.push_back({field, value, nullptr, {}});
    fields.push_back(field);
  }
  std::vector<Ref<BindingBlock>> blocks = f->body->blocks;
  blocks.push_back(BindingBlock::make(std::move(reads)));
  return f->with_body(SeqExpr::make(merge_blocks(blocks), Tuple::make(std::move(fields)), f->body->span));
}

}  // namespace sunmao
