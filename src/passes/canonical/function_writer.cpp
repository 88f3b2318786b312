#include "passes/canonical/function_writer.h"

#include <algorithm>
#include <utility>

#include "ir/walk.h"
#include "ops/custom_ops.h"
#include "passes/analysis/blocks.h"
#include "passes/canonical/normalize.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Lets the builder bind operands in a dataflow block or a plain one, which determines the kind of their variables. The
// destructor discards bindings that were not taken from the builder.
class OperandScope {
 public:
  OperandScope(BlockBuilder& builder, bool is_dataflow) : builder_(builder), is_dataflow_(is_dataflow) {
    if (is_dataflow_) builder_.begin_dataflow();
  }
  ~OperandScope() {
    builder_.take_bindings();
    if (is_dataflow_) builder_.end_dataflow();
  }
  OperandScope(const OperandScope&) = delete;
  OperandScope& operator=(const OperandScope&) = delete;

 private:
  BlockBuilder& builder_;
  const bool is_dataflow_;
};

}  // namespace

Ref<BindingBlock> FunctionWriter::end_block() {
  if (blocks_.empty()) fail("E0039", Span(), "there is no block to end", "begin one first");
  OpenBlock block = std::move(blocks_.back());
  blocks_.pop_back();
  return make_block(std::move(block.bindings), block.is_dataflow);
}

void FunctionWriter::add(const Ref<BindingBlock>& block) {
  if (!functions_.empty() && !block->bindings.empty()) functions_.back().blocks.push_back(block);
}

void FunctionWriter::begin_function() {
  functions_.push_back({.outer = std::exchange(blocks_, {})});
  begin_block();
}

void FunctionWriter::end_function() {
  SUNMAO_CHECK(!functions_.empty(), "no function to end");
  blocks_ = std::move(functions_.back().outer);
  functions_.pop_back();
}

void FunctionWriter::enter_dataflow() {
  add(end_block());
  begin_dataflow_block();
}

void FunctionWriter::leave_dataflow() {
  add(end_block());
  begin_block();
}

Ref<SeqExpr> FunctionWriter::finish_body(const Expr& output) {
  SUNMAO_CHECK(!functions_.empty(), "no function to finish");
  if (in_dataflow()) fail("E0039", Span(), "the dataflow block is still open", "leave it before emit_func_output");
  Expr result = normalize(output);
  if (!is_leaf(result)) result = emit(result);
  add(end_block());
  begin_block();
  for (const Ref<BindingBlock>& block : functions_.back().dividing)
    for (const Binding& b : block->bindings)
      for (const Ref<Var>& v : free_vars(b.value))
        if (v->is_dataflow)
          fail("E0401", b.span, fmt::format("Malformed AST: `{}` is read outside of its dataflow block", v->name),
               "emit what reads it in the dataflow block, or bind it by emit_output");
  return SeqExpr::make(functions_.back().blocks, result);
}

Ref<Var> FunctionWriter::bind(Expr value, Type cast_type, const std::string& name, bool is_dataflow) {
  const std::string unique = builder_.unique_name(name);
  Type type = cast_type ? cast_type : value->type;
  Ref<Var> var = is_dataflow ? Var::make_dataflow(unique, std::move(type)) : Var::make(unique, std::move(type));
  Span span = value->span;
  append(Binding{var, std::move(value), std::move(cast_type), std::move(span)});
  return var;
}

Ref<Var> FunctionWriter::emit(const Expr& value, const std::string& hint) {
  Expr normal = flat(value);
  const bool is_dataflow = in_dataflow();
  return bind(std::move(normal), nullptr, !hint.empty() ? hint : is_dataflow ? "lv" : "gv", is_dataflow);
}

Ref<Var> FunctionWriter::emit_output(const Expr& value, const std::string& hint) {
  if (!in_dataflow())
    fail("E0039", Span(), "emit_output stands in a dataflow block", "write `with bb.dataflow():`, or use emit");
  return bind(flat(value), nullptr, hint.empty() ? "gv" : hint, false);
}

