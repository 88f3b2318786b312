// The pass `raise-calls`: calls that fill memory, as lowered programs have them, become calls with results again, and
// allocations, storages and releases go. What a tensor holds is the result of the call that wrote it last. A program
// that reads what another tensor has overwritten means its memory, and is refused.
#include <fmt/format.h>

#include <algorithm>

#include "ir/builder.h"
#include "ir/dims.h"
#include "ops/ops.h"
#include "passes/analysis/buffer_uses.h"
#include "passes/analysis/kernel_call.h"
#include "passes/lower/allocated_tensors.h"
#include "passes/lower/in_function.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

[[noreturn]] void refuse_memory(const Span& span, const std::string& what) {
  fail("E1020", span, fmt::format("the virtual machine does not run {}", what), "see docs/errors/E1020.md");
}

std::string name_of_value(const Expr& e) { return find<Var>(e) ? find<Var>(e)->name : "a constant"; }

bool is_op(const Call* call, std::initializer_list<std::string_view> names) {
  const Op* op = call ? op_of(*call) : nullptr;
  return op && std::ranges::find(names, op->name()) != names.end();
}

/// A call of a loop-level function that fills memory, in the parts that a call with results has.
struct MemoryCall {
  Ref<GlobalVar> callee;
  Ref<PrimFunc> func;
  std::vector<Expr> tensors;  // one for each buffer
  std::vector<Scalar> scalars;
  Span span;
};

/// What becomes of the tensors of such a call.
struct RaisedParts {
  std::vector<Expr> inputs;
  std::vector<size_t> written;  // the tensors that the results are written to
  std::vector<int64_t> places;  // by result: the input in whose place it is, or -1
  std::vector<size_t> order;    // the buffers, those of new results last
};

