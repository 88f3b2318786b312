#include "frontend/op_functions.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <set>

#include "frontend/shapes.h"
#include "io/concat.h"
#include "ir/argument_symbols.h"
#include "ir/custom_op.h"
#include "ir/verify.h"
#include "loop/calls.h"
#include "loop/prim_func.h"
#include "passes/analysis/rename_functions.h"
#include "passes/analysis/variables.h"
#include "support/array.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr const char* kHelp = "docs/custom-ops.md says how custom ops are declared";
constexpr const char* kDefaults = "defaults";

[[noreturn]] void no_custom_op(const std::string& function, const Span& span, const std::string& problem) {
  fail("E0611", span, fmt::format("the custom op `{}` {}", function, problem), kHelp);
}

/// Returns PyTorch's name of an op as programs have it: "my::swish" is "my.swish.default".
std::string target_of(std::string name) {
  const size_t colons = name.find("::");
  if (colons == std::string::npos) return name;
  name.replace(colons, 2, ".");
  return name.find('.', colons + 1) == std::string::npos ? name + ".default" : name;
}

std::vector<std::string> names_in(const AttrMap& declared, const std::string& format) {
  const auto found = declared.find(format);
  std::vector<std::string> out;
  if (found == declared.end()) return out;
  if (const auto* one = found->second.find<std::string>()) out.push_back(*one);
  if (const auto* list = found->second.find<AttrList>())
    for (const AttrValue& name : *list) out.push_back(*name.find<std::string>());
  if (format == "torch") std::ranges::transform(out, out.begin(), target_of);
  return out;
}

bool is_names(const AttrValue& value) {
  const auto* list = value.find<AttrList>();
  return value.find<std::string>() ||
         (list && std::ranges::all_of(*list, [](const AttrValue& v) { return v.find<std::string>() != nullptr; }));
}

void check_declared(const std::string& name, const Function& f) {
  const AttrMap* declared = f.attr<AttrMap>(kCustomOpAttr);
  if (!declared) no_custom_op(name, f.span, fmt::format("has an attribute `{}` that is no dictionary", kCustomOpAttr));
  for (const auto& [key, value] : *declared) {
    const bool is_known =
        key == "onnx" || key == "torch" ? is_names(value) : key == kDefaults && value.find<AttrMap>() != nullptr;
    if (!is_known)
      no_custom_op(name, f.span,
                   fmt::format("has `{}` in its attribute `{}`, expected `onnx` and `torch` with names of "
                               "ops, or `defaults` with values by parameter",
                               key, kCustomOpAttr));
  }
  if (names_in(*declared, "onnx").empty() && names_in(*declared, "torch").empty())
    no_custom_op(name, f.span, "names no op of ONNX or PyTorch that it stands for");
  if (!f.is_pure) no_custom_op(name, f.span, "has effects: nodes are pure, and may be left out or run in any order");
  const auto defaults = declared->find(kDefaults);
  if (defaults == declared->end()) return;
  for (const auto& [param, value] : *defaults->second.find<AttrMap>())
    if (std::ranges::none_of(f.params, [&](const Ref<Var>& p) { return p->name == param; }))
      no_custom_op(name, f.span, fmt::format("has a default for `{}`, which is no parameter", param));
}

/// Fails (E0611) unless a function of the module is a custom op, and each such function is pure, with an attribute that
/// is well-formed.
void check_ops(const Module& ops) {
  verify_or_fail(ops, Stage::Imported);
  bool has_op = false;
  for (const FunctionEntry& e : ops.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    if (!f || !f->attrs.has(kCustomOpAttr)) continue;
    check_declared(e.var->name, *f);
    has_op = true;
  }
  if (!has_op)
    fail("E0611", {},
         fmt::format("no function of the module is a custom op: none has the attribute `{}`", kCustomOpAttr), kHelp);
}

