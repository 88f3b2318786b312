// The command line: runs the selected command, and turns exceptions into messages and exit statuses.
#pragma once

namespace sunmao::cli {

/// Runs the command that the arguments name; never throws. Returns the exit status of the process.
int run_command_line(int argc, char** argv);

}  // namespace sunmao::cli
