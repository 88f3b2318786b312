#include "frontend/findings.h"

#include <algorithm>

#include "io/concat.h"

namespace sunmao {
namespace {

constexpr size_t kPlaces = 5;  // that are kept of one unsupported use

std::string label_of(const Span& span) { return span ? span->label : "an unknown place"; }

}  // namespace

void check(const io::Status& status, const Span& span) {
  if (!status.ok()) fail(status.code(), span, status.message(), status.help());
}

void Findings::add_op(const FindingKind* kind, const std::string& op, const std::string& why, Span place) {
  auto [it, inserted] = by_use_.try_emplace({op, why}, entries_.size());
  if (inserted) entries_.push_back({.kind = kind, .op = op, .why = why, .places = {}});
  Entry& entry = entries_[it->second];
  ++entry.count;
  if (entry.places.size() < kPlaces) entry.places.push_back(std::move(place));
}

bool Findings::run(const FindingKind* unsupported, const std::string& op, const Span& place,
                   const std::function<void()>& convert) {
  try {
    convert();
    return true;
  } catch (const UnsupportedUse& use) {
    add_op(unsupported, op, use.why, place);
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
    if (!d.span) d.span = e.places[0];
    ++ops;
    nodes += e.count;
    const std::string nearest = e.why.empty() ? nearest_(e.op) : std::string();
    d.notes.push_back(fmt::format("{}: {} {}, first at {}{}{}", io::quoted(e.why.empty() ? e.op : e.op + " " + e.why),
                                  e.count, e.count == 1 ? "time" : "times", label_of(e.places[0]),
                                  nearest.empty() ? "" : "; ", nearest));
    Diagnostic::Details details{{"op", e.op}, {"reason", e.why}, {"count", std::to_string(e.count)}};
    details.emplace_back("nearest", nearest);
    for (const Span& place : e.places) details.emplace_back("place", label_of(place));
    d.details.push_back(std::move(details));
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