/// Returns an integer or a size as one; null for other values.
Scalar size_in(const AttrValue& value) {
  if (const int64_t* number = value.find<int64_t>()) return int_imm(*number);
  const Scalar* scalar = value.find<Scalar>();
  return scalar && (*scalar)->dtype.is_integral() ? *scalar : nullptr;
}

/// Returns a number; nullopt for other values.
std::optional<double> number_in(const AttrValue& value) {
  if (const double* d = value.find<double>()) return *d;
  if (const int64_t* i = value.find<int64_t>()) return static_cast<double>(*i);
  return std::nullopt;
}

Expr scalar_argument(const AttrValue& value, DType dtype, const Span& span) {
  if (const bool* flag = value.find<bool>())
    return dtype.is_integral() ? PrimValue::make(IntImm::make(dtype, *flag ? 1 : 0), span) : nullptr;
  if (dtype.is_float()) {
    const std::optional<double> number = number_in(value);
    return number ? PrimValue::make(FloatImm::make(dtype, *number), span) : nullptr;
  }
  const Scalar size = size_in(value);
  if (!size || !dtype.is_integral()) return nullptr;
  if (const int64_t* number = find_int(size)) return PrimValue::make(IntImm::make(dtype, *number), span);
  return size->dtype == dtype ? PrimValue::make(size, span) : nullptr;
}

Expr shape_argument(const AttrValue& value, const Span& span) {
  const auto* list = value.find<AttrList>();
  if (!list) return nullptr;
  std::vector<Scalar> sizes;
  for (const AttrValue& item : *list) {
    sizes.push_back(size_in(item));
    if (!sizes.back()) return nullptr;
  }
  return ShapeExpr::make(std::move(sizes), span);
}

Expr tensor_argument(const AttrValue& value, DType dtype, const Span& span) {
  if (const Expr* tensor = value.find<Expr>()) return *tensor;
  const auto* list = value.find<AttrList>();
  if (!list) {
    const std::optional<double> number = number_in(value);
    return number ? scalar_constant(dtype, *number, span) : nullptr;
  }
  if (const std::optional<std::vector<int64_t>> ints = value.as_ints(); ints && dtype == DType::int_(64))
    return ints_constant(*ints, span);
  std::vector<float> numbers;
  for (const AttrValue& item : *list) {
    const std::optional<double> number = number_in(item);
    if (!number) return nullptr;
    numbers.push_back(static_cast<float>(*number));
  }
  const auto count = std::ssize(numbers);
  return dtype == DType::float_(32) ? Constant::make(Array::from_floats({count}, numbers), span) : nullptr;
}

Expr any_argument(const AttrValue& value, const Span& span) {
  if (const auto* text = value.find<std::string>()) return StringLiteral::make(*text, span);
  if (const DType* dtype = value.find<DType>()) return DTypeLiteral::make(*dtype, span);
  return nullptr;
}

/// Returns the value of an attribute as an argument for a parameter of this type; null where it is none.
Expr argument_of(const AttrValue& value, const Type& type, const Span& span) {
  if (const auto* prim = find<PrimType>(type)) return scalar_argument(value, prim->dtype, span);
  if (find<ShapeType>(type)) return shape_argument(value, span);
  if (const auto* tensor = find<TensorType>(type)) return tensor_argument(value, tensor->dtype, span);
  return find<AnyType>(type) ? any_argument(value, span) : nullptr;
}

/// The functions of custom ops in one model.
class OpFunctions {
 public:
  OpFunctions(const Module& ops, ModelBuilder& builder) : ops_(ops), builder_(builder) {}

  std::vector<Expr> convert(const std::vector<std::string>& functions, const CustomNode& node) {
    std::string reasons;
    for (const std::string& name : functions) {
      const Ref<Function> f = ops_.find_as<Function>(name);
      std::string reason;
      const std::vector<Expr> args = arguments(*f, node, reason);
      if (reason.empty()) return apply(name, args, node);
      reasons += fmt::format("{}`{}`: {}", reasons.empty() ? "" : "; ", name, reason);
    }
    fail("E0610", node.span,
         fmt::format("the custom op for {} does not take this node: {}", io::quoted(node.op), reasons),
         "declare a function that does, for the same op; the first one that takes a node is used");
  }

