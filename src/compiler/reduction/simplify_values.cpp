// Simpler constants and attributes.
#include <algorithm>

#include "compiler/reduction/flat_function.h"
#include "compiler/reduction/reduction_search.h"
#include "eval/element.h"

namespace sunmao::reduction {
namespace {

/// The constants of an expression, each once.
class Constants final : public Visitor {
 public:
  using Visitor::visit;
  std::vector<Ref<Constant>> found;

 private:
  void visit_leaf(const Expr& e) override {
    if (Ref<Constant> c = find_ref<Constant>(e); c && std::ranges::find(found, c) == found.end()) found.push_back(c);
  }
};

FlatFunction flat_with(const ReductionSearch& search, const std::string& name) {
  FlatFunction flat = flatten(search.best().module.find_as<Function>(name));
  flat.keeps_signature = !search.roots().contains(name);
  return flat;
}

bool replace_constant(ReductionSearch& search, const std::string& name, const Ref<Constant>& constant,
                      const Expr& value) {
  return search.attempt_function(name, [&] {
    FlatFunction flat = flat_with(search, name);
    if (const Ref<Var> input = find_ref<Var>(value)) flat.inputs.push_back(input);
    FlatEdits edits;
    edits.leaf = [&](const Expr& e) { return e == Expr(constant) ? value : e; };
    return build(flat, edits);
  });
}

Expr filled_constant(const Constant& like, int number) {
  const DType dtype = like.data.dtype();
  ArrayBuilder out(dtype, like.data.shape());
  const Number value = dtype.is_float() ? float_number(number) : int_number(number);
  for (int64_t i = 0; i < out.count() && number != 0; ++i) store_element(dtype, out.data(), i, value);
  return Constant::make(std::move(out).finish());
}

void simplify_constants(ReductionSearch& search, const std::string& name) {
  Constants constants;
  constants.visit(Expr(search.best().module.find_as<Function>(name)));
  for (const Ref<Constant>& c : constants.found) {
    const bool is_root = search.roots().contains(name);
    if (is_root && replace_constant(search, name, c, Var::make("c", c->type))) continue;
    if (replace_constant(search, name, c, filled_constant(*c, 0))) continue;
    replace_constant(search, name, c, filled_constant(*c, 1));
  }
}

void default_attribute(ReductionSearch& search, const std::string& name, const Ref<Call>& call, const OpParam& param) {
  search.attempt_function(name, [&] {
    FlatEdits edits;
    edits.attrs = [&](const Call& c) {
      return &c == call.get() ? c.attrs.with(param.name, *param.default_value) : c.attrs;
    };
    return build(flat_with(search, name), edits);
  });
}

void simplify_attributes(ReductionSearch& search, const std::string& name) {
  for (size_t i = 0; i < flat_with(search, name).bindings.size(); ++i) {
    const Ref<Call> first = find_ref<Call>(flat_with(search, name).bindings[i].binding.value);
    const Op* op = first ? op_of(*first) : nullptr;
    if (!op) continue;
    for (const OpParam& param : op->info.params) {
      if (param.kind != ParamKind::Attr || !param.default_value) continue;
      const Ref<Call> call = find_ref<Call>(flat_with(search, name).bindings[i].binding.value);
      const AttrValue* value = call->attrs.find(param.name);
      if (value && !value->same_plain(*param.default_value)) default_attribute(search, name, call, param);
    }
  }
}

void drop_attributes(ReductionSearch& search, const std::string& name) {
  const Attrs attrs = search.best().module.find(name)->attrs;
  for (const auto& [key, value] : attrs.values())
    if (key != "global_symbol" && key != "num_input")
      search.attempt_function(name, [&] {
        const Ref<BaseFunc> f = search.best().module.find(name);
        return f->with_attrs(f->attrs.without(key));
      });
}

}  // namespace

void simplify_values(ReductionSearch& search) {
  search.begin_step("values");
  for (const std::string& name : graph_functions(search)) {
    simplify_constants(search, name);
    simplify_attributes(search, name);
    drop_attributes(search, name);
  }
  search.attempt_module([&] { return search.best().module.with_attrs({}); });
  search.attempt_module([&] { return search.best().module.with_global_infos({}); });
}

}  // namespace sunmao::reduction
