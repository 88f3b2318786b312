// A Runnable for models in the reference evaluator.
#include "cli/runnable.h"
#include "codegen/vm/value_names.h"
#include "eval/evaluator.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "passes/weights/weight_dependence.h"
#include "support/diagnostic.h"
#include "sym/analyzer.h"

namespace sunmao::cli {
namespace {

Ref<Function> get_function(const Module& module, const std::string& name) {
  std::vector<std::string> names;
  Ref<Function> only;
  for (const FunctionEntry& entry : module.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(entry.func));
    if (!f) continue;
    if (entry.var->name == (name.empty() ? "main" : name)) return f;
    names.push_back(entry.var->name);
    only = f;
  }
  if (name.empty() && names.size() == 1) return only;
  fail("E0003", {}, fmt::format("--function: there is no function `{}`", name.empty() ? "main" : name),
       fmt::format("there are: {}", fmt::join(names, ", ")));
}

std::string name_of(const Module& module, const Ref<Function>& function) {
  for (const FunctionEntry& entry : module.functions())
    if (Expr(entry.func) == Expr(function)) return entry.var->name;
  return {};
}

// Returns the bound that the function's attribute declares for a symbol, or `otherwise`.
int64_t bound_of(const Function& f, const char* attribute, const std::string& symbol, int64_t otherwise) {
  const AttrMap* bounds = f.attr<AttrMap>(attribute);
  if (!bounds || !bounds->contains(symbol)) return otherwise;
  const int64_t* value = bounds->at(symbol).find<int64_t>();
  return value ? *value : otherwise;
}

InputInfo parameter_info(const Function& f, const Var& param) {
  const auto* type = find<TensorType>(param.type);
  if (!type || !type->dims() || type->is_unknown_dtype())
    fail("E0003", param.span,
         fmt::format("the input `{}` is {}, which cannot be given here", param.name, describe(param.type)),
         "inputs are tensors of known dtype and rank");
  InputInfo info{input_name(f, param.name), param.name, type->dtype, {}};
  for (const Scalar& d : *type->dims()) {
    const int64_t* size = find_int(d);
    const std::string symbol = size ? "" : describe(d);
    const int64_t low = size ? *size : bound_of(f, "tir_var_lower_bound", symbol, 0);
    info.dims.push_back(
        {size ? *size : -1, symbol, low, size ? *size : bound_of(f, "tir_var_upper_bound", symbol, Interval::kMax)});
  }
  return info;
}

void flatten(const Value& value, std::vector<Array>& out) {
  if (const Array* a = value.array()) out.push_back(*a);
  if (const ValueTuple* t = value.tuple())
    for (const Value& v : *t) flatten(v, out);
}

size_t count_tensors(const Type& type) {
  const auto* tuple = find<TupleType>(type);
  if (!tuple) return 1;
  size_t count = 0;
  for (const Type& t : tuple->fields) count += count_tensors(t);
  return count;
}

class EvaluatorRunnable final : public Runnable {
 public:
  EvaluatorRunnable(Module module, const std::string& function, const Weights& weights)
      : module_(std::move(module)), function_(get_function(module_, function)), name_(name_of(module_, function_)) {
    const size_t count = num_input(*function_, name_).value_or(function_->params.size());
    for (size_t i = 0; i < function_->params.size(); ++i) {
      const Var& param = *function_->params[i];
      if (i < count) {
        inputs_.push_back(parameter_info(*function_, param));
        continue;
      }
      auto found = weights.find(param.name);
      if (found == weights.end())
        fail("E0520", param.span,
             fmt::format("there is no data for the weight `{}`: {}", param.name, describe(param.type)),
             "pass the weights with --weights");
      weights_.emplace_back(found->second);
    }
  }

  std::vector<InputInfo> inputs() const override { return inputs_; }

  std::vector<std::string> output_names() const override {
    const size_t count = count_tensors(function_->result_type);
    std::vector<std::string> names = sunmao::output_names(*function_, count);
    for (size_t i = names.size(); i < count; ++i) names.push_back(fmt::format("output.{}", i));
    return names;
  }

  void run(const std::vector<HostTensor>& inputs) override {
    std::vector<Value> args;
    for (const HostTensor& t : inputs) args.emplace_back(t.array());
    args.insert(args.end(), weights_.begin(), weights_.end());
    outputs_.clear();
    flatten(Evaluator(module_).call(name_, args), outputs_);
  }

  std::vector<Array> outputs() const override { return outputs_; }

 private:
  Module module_;
  Ref<Function> function_;
  std::string name_;
  std::vector<InputInfo> inputs_;
  std::vector<Value> weights_;
  std::vector<Array> outputs_;
};

}  // namespace

std::unique_ptr<Runnable> evaluate_model(const Model& model, const std::string& function) {
  verify_or_fail(model.module, Stage::Raw);
  return std::make_unique<EvaluatorRunnable>(normalize(model.module, PassContext{}), function, model.weights);
}

}  // namespace sunmao::cli