 private:
  /// Returns the function's arguments; sets `reason` when it does not take the node.
  std::vector<Expr> arguments(const Function& f, const CustomNode& node, std::string& reason) const {
    const AttrMap* declared = f.attr<AttrMap>(kCustomOpAttr);
    const auto defaults = declared->find(kDefaults);
    std::set<std::string> used;
    size_t input = 0;
    std::vector<Expr> args;
    FreshCopy sizes;
    ArgumentSymbols symbols(sizes);
    for (const Ref<Var>& p : f.params) {
      Expr arg;
      const AttrValue* value = find_value(p->name, node.attributes);
      used.insert(p->name);
      if (!node.attributes.contains(p->name) && find<TensorType>(p->type) && input < node.inputs.size()) {
        arg = node.inputs[input++];
        if (!arg) reason = fmt::format("the parameter `{}` takes a tensor, and the node omits it", p->name);
      } else {
        if (!value && defaults != declared->end()) value = find_value(p->name, *defaults->second.find<AttrMap>());
        if (!value) reason = fmt::format("the node has no value for the parameter `{}`", p->name);
        if (value && !(arg = argument_of(*value, p->type, node.span)))
          reason = fmt::format("the value of `{}` is no {}", p->name, describe(p->type));
      }
      if (!arg) return {};
      symbols.match(p->type, arg->type);
      args.push_back(arg);
    }
    reason = misfit(f, args, sizes);
    if (reason.empty() && input < node.inputs.size())
      reason = fmt::format("the node has {} tensors, and parameters take {}", node.inputs.size(), input);
    for (const auto& [name, value] : node.attributes)
      if (reason.empty() && !value.is_none() && !used.contains(name))
        reason = fmt::format("no parameter takes the attribute `{}`", name);
    return args;
  }

  static const AttrValue* find_value(const std::string& name, const AttrMap& values) {
    const auto found = values.find(name);
    return found == values.end() || found->second.is_none() ? nullptr : &found->second;
  }

  /// Says which argument contradicts its parameter; empty when none does.
  static std::string misfit(const Function& f, const std::vector<Expr>& args, const FreshCopy& sizes) {
    Analyzer analyzer;
    for (size_t i = 0; i < args.size(); ++i)
      if (fits(sizes.copy(f.params[i]->type), args[i]->type, analyzer) == Fit::No)
        return fmt::format("`{}` is {}, and the node gives {}", f.params[i]->name, describe(f.params[i]->type),
                           describe(args[i]->type));
    return {};
  }

  std::vector<Expr> apply(const std::string& name, const std::vector<Expr>& args, const CustomNode& node) {
    const std::string used = use(name);
    const Ref<Function> f = used_.find_as<Function>(used);
    const Expr result = is_read_in_place(*f) ? body_of(*f, args) : call_of(used, args, node.span);
    const auto* tuple = find<Tuple>(result);
    if (tuple) return tuple->fields;
    const auto* fields = find<TupleType>(result->type);
    if (!fields) return {result};
    std::vector<Expr> out;
    const Expr whole = builder_.bind(result, "lv");
    for (size_t i = 0; i < fields->fields.size(); ++i)
      out.push_back(TupleGetItem::make(whole, static_cast<int>(i), node.span));
    return out;
  }

  /// Gives the functions names that the model does not use, once; returns the name of this one.
  std::string use(const std::string& name) {
    if (names_.empty()) {
      for (const FunctionEntry& e : ops_.functions()) names_[e.var->name] = builder_.fresh_name(e.var->name);
      used_ = rename_functions(ops_, names_);
    }
    return names_.at(name);
  }

  static bool is_read_in_place(const Function& f) {
    return std::ranges::all_of(f.body->blocks, [](const Ref<BindingBlock>& block) {
      return std::ranges::all_of(block->bindings, [](const Binding& b) {
        return !find<If>(b.value) && !find<Function>(b.value) && !find<SeqExpr>(b.value);
      });
    });
  }

