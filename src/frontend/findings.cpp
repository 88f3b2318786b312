#include "frontend/findings.h"

#include <algorithm>

#include "io/concat.h"

namespace sunmao {

void check(const io::Status& status, const Span& span) {
  if (!status.ok()) fail(status.code(), span, status.message(), status.help());
}

void Findings::add_op(const FindingKind* kind, const std::string& op, Span place) {
  auto [it, inserted] = by_op_.try_emplace(op, entries_.size());
  if (inserted) entries_.push_back({kind, op, std::move(place), 0});
  ++entries_[it->second].count;
}

bool Findings::run(const FindingKind* unsupported, const std::string& op, const Span& place,
                   const std::function<void()>& convert) {
  try {
    convert();
    return true;
  } catch (const UnsupportedUse& use) {
    add_op(unsupported, use.why.empty() ? op : op + " " + use.why, place);
  } catch (const UserError&) {
    if (!first_error_) first_error_ = std::current_exception();
  }
  return false;
}

Diagnostic Findings::describe(const FindingKind& kind) const {
  Diagnostic d{.code = kind.code, .message = {}, .span = {}, .notes = {}, .help = kind.help};
  size_t ops = 0, nodes = 0;
  for (const Entry& e : entries_) {
    if (e.kind != &kind) continue;
    if (!d.span) d.span = e.first;
    ++ops;
    nodes += e.count;
    d.notes.push_back(fmt::format("{}: {} {}, first at {}", io::quoted(e.op), e.count, e.count == 1 ? "time" : "times",
                                  e.first ? e.first->label : "an unknown place"));
  }
  d.message = fmt::format("{} {} {} ({} {}), listed below", ops, ops == 1 ? "op" : "ops", kind.verb, nodes,
                          nodes == 1 ? "node" : "nodes");
  return d;
}

void Findings::throw_if_any() const {
  std::vector<const FindingKind*> kinds;
  for (const Entry& e : entries_)
    if (std::ranges::find(kinds, e.kind) == kinds.end()) kinds.push_back(e.kind);
  std::vector<Diagnostic> diagnostics;
  for (const FindingKind* kind : kinds) diagnostics.push_back(describe(*kind));
  if (!diagnostics.empty()) throw UserError(std::move(diagnostics));
  if (first_error_) std::rethrow_exception(first_error_);
}

}  // namespace sunmao
