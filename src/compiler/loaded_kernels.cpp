#include "compiler/loaded_kernels.h"

#include <fmt/ranges.h>

#include "support/diagnostic.h"
#include "support/shape_bytes.h"
#include "sym/fold.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

using Sizes = std::unordered_map<Ref<SymVar>, int64_t>;

size_t bytes_of(const KernelArgument& a) { return static_cast<size_t>(shape_bytes(a.shape, a.dtype).value_or(0)); }

bool overlap(const KernelArgument& a, const KernelArgument& b) {
  return a.data < b.data + bytes_of(b) && b.data < a.data + bytes_of(a);
}

bool has_overlap(std::span<const KernelArgument> args, const std::vector<bool>& written) {
  for (size_t i = 0; i < args.size(); ++i)
    for (size_t j = 0; args[i].data && written[i] && j < args.size(); ++j)
      if (i != j && args[j].data && overlap(args[i], args[j])) return true;
  return false;
}

// Returns the value of a dimension; nullopt when one of its symbols has no value or it cannot be computed.
std::optional<int64_t> size_of(const Scalar& dim, const Sizes& sizes) {
  if (const int64_t* known = find_int(dim)) return *known;
  Substitution numbers;
  for (const Ref<SymVar>& s : free_symbols(dim))
    if (auto size = sizes.find(s); size != sizes.end()) numbers.emplace(s, IntImm::make(s->dtype, size->second));
  const Scalar value = rewrite(substitute(dim, numbers), [](const Scalar& s) { return fold_constants(s); });
  const int64_t* known = find_int(value);
  return known ? std::optional(*known) : std::nullopt;
}

// Returns the values of the scalar parameters and of the symbols that are whole dimensions of buffers, after checking
// the number, dtypes and dimensions of the arguments.
Sizes sizes_of(const PrimFunc& func, std::span<const KernelArgument> args) {
  if (args.size() != func.params.size())
    fail("E0505", func.span,
         fmt::format("a loop-level function takes {} arguments, got {}", func.params.size(), args.size()));
  Sizes sizes;
  for (size_t i = 0; i < args.size(); ++i) {
    const PrimParam& p = func.params[i];
    if (!p.buffer) {
      sizes.insert_or_assign(p.var, args[i].scalar);
      continue;
    }
    if (args[i].dtype != p.buffer->dtype || static_cast<size_t>(p.buffer->rank()) != args[i].shape.size())
      fail("E0506", func.span,
           fmt::format("`{}` is {} of rank {}, got a {} array of shape ({})", p.buffer->name, p.buffer->dtype.str(),
                       p.buffer->rank(), args[i].dtype.str(), fmt::join(args[i].shape, ", ")));
    for (size_t d = 0; d < args[i].shape.size(); ++d)
      if (Ref<SymVar> s = find_ref<SymVar>(p.buffer->shape[d])) sizes.try_emplace(s, args[i].shape[d]);
  }
  for (size_t i = 0; i < args.size(); ++i)
    for (size_t d = 0; func.params[i].buffer && d < args[i].shape.size(); ++d) {
      const std::optional<int64_t> expected = size_of(func.params[i].buffer->shape[d], sizes);
      if (expected != args[i].shape[d])
        fail("E0506", func.span,
             fmt::format("`{}`: dimension {} must be {}, got {}", func.params[i].buffer->name, d,
                         expected ? std::to_string(*expected) : describe(func.params[i].buffer->shape[d]),
                         args[i].shape[d]));
    }
  return sizes;
}

}  // namespace

KernelTable::KernelTable(const Module& module, const ModelHandle& model) {
  for (const FunctionEntry& e : module.functions()) {
    const auto* func = sunmao::find<PrimFunc>(Expr(e.func));
    const int64_t number = func ? sunmao_find_kernel(model.get(), e.var->name.c_str()) : -1;
    if (number >= 0) entries_.emplace(func, Entry{number, written_params(*func), func->dims()});
  }
}

const KernelTable::Entry* KernelTable::find(const PrimFunc& func) const {
  auto entry = entries_.find(&func);
  return entry == entries_.end() ? nullptr : &entry->second;
}

bool LoadedKernels::may_write(const PrimFunc& func, size_t param) const {
  const KernelTable::Entry* entry = table_.find(func);
  return !entry || entry->written.at(param);
}

std::optional<Number> LoadedKernels::run(const PrimFunc& func, std::span<const KernelArgument> args) {
  const KernelTable::Entry* entry = table_.find(func);
  if (!entry) return interpret(func, args);
  const Sizes sizes = sizes_of(func, args);
  if (has_overlap(args, entry->written)) return interpret(func, args);
  std::vector<void*> buffers;
  for (const KernelArgument& a : args)
    if (func.params[static_cast<size_t>(&a - args.data())].buffer) buffers.push_back(a.data);
  std::vector<int64_t> dims;
  for (const Ref<SymVar>& s : entry->dims) {
    auto size = sizes.find(s);
    if (size == sizes.end()) fail("E0506", func.span, fmt::format("`{}` has no value here", s->name));
    dims.push_back(size->second);
  }
  sunmao_error error;
  if (sunmao_run_kernel(session_, entry->number, buffers.data(), buffers.size(), dims.data(), dims.size(), &error))
    fail_with(error);
  return std::nullopt;
}

}  // namespace sunmao
