// The command line, for `python -m sunmao`.
#include "cli/command_line.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"

namespace sunmao::python {

void bind_command_line(nb::module_& m) {
  m.def(
      "run_command_line",
      [](std::vector<std::string> arguments) {
        std::vector<char*> argv;
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        nb::gil_scoped_release unlocked;
        return cli::run_command_line(static_cast<int>(arguments.size()), argv.data());
      },
      nb::arg("arguments"), "Runs a command, with the program's name first; returns the exit status.");
}

}  // namespace sunmao::python
