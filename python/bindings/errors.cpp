// Exceptions at the Python boundary: diagnostics become exceptions of sunmao.errors.
#include <nanobind/stl/string.h>

#include "bindings/bindings.h"
#include "support/diagnostic.h"

namespace sunmao::python {
namespace {

nb::object span_to_python(const Span& span) {
  if (!span) return nb::none();
  nb::dict out;
  out["file"] = span->source ? span->source->name : "";
  out["line"] = span->line;
  out["column"] = span->column;
  out["label"] = span->label;
  return out;
}

nb::dict diagnostic_to_python(const Diagnostic& diagnostic) {
  nb::list notes;
  for (const std::string& note : diagnostic.notes) notes.append(note);
  nb::dict out;
  out["code"] = diagnostic.code;
  out["message"] = diagnostic.message;
  out["help"] = diagnostic.help;
  out["notes"] = notes;
  out["span"] = span_to_python(diagnostic.span);
  out["text"] = render(diagnostic);
  return out;
}

// Sets the Python error that function `make` of sunmao.errors creates from `argument`.
void set_error(const char* make, nb::handle argument) {
  try {
    nb::object error = nb::module_::import_("sunmao.errors").attr(make)(argument);
    PyErr_SetObject(error.type().ptr(), error.ptr());
  } catch (nb::python_error& e) {
    e.restore();
  }
}

void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const UserError& e) {
    nb::list diagnostics;
    for (const Diagnostic& d : e.diagnostics()) diagnostics.append(diagnostic_to_python(d));
    set_error("from_diagnostics", diagnostics);
  } catch (const InternalError& e) {
    set_error("from_internal", nb::str(e.what()));
  }
}

}  // namespace

void check(const io::Status& status) {
  if (!status.ok()) fail(status.code(), nullptr, status.message(), status.help());
}

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace sunmao::python
