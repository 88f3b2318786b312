#include "cli/model_options.h"

#include "cli/artifact_entries.h"
#include "cli/output_files.h"
#include "cli/pass_options.h"
#include "cli/reproducer.h"
#include "compiler/compile.h"
#include "compiler/read_model_file.h"
#include "support/diagnostic.h"

namespace sunmao::cli {

void add_ops_option(CLI::App& app, std::vector<std::string>& values) {
  add_repeated(app, "--ops", values,
               "custom ops: a script (.py) of functions that name the ops which they stand for,\n"
               "or an object file (.o) with kernels in C")
      ->type_name("FILE");
}

std::vector<Module> read_op_modules(const std::vector<std::string>& ops) {
  OpFiles files = read_op_files(ops);
  if (!files.objects.empty())
    fail("E0004", {}, fmt::format("--ops: the object file {} is no part of a module", files.objects[0].name),
         "give it to `compile`, `run` or `profile`");
  return std::move(files.modules);
}

void check_ops(const std::vector<std::string>& ops, const std::string& model) {
  if (!ops.empty() && is_artifact(model))
    fail("E0004", {}, fmt::format("--ops is for models, and `{}` is an artifact", model),
         "custom ops are compiled with a model; give them to `sunmao compile`");
}

void check_is_model(const std::string& path) {
  if (is_artifact(path))
    fail("E0004", {}, fmt::format("a model is needed, and `{}` is an artifact", path),
         "give the model file that it was compiled from");
}

void add_model_options(CLI::App& app, ModelSettings& options) {
  add_source_options(app, options);
  add_size_options(app, options);
}

void add_source_options(CLI::App& app, ModelSettings& options) {
  app.add_option("MODEL", options.model, "an artifact (.sunmao), or a model, which is compiled in memory")->required();
  add_call_options(app, options);
  app.add_option("--cache", options.cache, "a folder that keeps weights which the artifact prepares when it is loaded")
      ->type_name("FOLDER");
}

void add_call_options(CLI::App& app, ModelSettings& options) {
  add_repeated(app, "--input", options.inputs,
               "random, zeros, file.npy, file.npz[:array] or file.safetensors:tensor; default: random")
      ->type_name("NAME=SOURCE");
  app.add_option("--function", options.function, "the function to run; default: main, or the only one")
      ->type_name("NAME");
  app.add_option("--weights", options.weights,
                 "weights by name, in place of the file's own: raw ones, or what transform-params wrote")
      ->type_name("FILE.safetensors");
  add_ops_option(app, options.ops);
}

void add_size_options(CLI::App& app, ModelSettings& options) {
  add_repeated(app, "--dim", options.dims,
               "the size of a symbolic dimension in inputs that are made up; default: the smallest")
      ->type_name("NAME=SIZE");
  app.add_option("--threads", options.threads, "the threads of a run; default: as many as the process may use")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
}

std::unique_ptr<Runnable> open_model(const ModelSettings& s, const std::vector<std::string>& outputs) {
  std::vector<std::string> files = model_files(s.model);
  files.push_back(s.weights);
  files.insert(files.end(), s.ops.begin(), s.ops.end());
  check_outputs(outputs, files);
  check_ops(s.ops, s.model);
  if (is_artifact(s.model)) return load_artifact(s.model, {s.function, s.weights, s.cache});
  if (!s.cache.empty())
    fail("E0004", {}, "--cache is for artifacts, and a model is compiled anew", "compile it with --prepare load first");
  const OpFiles ops = read_op_files(s.ops);
  const Model model = read_model_file(s.model, {.weights_path = s.weights, .files = &files, .custom_ops = ops.modules});
  check_outputs(outputs, files);
  CompileOptions options;
  options.objects = ops.objects;
  watch_for_failures(options.runner, {});
  return load_artifact(compile(model, options).artifact,
                       {.function = s.function, .weights_path = {}, .cache_folder = {}});
}

}  // namespace sunmao::cli
