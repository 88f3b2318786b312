// StmtPrinter for blocks of the loop level.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "script/spelling.h"
#include "script/stmt_printer.h"
#include "sym/equal.h"

namespace sunmao::script {
namespace {

constexpr std::array<const char*, 4> kAxisNames{"spatial", "reduce", "scan", "opaque"};

size_t index_of(IterKind kind) { return static_cast<size_t>(kind); }

bool is_true(const Scalar& s) {
  const int64_t* value = find_int(s);
  return value && *value == 1 && s->dtype == DType::bool_();
}

}  // namespace

// True when `T.axis.remap` can express the axis, which is spatial or reduce and bound to a loop variable with the
// same domain and dtype, and sugar is on.
bool StmtPrinter::is_remapped(const IterVar& iter, const Scalar& value) const {
  auto loop = find<SymVar>(value) ? loops_.find(value.get()) : loops_.end();
  bool has_letter = iter.kind == IterKind::Spatial || iter.kind == IterKind::Reduce;
  return state_.options.syntax_sugar && has_letter && loop != loops_.end() && iter.var->dtype == value->dtype &&
         structural_equal(loop->second.min, iter.domain.min) &&
         structural_equal(loop->second.extent, iter.domain.extent);
}

void StmtPrinter::axis(const IterVar& iter, const Scalar& value) {
  const Range& d = iter.domain;
  const int64_t* zero = find_int(d.min);
  bool from_zero = zero && *zero == 0 && d.min->dtype == d.extent->dtype;
  std::string domain = from_zero ? scalar(d.extent) : fmt::format("({}, {})", start_of(d), stop_of(d));
  std::string args = value ? domain + ", " + scalar(value) : domain;
  // Without `dtype=` the parser gives an axis the dtype of its value, or of its extent when the value is absent or a
  // literal. Literals beside it get the same dtype.
  DType rule = value && !find<IntImm>(value) ? value->dtype : d.extent->dtype;
  bool uniform =
      rule == iter.var->dtype && d.extent->dtype == rule && d.min->dtype == rule && (!value || value->dtype == rule);
  if (!uniform) args += fmt::format(", dtype={}", quote(iter.var->dtype.str()));
  std::string name = names_.define(iter.var.get(), iter.var->name);
  lines_->add(fmt::format("{} = T.axis.{}({})", name, kAxisNames[index_of(iter.kind)], args));
}

void StmtPrinter::axes(const Block& b, const BlockRealize* realize) {
  for (size_t i = 0; i < b.iters.size();) {
    size_t end = i;
    while (realize && end < b.iters.size() && is_remapped(b.iters[end], realize->values[end])) ++end;
    if (end - i < 2) {
      axis(b.iters[i], realize ? realize->values[i] : Scalar());
      ++i;
      continue;
    }
    std::string kinds;
    std::vector<std::string> values, names;
    for (; i < end; ++i) {
      kinds += b.iters[i].kind == IterKind::Spatial ? 'S' : 'R';
      values.push_back(scalar(realize->values[i]));
      names.push_back(names_.define(b.iters[i].var.get(), b.iters[i].var->name));
    }
    lines_->add(fmt::format("{} = T.axis.remap({}, [{}])", join(names), quote(kinds), join(values)));
  }
}

void StmtPrinter::regions(const Block& b) {
  auto list = [&](const char* what, const std::vector<BufferRegion>& all) {
    std::vector<std::string> parts;
    for (const BufferRegion& r : all) parts.push_back(region(r));
    lines_->add(fmt::format("T.{}({})", what, join(parts)));
  };
  list("reads", b.reads);
  list("writes", b.writes);
}

// Without a dtype the parser gives a view the dtype of its source, so even float32, the default, is printed where the
// source has another dtype.
std::string StmtPrinter::view(const MatchBufferRegion& m) {
  bool says_dtype = m.buffer->dtype != m.source.buffer->dtype;
  std::string args = region(m.source) + ", " + buffer_args(*m.buffer, says_dtype);
  return fmt::format("{} = T.match_buffer({})", define_buffer(m.buffer), args);
}

void StmtPrinter::buffers(const Block& b) {
  for (const Ref<Buffer>& alloc : b.alloc_buffers) {
    std::string args = buffer_args(*alloc);
    lines_->add(fmt::format("{} = T.sblock_alloc_buffer({})", define_buffer(alloc), args));
  }
  for (const MatchBufferRegion& m : b.match_buffers) {
    lines_->add(view(m));
  }
}

void StmtPrinter::block(const Block& b, const BlockRealize* realize) {
  lines_->add(fmt::format("with T.sblock({}{}):", quote(b.name), realize ? "" : ", no_realize=True"));
  lines_->indent();
  NameScope scope(names_);
  axes(b, realize);
  if (realize && !is_true(realize->predicate)) lines_->add(fmt::format("T.where({})", scalar(realize->predicate)));
  // Regions are printed before the buffers that the block defines, unless they mention one of these.
  auto is_own = [&](const BufferRegion& r) {
    return std::ranges::find(b.alloc_buffers, r.buffer) != b.alloc_buffers.end() ||
           std::ranges::any_of(b.match_buffers, [&](const MatchBufferRegion& m) { return m.buffer == r.buffer; });
  };
  bool own_first = std::ranges::any_of(b.reads, is_own) || std::ranges::any_of(b.writes, is_own);
  if (own_first) buffers(b);
  regions(b);
  if (!b.annotations.empty()) lines_->add(fmt::format("T.sblock_attr({})", map(b.annotations.values())));
  if (!own_first) buffers(b);
  if (b.init) {
    lines_->add("with T.init():");
    body(b.init);
  }
  sequence(b.body);
  lines_->dedent();
}

}  // namespace sunmao::script
