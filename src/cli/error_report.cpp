#include "cli/error_report.h"

#include "io/json_writer.h"

namespace sunmao::cli {
namespace {

/// Writes an object; a key that occurs several times is a list.
void write_details(io::JsonWriter& w, const Diagnostic::Details& details) {
  w.begin_object();
  for (size_t i = 0; i < details.size();) {
    size_t end = i;
    while (end < details.size() && details[end].first == details[i].first) ++end;
    w.key(details[i].first);
    if (details[i].first != "place") {
      w.value(details[i].second);
    } else {
      w.begin_array();
      for (size_t k = i; k < end; ++k) w.value(details[k].second);
      w.end_array();
    }
    i = end;
  }
  w.end_object();
}

}  // namespace

std::string error_json(const UserError& error) {
  io::JsonWriter w({.indent = 2});
  w.begin_object().key("errors").begin_array();
  for (const Diagnostic& d : error.diagnostics()) {
    w.begin_object().key("code").value(d.code).key("message").value(d.message);
    w.key("place").value(d.span ? d.span->label : std::string()).key("notes").begin_array();
    for (const std::string& note : d.notes) w.value(note);
    w.end_array().key("help").value(d.help).key("details").begin_array();
    for (const Diagnostic::Details& details : d.details) write_details(w, details);
    w.end_array().end_object();
  }
  return w.end_array().end_object().take() + "\n";
}

}  // namespace sunmao::cli
