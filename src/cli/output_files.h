// Checks that a command does not overwrite its inputs, before anything is written.
#pragma once
#include <string>
#include <vector>

namespace sunmao::cli {

/// Returns the files of a model that are known before it is read: the file itself, and the file for a script's
/// constants.
std::vector<std::string> model_files(const std::string& model);
/// Returns the files written with a script: the script, and its constants.
std::vector<std::string> script_files(const std::string& path);

/// Fails (E0807) when an output is the same file as an input (by any name or link) or as another output. Empty names
/// are ignored.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

}  // namespace sunmao::cli
