// Printer for types.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/expr.h"
#include "ir/type_relation.h"
#include "script/printer.h"
#include "script/spelling.h"

namespace sunmao::script {

// In a signature a dimension that is no literal is quoted: current and older parsers take a quoted symbol as its
// definition.
std::string Printer::dim(const Scalar& s) {
  if (!quote_dims_ || find<IntImm>(s)) return scalar(s);
  return quote(scalar(s));
}

std::string Printer::dims(const std::vector<Scalar>& values) {
  std::vector<std::string> parts;
  for (const Scalar& s : values) parts.push_back(dim(s));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Prints a device that the module declares as "kind:index:scope", any other one in full.
std::string Printer::device(const Ref<VDevice>& d) {
  if (state_.module) {
    auto declared = state_.module->global_infos().find("vdevice");
    bool is_plain = d->target_kind() != "vdevice" && d->target_kind().find(':') == std::string::npos;
    int seen = 0;
    if (is_plain && declared != state_.module->global_infos().end()) {
      for (const Ref<GlobalInfo>& info : declared->second) {
        const auto* other = find<VDevice>(info);
        if (!other || other->target_kind() != d->target_kind()) continue;
        if (same_device(*other, *d)) return quote(fmt::format("{}:{}:{}", d->target_kind(), seen, d->memory_scope));
        ++seen;
      }
    }
  }
  return global_info(d);
}

std::string Printer::tensor_type(const TensorType& t) {
  std::vector<std::string> parts;
  if (const auto* written = find<ShapeExpr>(t.shape)) {
    std::string inside = dims(written->values);
    parts.push_back(fmt::format("({}{})", inside, written->values.size() == 1 ? "," : ""));
  } else if (t.shape) {
    parts.push_back(expr(t.shape));
  }
  if (!t.dtype.is_void()) parts.push_back(fmt::format("dtype={}", quote(t.dtype.str())));
  if (!t.shape && t.rank != kUnknownRank) parts.push_back(fmt::format("ndim={}", t.rank));
  if (t.vdevice) parts.push_back(fmt::format("vdevice={}", device(t.vdevice)));
  return parts.empty() ? "R.Tensor" : fmt::format("R.Tensor({})", fmt::join(parts, ", "));
}

std::string Printer::type(const Type& t) {
  if (!t) return "R.Any";
  state_.uses_relax = true;
  switch (t->kind) {
    case TypeKind::Any: return "R.Any";
    case TypeKind::Prim: {
      const auto& n = *find<PrimType>(t);
      return n.value ? fmt::format("R.Prim(value={})", dim(n.value))
                     : "T." + (n.dtype.is_void() ? "void" : n.dtype.str());
    }
    case TypeKind::Shape: {
      const auto& n = *find<ShapeType>(t);
      if (n.values) return fmt::format("R.Shape([{}])", dims(*n.values));
      return fmt::format("R.Shape(ndim={})", n.rank);
    }
    case TypeKind::Tensor: return tensor_type(*find<TensorType>(t));
    case TypeKind::Tuple: {
      std::vector<std::string> parts;
      for (const Type& f : find<TupleType>(t)->fields) parts.push_back(type(f));
      return parts.empty() ? "R.Tuple" : fmt::format("R.Tuple({})", fmt::join(parts, ", "));
    }
    case TypeKind::Callable: {
      const auto& n = *find<CallableType>(t);
      const char* purity = n.is_pure ? "True" : "False";
      if (!n.params) {
        if (find<AnyType>(n.result) && !n.is_pure) return "R.Callable";
        return fmt::format("R.Callable(ret={}, purity={})", type(n.result), purity);
      }
      std::vector<std::string> parts;
      for (const Type& p : *n.params) parts.push_back(type(p));
      return fmt::format("R.Callable({}, {}, {})", tuple(parts), type(n.result), purity);
    }
  }
  return {};
}

}  // namespace sunmao::script
