// What a command writes may be nothing that it reads: checked before any work is done.
#pragma once
#include <string>
#include <vector>

namespace sunmao::cli {

/// What reading a model opens by itself, as far as its name says: the file, and constants beside a script.
std::vector<std::string> model_files(const std::string& model);
/// What writing a module as a script writes.
std::vector<std::string> script_files(const std::string& path);

/// Fails (E0807) when an output is one of the inputs, by whichever name or link, or two outputs are one file. Empty
/// names stand for no file.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

}  // namespace sunmao::cli
