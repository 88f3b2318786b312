// The command line: runs the selected command, and turns exceptions into messages and exit statuses.
#pragma once

namespace sunmao::cli {

/// Never throws. Returns the process's exit status.
int run_command_line(int argc, char** argv);

}  // namespace sunmao::cli
