// Prints a module's `main` as short lines for expectations: "lv = matmul(x, w): Tensor((n, 4), "float32")".
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "ir/module.h"
#include "ir/op.h"
#include "ir/verify.h"

namespace sunmao::test {

inline std::string text_of(const Expr& e) {
  if (const auto* v = find<Var>(e)) return v->name;
  if (const auto* s = find<ShapeExpr>(e)) return describe(s->type);
  if (const auto* c = find<Constant>(e)) {
    if (c->data.dtype() == DType::float_(32) && c->data.rank() == 0) return fmt::format("{}", c->data.as<float>()[0]);
    return "constant " + describe(c->type);
  }
  if (const auto* t = find<Tuple>(e)) {
    std::vector<std::string> fields;
    for (const Expr& f : t->fields) fields.push_back(text_of(f));
    return fmt::format("({})", fmt::join(fields, ", "));
  }
  return "?";
}

inline std::string text_of(const AttrValue& v) {
  if (const bool* b = v.find<bool>()) return *b ? "True" : "False";
  if (const int64_t* i = v.find<int64_t>()) return std::to_string(*i);
  if (const DType* t = v.find<DType>()) return t->str();
  if (auto ints = v.as_ints()) return fmt::format("[{}]", fmt::join(*ints, ", "));
  return "?";
}

inline Ref<Function> main_of(const Model& model) { return model.module.find_as<Function>("main"); }

/// Returns one line for each parameter.
inline std::vector<std::string> params_of(const Model& model) {
  std::vector<std::string> lines;
  for (const Ref<Var>& p : main_of(model)->params) lines.push_back(fmt::format("{}: {}", p->name, describe(p->type)));
  return lines;
}

/// Returns one line for each binding, and one for the result.
inline std::vector<std::string> body_of(const Model& model) {
  std::vector<std::string> lines;
  Ref<Function> f = main_of(model);
  for (const Ref<BindingBlock>& block : f->body->blocks)
    for (const Binding& b : block->bindings) {
      std::string value = text_of(b.value);
      if (const auto* call = find<Call>(b.value)) {
        std::vector<std::string> args;
        for (const Expr& a : call->args) args.push_back(text_of(a));
        for (const auto& [name, attr] : call->attrs.values())
          if (!attr.is_none()) args.push_back(fmt::format("{}={}", name, text_of(attr)));
        value = fmt::format("{}({})", op_of(*call)->name(), fmt::join(args, ", "));
      }
      lines.push_back(fmt::format("{} = {}: {}", b.var->name, value, describe(b.var->type)));
    }
  lines.push_back("return " + text_of(f->body->body));
  return lines;
}

/// Returns the binding named `name`; null when there is none.
inline const Binding* find_binding(const Model& model, const std::string& name) {
  for (const Ref<BindingBlock>& block : main_of(model)->body->blocks)
    for (const Binding& b : block->bindings)
      if (b.var->name == name) return &b;
  return nullptr;
}

/// Returns the findings of the verifier as text.
inline std::string findings_of(const Model& model) {
  std::string all;
  for (const Diagnostic& d : verify(model.module, Stage::Normal)) all += render(d);
  return all;
}

/// Returns the error that `read` throws, rendered; "" when it succeeds.
template <class Read>
std::string error_of(Read read) {
  try {
    read();
  } catch (const UserError& e) {
    return e.what();
  }
  return {};
}

}  // namespace sunmao::test
