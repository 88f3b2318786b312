// The command line as a whole: finds the command, runs it, and turns whatever it throws into a message and a status.
#pragma once

namespace sunmao::cli {

/// Never throws. Returns the process's exit status.
int run_command_line(int argc, char** argv);

}  // namespace sunmao::cli
