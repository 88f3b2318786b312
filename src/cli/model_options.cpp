#include "cli/model_options.h"

#include "cli/pass_options.h"

namespace sunmao::cli {

void add_model_options(CLI::App& app, ModelSettings& options) {
  app.add_option("MODEL", options.model, "an artifact (.sunmao), or a model, which is compiled in memory")->required();
  add_repeated(app, "--input", options.inputs,
               "random, zeros, file.npy, file.npz[:array] or file.safetensors:tensor; default: random")
      ->type_name("NAME=SOURCE");
  add_repeated(app, "--dim", options.dims,
               "the size of a symbolic dimension in inputs that are made up; default: the smallest")
      ->type_name("NAME=SIZE");
  app.add_option("--threads", options.threads, "the threads of a run; default: as many as the process may use")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  app.add_option("--function", options.function, "the function to run; default: main, or the only one")
      ->type_name("NAME");
  app.add_option("--weights", options.weights,
                 "weights by name, in place of the file's own: raw ones, or what transform-params wrote")
      ->type_name("FILE.safetensors");
  app.add_option("--cache", options.cache, "a folder that keeps weights which the artifact prepares when it is loaded")
      ->type_name("FOLDER");
}

}  // namespace sunmao::cli