  /// Adds the functions that an expression names, and those that they name, to the model.
  void add_callees(const Expr& e) {
    std::deque<std::string> wanted;
    const auto add = [&](const Expr& user) {
      if (const auto* loop = find<PrimFunc>(user))
        for (std::string& name : called_functions(*loop)) wanted.push_back(std::move(name));
      else
        for (const Ref<GlobalVar>& var : all_global_vars(user)) wanted.push_back(var->name);
    };
    std::set<std::string> seen;
    for (add(e); !wanted.empty(); wanted.pop_front()) {
      const Ref<BaseFunc> f = used_.find(wanted.front());
      if (!f || !seen.insert(wanted.front()).second) continue;
      builder_.use_function(used_.find_var(wanted.front()), private_form(f));
      add(Expr(f));
    }
  }

  static Ref<BaseFunc> private_form(const Ref<BaseFunc>& f) {
    return f->with_attrs(f->attrs.without("global_symbol").without(kCustomOpAttr));
  }

  Expr call_of(const std::string& name, const std::vector<Expr>& args, const Span& span) {
    const Ref<GlobalVar> var = used_.find_var(name);
    const Type signature = signature_of(used_, *var);
    Type type = infer_call(*find<CallableType>(signature), args, span, name);
    const Expr call = Call::make_typed(var, args, {}, {}, std::move(type), span);
    add_callees(call);
    return call;
  }

  /// Binds what the function computes of the arguments; returns its result.
  Expr body_of(const Function& f, const std::vector<Expr>& args) {
    FreshCopy copy;
    ArgumentSymbols symbols(copy);
    for (size_t i = 0; i < args.size(); ++i) symbols.match(f.params[i]->type, args[i]->type);
    for (size_t i = 0; i < args.size(); ++i) copy.map(f.params[i], passed(f.params[i], args[i], copy));
    add_callees(f.body);
    for (const Ref<BindingBlock>& block : f.body->blocks)
      for (const Binding& b : block->bindings) {
        const Binding own = copy.copy(b);
        copy.map(b.var, own.is_match_cast() ? builder_.checked(own.value, own.cast_type)
                                            : builder_.bind(typed_again(own.value), own.var->name));
      }
    return copy.copy(f.body->body);
  }

  /// Returns an argument with all that the parameter says of it, which a run checks where it is not known.
  Expr passed(const Ref<Var>& param, const Expr& arg, FreshCopy& copy) {
    Analyzer analyzer;
    if (fits(copy.copy(param->type), arg->type, analyzer) == Fit::Yes) return arg;
    return builder_.checked(arg, copy.define(param)->type);
  }

  /// Types a call of an op by its arguments, of which more may be known than parameters say.
  static Expr typed_again(const Expr& value) {
    const auto* call = find<Call>(value);
    return call && op_of(*call) ? Expr(Call::make(call->callee, call->args, call->attrs, call->type_args, call->span))
                                : value;
  }

  const Module ops_;
  ModelBuilder& builder_;
  std::map<std::string, std::string> names_;  // of functions, in the model
  Module used_;                               // `ops_` with these names
};

}  // namespace

CustomConverters with_op_functions(CustomConverters given, const std::vector<Module>& ops, const std::string& format,
                                   ModelBuilder& builder) {
  for (const Module& module : ops) {
    check_ops(module);
    std::map<std::string, std::vector<std::string>> functions;
    for (const FunctionEntry& e : module.functions())
      if (const AttrMap* declared = e.func->attr<AttrMap>(kCustomOpAttr))
        for (const std::string& op : names_in(*declared, format)) functions[op].push_back(e.var->name);
    const auto shared = std::make_shared<OpFunctions>(module, builder);
    for (const auto& [op, names] : functions)
      given.try_emplace(op, [shared, names](const CustomNode& node) { return shared->convert(names, node); });
  }
  return given;
}

}  // namespace sunmao
