#include "bindings/host_functions.h"

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <cstring>

#include "bindings/call_form.h"
#include "bindings/program_builtins.h"
#include "support/diagnostic.h"

namespace sunmao::python {
namespace {

void report(const sunmao_host_call& call, const char* message, const char* help = "") {
  std::snprintf(call.error->message, sizeof(call.error->message), "%s", message);
  std::snprintf(call.error->help, sizeof(call.error->help), "%s", help);
}

}  // namespace

HostFunctions::HostFunctions(const sunmao_model* model) {
  for (size_t i = 0; i < sunmao_host_function_count(model); ++i) {
    entries_.push_back(std::make_unique<Entry>());
    entries_.back()->name = sunmao_host_function_name(model, i);
  }
}

std::vector<std::string> HostFunctions::names() const {
  std::vector<std::string> out;
  for (const std::unique_ptr<Entry>& e : entries_) out.push_back(e->name);
  return out;
}

void HostFunctions::set(const std::string& name, std::shared_ptr<const HostFunction> function, sunmao_op op) {
  for (const std::unique_ptr<Entry>& e : entries_) {
    if (e->name != name) continue;
    // What was there goes with the parameter, when the lock is free: it may run Python as it does.
    const std::lock_guard guard(e->lock);
    e->function.swap(function);
    if (std::exchange(e->op, op) != op) ++version_;
    return;
  }
  std::string known;
  for (const std::unique_ptr<Entry>& e : entries_) known += (known.empty() ? "it calls `" : ", `") + e->name + "`";
  fail("E0901", {}, fmt::format("the model calls no function `{}` of the host", name),
       known.empty() ? "it calls none" : known);
}

std::vector<std::unique_ptr<HostFunctions::Bound>> HostFunctions::give_to(sunmao_session* session, HostRun& run) const {
  std::vector<std::unique_ptr<Bound>> out;
  for (const std::unique_ptr<Entry>& e : entries_) {
    out.push_back(std::make_unique<Bound>(Bound{*e, run}));
    const std::lock_guard guard(e->lock);
    sunmao_error error = {};
    if (e->op ? sunmao_register_op(session, e->name.c_str(), e->op, nullptr, &error)
              : sunmao_register_function(session, e->name.c_str(), &HostFunctions::call, out.back().get(), &error))
      fail(error.code, {}, error.message, error.help);
  }
  return out;
}

int HostFunctions::call(void* data, const sunmao_host_call* call) {
  const auto* bound = static_cast<const Bound*>(data);
  std::shared_ptr<const HostFunction> function;
  {
    const std::lock_guard guard(bound->entry.lock);
    function = bound->entry.function;
  }
  std::shared_ptr<const HostFunction> builtin;
  try {
    if (!function) function = builtin = find_program_builtin(bound->entry.name);
    if (!function && bound->run.find) function = bound->run.find(bound->entry.name);
    if (!function) {
      const std::string help = fmt::format("register it: model.register_function(\"{}\", function); it is called as {}",
                                           bound->entry.name, call->form);
      report(*call, "nobody has given it to the model", help.c_str());
      return 1;
    }
    call_by_form(*call, *function, bound->run);
    return 0;
  } catch (nanobind::python_error& error) {
    const nanobind::gil_scoped_acquire locked;
    error.restore();  // the call of the model raises it
    report(*call, "it raised an exception");
  } catch (const UserError& error) {
    const Diagnostic& first = error.diagnostics().front();
    report(*call, first.message.c_str(), first.help.c_str());
    if (builtin) bound->run.raised = error;
  } catch (const std::exception& error) {
    report(*call, error.what());
  }
  return 1;
}

}  // namespace sunmao::python