Ref<Var> FunctionWriter::match_cast(const Expr& value, Type type, const std::string& hint) {
  Expr normal = flat(value);
  const bool is_dataflow = in_dataflow();
  return bind(std::move(normal), std::move(type), !hint.empty() ? hint : is_dataflow ? "lv" : "gv", is_dataflow);
}

void FunctionWriter::append(Binding binding) {
  if (blocks_.empty())
    fail("E0039", Span(), "there is no block to emit into", "write `with bb.function(\"name\", [params]):`");
  values_[binding.var] = binding.value;
  blocks_.back().bindings.push_back(std::move(binding));
}

Expr FunctionWriter::value_of(const Ref<Var>& var) const {
  const auto found = values_.find(var);
  return found == values_.end() ? Expr() : found->second;
}

Expr FunctionWriter::normalize(const Expr& e) {
  if (Ref<Function> function = find_ref<Function>(e)) return sunmao::normalize(function, builder_.module());
  if (find<SeqExpr>(e) || find<If>(e)) return normal_nested(e);
  if (!blocks_.empty()) return flat(e);
  begin_block();
  try {
    Expr normal = flat(e);
    blocks_.pop_back();
    return normal;
  } catch (...) {
    blocks_.pop_back();
    throw;
  }
}

Expr FunctionWriter::flat(Expr e) {
  while (Ref<SeqExpr> seq = find_ref<SeqExpr>(e)) {
    inline_blocks(*seq);
    e = seq->body;
  }
  Expr normal;
  std::vector<Binding> operands;
  {
    const OperandScope scope(builder_, in_dataflow());
    normal = builder_.normalize(e);
    operands = builder_.take_bindings();
  }
  for (Binding& b : operands) append(std::move(b));
  Ref<Call> call = find_ref<Call>(normal);
  Expr asked = call ? normal_call(call) : normal;
  return asked == normal ? normal : flat(asked);
}

// Returns the call in the form that its op requires beyond known types and leaf operands: the tuple that is passed to a
// loop-level function is written out; calls of custom ops are brought into the normal form that these define.
Expr FunctionWriter::normal_call(const Ref<Call>& call) {
  const Op* op = op_of(*call);
  if (!op || !op->calls_loops()) return normal_custom_call(call);
  const Expr& operands = call->args[1];
  const auto* type = find<TupleType>(operands->type);
  if (find<Tuple>(operands) || !type) return call;
  Ref<Var> var = find_ref<Var>(operands);
  Expr written = var ? value_of(var) : Expr();
  if (!written || !find<Tuple>(written)) {
    std::vector<Expr> fields;
    for (size_t i = 0; i < type->fields.size(); ++i)
      fields.push_back(TupleGetItem::make(operands, static_cast<int>(i)));
    written = Tuple::make(std::move(fields));
  }
  std::vector<Expr> args = call->args;
  args[1] = written;
  return Call::make(call->callee, std::move(args), call->attrs, call->type_args, call->span);
}

// Normalises the expression as the body of a function whose parameters are its free variables.
Expr FunctionWriter::normal_nested(const Expr& e) {
  Ref<SeqExpr> own = find_ref<SeqExpr>(e);
  Ref<SeqExpr> body = sunmao::normalize(Function::make(free_vars(e), own ? own : SeqExpr::make({}, e), nullptr, false),
                                        builder_.module())
                          ->body;
  if (own) return body;
  if (body->blocks.empty()) return body->body;
  const bool is_one = body->blocks.size() == 1 && body->blocks[0]->bindings.size() == 1;
  return is_one ? body->blocks[0]->bindings[0].value : Expr(body);
}

// Adds the bindings of a sequence to the innermost block. A block of the other kind divides that block.
void FunctionWriter::inline_blocks(const SeqExpr& seq) {
  const bool is_dataflow = in_dataflow();
  for (const Ref<BindingBlock>& block : seq.blocks) {
    if (block->is_dataflow == is_dataflow || functions_.empty()) {
      for (const Binding& b : block->bindings) append(b);
      continue;
    }
    add(end_block());
    add(block);
    for (const Binding& b : block->bindings) values_[b.var] = b.value;
    blocks_.push_back({.is_dataflow = is_dataflow});
    if (!block->is_dataflow) functions_.back().dividing.push_back(block);
  }
}

}  // namespace sunmao