class CallRaiser final : public Rewriter {
 public:
  CallRaiser(const Module& module, const Function& f, BlockBuilder& functions)
      : module_(module), functions_(functions), bounds_(f), tensors_(bounds_) {
    for (const Ref<Var>& p : f.params) bounds_.know_sizes(p->type);
  }

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    const auto outer = std::exchange(read_, {});
    const Span* outer_span = std::exchange(span_, &b.span);
    if (b.is_match_cast()) bounds_.know_sizes(b.cast_type);
    raise(b);
    read_ = outer;
    span_ = outer_span;
  }

  void raise(const Binding& b) {
    const Call* call = b.is_match_cast() ? nullptr : find<Call>(b.value);
    if (is_op(call, {"memory.alloc_storage", "vm.alloc_storage"})) return add_storage(b.var, *call);
    if (is_op(call, {"builtin.alloc_tensor"})) return add_tensor(b.var, *call, call->args[2]);
    if (is_op(call, {"memory.alloc_tensor", "vm.alloc_tensor"})) return add_tensor_in_storage(b.var, *call);
    if (is_op(call, {"memory.kill_tensor", "memory.kill_storage", "vm.kill_object"})) return;
    if (const auto* renamed = b.is_match_cast() ? nullptr : find<Var>(b.value))
      if (const auto tensor = numbers_.find(Ref<Var>(renamed)); tensor != numbers_.end()) {
        numbers_[b.var] = tensor->second;
        return;
      }
    if (const std::optional<MemoryCall> filling = call ? find_memory_call(*call) : std::nullopt) return fill(*filling);
    if (call && find<ExternFunc>(call->callee) && fills_by_host(*call)) return;
    if (const auto* local = find<Function>(b.value)) check_captures(*local);
    Rewriter::visit(b);
    // What is no view of an operand lies elsewhere.
    const bool is_new = is_op(call, {"call_tir", "call_dps_packed"}) || holds_no_tensor(b.var->type);
    if (!read_.empty() && !is_new) made_of_[b.var] = read_;
  }

  static bool holds_no_tensor(const Type& type) { return find<ShapeType>(type) || find<PrimType>(type); }

  // Allocations.

  void add_storage(const Ref<Var>& var, const Call& call) {
    const auto* shape = find<ShapeExpr>(call.args[0]);
    const auto* dtype = is_op(&call, {"vm.alloc_storage"}) ? find<DTypeLiteral>(call.args[2]) : nullptr;
    if (!shape) refuse_memory(call.span, fmt::format("a storage like `{}`, whose size is a variable", var->name));
    storages_[var] = byte_size(shape->values, dtype ? dtype->value : DType::uint(8));
  }

  AllocatedTensor new_tensor(const Ref<Var>& var, const Call& call, const Expr& device) const {
    const auto* type = find<TensorType>(call.type);
    if (!type || !type->dims() || type->is_unknown_dtype())
      refuse_memory(call.span, fmt::format("an allocation like `{}`, of {}", var->name, describe(call.type)));
    return {.name = var->name, .type = TensorType::make(*type->dims(), type->dtype, device_of(device))};
  }

  Ref<VDevice> device_of(const Expr& device) const {
    const auto* number = find<PrimValue>(device);
    const int64_t* index = number ? find_int(number->value) : nullptr;
    const auto infos = module_.global_infos().find("vdevice");
    if (!index || *index <= 0 || infos == module_.global_infos().end()) return nullptr;
    if (std::cmp_greater_equal(*index, infos->second.size())) return nullptr;
    return find_ref<VDevice>(infos->second[static_cast<size_t>(*index)]);
  }

  void add_tensor(const Ref<Var>& var, const Call& call, const Expr& device) {
    numbers_[var] = tensors_.add(new_tensor(var, call, device));
  }

  void add_tensor_in_storage(const Ref<Var>& var, const Call& call) {
    const Ref<Var> storage = find_ref<Var>(call.args[0]);
    const auto size = storages_.find(storage);
    const auto* offset = find<PrimValue>(call.args[1]);
    if (size == storages_.end() || !offset)
      refuse_memory(call.span, fmt::format("`{}`, a tensor of which it is not known where it lies", var->name));
    AllocatedTensor tensor = new_tensor(var, call, call.args[4]);
    const auto& type = *find<TensorType>(tensor.type);
    tensor.storage = storage;
    tensor.begin = offset->value;
    tensor.end = Binary::make(BinaryOp::Add, offset->value, byte_size(*type.dims(), type.dtype));
    if (!bounds_.can_prove(Binary::make(BinaryOp::Le, int_imm(0), tensor.begin)) ||
        !bounds_.can_prove(Binary::make(BinaryOp::Le, tensor.end, size->second)))
      refuse_memory(call.span, fmt::format("`{}`, a tensor of {} bytes at {} in a storage of {}", var->name,
                                           describe(byte_size(*type.dims(), type.dtype)), describe(offset->value),
                                           describe(size->second)));
    numbers_[var] = tensors_.add(std::move(tensor));
  }

  // Reads.

  using Versions = std::vector<std::pair<size_t, int>>;  // of tensors

  Expr visit(const Var& var) override {
    const Ref<Var> ref(&var);
    if (storages_.contains(ref)) refuse_memory(var.span, fmt::format("a use of the storage `{}`", var.name));
    if (const auto made = made_of_.find(ref); made != made_of_.end())
      for (const auto& [tensor, version] : made->second) read_part(var, tensor, version);
    const auto tensor = numbers_.find(ref);
    return tensor == numbers_.end() ? Rewriter::visit(var) : held_by(tensor->second, var);
  }

  Expr held_by(size_t tensor, const Var& var) {
    const AllocatedTensor& t = tensors_[tensor];
    if (!t.value) refuse_memory(span_ ? *span_ : var.span, fmt::format("a program that reads `{}` {}", t.name, t.lost));
    read_.emplace_back(tensor, t.version);
    return t.value;
  }

  // What was made of a tensor may lie in its memory.
  void read_part(const Var& var, size_t tensor, int version) {
    const AllocatedTensor& t = tensors_[tensor];
    if (t.version != version)
      refuse_memory(span_ ? *span_ : var.span,
                    fmt::format("a program that reads `{}`, made of `{}`, {}", var.name, t.name,
                                t.value ? "after that has been written again" : t.lost));
    read_.emplace_back(tensor, version);
  }

  void check_captures(const Function& local) const {
    for (const Ref<Var>& v : free_vars(Expr(&local)))
      if (numbers_.contains(v) || storages_.contains(v))
        refuse_memory(local.span, fmt::format("a local function that uses the memory `{}`", v->name));
  }

  Expr visit(const If& branch) override {
    const Expr condition = visit(branch.condition);
    read_.clear();
    const AllocatedTensors::State before = tensors_.state();
    const Ref<SeqExpr> then_branch = visit_seq(branch.then_branch);
    const AllocatedTensors::State after_then = tensors_.state();
    tensors_.restore(before);
    const Ref<SeqExpr> else_branch = visit_seq(branch.else_branch);
    for (size_t i = 0; i < before.size(); ++i)
      if (after_then[i].version != before[i].version || tensors_[i].version != before[i].version)
        tensors_.lose(i, "after its memory has been written in a branch");
    tensors_.join(after_then);
    if (condition == branch.condition && then_branch == branch.then_branch && else_branch == branch.else_branch)
      return Expr(&branch);
    return If::make(condition, then_branch, else_branch, branch.span);
  }

  // Calls that fill memory.

  std::optional<size_t> number_of(const Expr& e) const {
    const auto found = numbers_.find(find_ref<Var>(e));
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

  // Returns nullopt for a call that is given no memory.
  std::optional<MemoryCall> find_memory_call(const Call& call) const {
    const bool is_dynamic = is_op(&call, {"vm.call_tir_dyn"});
    const Ref<GlobalVar> callee = find_ref<GlobalVar>(is_dynamic ? call.args[0] : call.callee);
    const auto* tuple = is_dynamic ? find<Tuple>(call.args[1]) : nullptr;
    if (!callee || (is_dynamic && !tuple)) return std::nullopt;
    MemoryCall out{callee, module_.find_as<PrimFunc>(callee->name), {}, {}, call.span};
    const std::vector<Expr>& args = is_dynamic ? tuple->fields : call.args;
    const bool is_filling = std::ranges::any_of(args, [&](const Expr& e) { return number_of(e).has_value(); });
    if (!out.func || out.func->result_type || !is_filling) return std::nullopt;
    for (const Expr& arg : args)
      if (const auto* shape = find<ShapeExpr>(arg))
        std::ranges::copy(shape->values, std::back_inserter(out.scalars));
      else if (const auto* number = find<PrimValue>(arg))
        out.scalars.push_back(number->value);
      else
        out.tensors.push_back(arg);
    if (out.tensors.size() != out.func->buffers().size()) return std::nullopt;
    return out;
  }

  void fill(const MemoryCall& call) {
    if (in_dataflow()) refuse_memory(call.span, "a call that fills memory in a dataflow block");
    const RaisedParts args = raised(call);
    if (args.written.empty()) return;  // it does nothing
    std::vector<size_t> written;
    for (size_t w : args.written) written.push_back(*number_of(call.tensors[w]));
    std::vector<Expr> parts{with_results_last(call, args), Tuple::make(args.inputs)};
    if (!call.scalars.empty()) parts.push_back(ShapeExpr::make(call.scalars));
    const bool is_in_place = std::ranges::any_of(args.places, [](int64_t place) { return place >= 0; });
    const AttrMap attrs = is_in_place ? AttrMap{{"inplace_indices", AttrValue::ints(args.places)}} : AttrMap{};
    write(written, Call::make(builtin_ops().get(is_in_place ? "call_tir_inplace" : "call_tir"), std::move(parts), attrs,
                              {result_type(written)}, call.span));
  }

  Type result_type(const std::vector<size_t>& tensors) const {
    std::vector<Type> types;
    for (size_t t : tensors) types.push_back(tensors_[t].type);
    return types.size() == 1 ? types[0] : TupleType::make(std::move(types));
  }

  // Binds what is written to tensors.
  void write(const std::vector<size_t>& written, const Expr& value) {
    if (written.size() == 1) return tensors_.write(written[0], emit(value, tensors_[written[0]].name));
    const Expr all = emit(value, tensors_[written[0]].name);
    for (size_t i = 0; i < written.size(); ++i)
      tensors_.write(written[i], emit(TupleGetItem::make(all, static_cast<int>(i)), tensors_[written[i]].name));
  }

  RaisedParts raised(const MemoryCall& call) {
    const std::vector<BufferUse> uses = buffer_uses(*call.func);
    RaisedParts out;
    std::vector<size_t> fresh;
    for (size_t i = 0; i < uses.size(); ++i) {
      const std::optional<size_t> tensor = number_of(call.tensors[i]);
      if (!uses[i].is_written) {
        out.order.push_back(i);
        out.inputs.push_back(visit(call.tensors[i]));
        continue;
      }
      if (!tensor)
        refuse_memory(call.span, fmt::format("a call of `{}` that writes to `{}`, which is not allocated here",
                                             call.callee->name, name_of_value(call.tensors[i])));
      check_written(call, i, uses[i]);
      const bool is_updated = tensors_[*tensor].value && (uses[i].is_read || !uses[i].is_filled);
      if (!is_updated) {
        fresh.push_back(i);
        continue;
      }
      out.order.push_back(i);
      out.written.push_back(i);
      out.places.push_back(std::ssize(out.inputs));
      out.inputs.push_back(visit(call.tensors[i]));
    }
    for (size_t i : fresh) {
      out.order.push_back(i);
      out.written.push_back(i);
      out.places.push_back(-1);
    }
    return out;
  }

  // What a kernel writes to is in no other of its tensors, and what it leaves unwritten was written by nobody.
  void check_written(const MemoryCall& call, size_t written, const BufferUse& use) {
    const size_t tensor = *number_of(call.tensors[written]);
    const AllocatedTensor& t = tensors_[tensor];
    for (size_t i = 0; i < call.tensors.size(); ++i)
      if (i != written && may_share(call.tensors[i], tensor))
        refuse_memory(call.span, fmt::format("a call of `{}` that writes to `{}`, and is given `{}` in the same memory",
                                             call.callee->name, t.name, name_of_value(call.tensors[i])));
    if (!t.value && (use.reads_before || !use.is_filled) && t.is_used_memory)
      refuse_memory(call.span, fmt::format("a call of `{}` that reads or writes parts of `{}`, in memory that other "
                                           "tensors have been written to",
                                           call.callee->name, t.name));
  }

  bool may_share(const Expr& e, size_t tensor) {
    if (const std::optional<size_t> other = number_of(e)) return tensors_.overlap(*other, tensor);
    const auto made = made_of_.find(find_ref<Var>(e));
    return made != made_of_.end() &&
           std::ranges::any_of(made->second, [&](const auto& part) { return tensors_.overlap(part.first, tensor); });
  }

  // Returns the called function, with its buffers in the order of the new call's tensors.
  Expr with_results_last(const MemoryCall& call, const RaisedParts& args) {
    if (std::ranges::is_sorted(args.order)) return call.callee;
    std::vector<PrimParam> params;
    std::vector<PrimParam> buffers;
    for (const PrimParam& p : call.func->params)
      if (p.buffer) buffers.push_back(p);
    for (size_t i : args.order) params.push_back(buffers[i]);
    for (const PrimParam& p : call.func->params)
      if (!p.buffer) params.push_back(p);
    return functions_.add_function(call.callee->name + "_results_last",
                                   PrimFunc::make(std::move(params), call.func->body,
                                                  call.func->attrs.without("global_symbol"), {}, call.func->span));
  }

  // A call of the host that is given memory to which nothing has been written fills it; it reads what holds something.
  // Returns false for a call that fills none.
  bool fills_by_host(const Call& call) {
    const auto* nothing = find<TupleType>(call.type);
    if (!nothing || !nothing->fields.empty()) return false;
    size_t inputs = call.args.size();
    const auto is_empty = [&](const Expr& e) { return number_of(e) && !tensors_[*number_of(e)].was_written; };
    while (inputs > 0 && is_empty(call.args[inputs - 1])) --inputs;
    std::vector<size_t> written;
    for (size_t i = inputs; i < call.args.size(); ++i) written.push_back(*number_of(call.args[i]));
    if (written.empty()) return false;
    std::vector<Expr> args;
    for (size_t i = 0; i < inputs; ++i) args.push_back(visit(call.args[i]));
    write(written, Call::make(builtin_ops().get("call_dps_packed"), {call.callee, Tuple::make(std::move(args))}, {},
                              {result_type(written)}, call.span));
    return true;
  }

  const Module& module_;
  BlockBuilder& functions_;
  SizeBounds bounds_;
  AllocatedTensors tensors_;
  std::unordered_map<Ref<Var>, size_t> numbers_;   // of the tensors that variables name
  std::unordered_map<Ref<Var>, Scalar> storages_;  // their bytes
  std::unordered_map<Ref<Var>, Versions> made_of_;
  Versions read_;               // by the value that is visited
  const Span* span_ = nullptr;  // of the binding that is visited
};

}  // namespace

Module raise_calls(const Module& m, const PassContext&) {
  BlockBuilder functions(m);
  const Module raised = map_functions(m, [&](const Ref<Function>& f) {
    return in_function(m, f, [&] { return CallRaiser(m, *f, functions).rewrite(f); });
  });
  return raised.same_as(m) ? m : with_new_functions(raised, functions.module());
}

}  // namespace sunmao
