#include "compiler/build.h"

#include "codegen/artifact/write_artifact.h"
#include "codegen/kernels.h"
#include "passes/analysis/kernel_call.h"
#include "passes/loop/kernel_forms.h"
#include "passes/schedule/function_work.h"
#include "passes/weights/parameter_stages.h"
#include "passes/weights/weight_dependence.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

using Lowered = std::map<std::string, Ref<PrimFunc>>;

Lowered called_kernels(const Module& module, const ProgramOptions& program) {
  std::vector<Ref<Function>> entries;
  for (const FunctionEntry& e : module.functions())
    if (Ref<Function> f = find_ref<Function>(Expr(e.func)); f && program.entries.empty())
      entries.push_back(std::move(f));
  for (const std::string& name : program.entries)
    if (Ref<Function> f = module.find_as<Function>(name)) entries.push_back(std::move(f));
  return kernels_of(module, std::move(entries));
}

// Returns the kernels' forms for a target; functions that return a number have none, and the evaluator interprets them.
Lowered forms_for(const Module& module, const Lowered& kernels, const Target& target) {
  const Forms forms = find_forms(module, target);
  Lowered out;
  for (const auto& [name, func] : kernels) {
    if (find<PrimType>(func->result_type)) continue;
    const auto form = forms.find(name);
    if (form == forms.end())
      fail("E0543", func->span, fmt::format("the kernel `{}` has no form for {}", name, target.text()),
           "leave add-target-forms in the pipeline");
    out.emplace(name, form->second);
  }
  return out;
}

std::map<std::string, CallerPrepares> find_callers_work(const Module& module, const ProgramOptions& options) {
  std::map<std::string, CallerPrepares> out;
  for (const std::string& name : entries_of(module, options)) {
    const Ref<Function> f = module.find_as<Function>(name);
    const std::optional<size_t> inputs = f ? num_input(*f, name) : std::nullopt;
    // Functions whose transforms do not fit them are left out, such as those with lazy or bundled parameters.
    if (inputs && !options.bound.contains(name) && has_fitting_transforms(name, module))
      out.emplace(name, CallerPrepares{*inputs, param_transforms(name, module)});
  }
  return out;
}

std::map<std::string, FunctionWork> work_of_entries(const Module& module, const ProgramOptions& options) {
  std::map<std::string, FunctionWork> out;
  if (options.kernels_alone) return out;
  for (const std::string& name : entries_of(module, options))
    if (const Ref<Function> f = module.find_as<Function>(name); f && !options.made.contains(name))
      out.emplace(name, count_work(module, f));
  return out;
}

/// Returns the kernels of ops that the program calls and object files define.
std::vector<std::string> own_ops(const Program& program, const std::vector<OpObject>& objects) {
  std::set<std::string> out;
  for (const OpObject& object : objects)
    for (const std::string& name : functions_of(object))
      if (program.ops.contains(name) && !out.insert(name).second)
        fail(
            "E1008", {},
            fmt::format("the object file {} cannot be part of an artifact: another one has `{}` too", object.name,
                        name),
            "give functions of several files different names, or make those that are not called from elsewhere static");
  return {out.begin(), out.end()};
}

}  // namespace

void build_artifact(const Module& module, const ProgramOptions& options, const CompileOptions& compile,
                    WeightSource* prepared, ArtifactSink& sink) {
  Lowered kernels = called_kernels(module, options);
  std::vector<Lowered> lowered;
  for (const Target& t : compile.targets) lowered.push_back(forms_for(module, kernels, t));
  SUNMAO_CHECK(!lowered.empty(), "no target");
  Program program;
  {
    const PhaseTimer timer("emit bytecode", compile.on_phase);
    program = emit_program(module, lowered[0], options);
    program.caller_prepares = find_callers_work(module, options);
    program.work = work_of_entries(module, options);
    program.weight_growth = options.weight_growth;
  }
  program.own_ops = own_ops(program, compile.objects);
  std::vector<CodeImage> images;
  for (size_t i = 0; i < compile.targets.size(); ++i) {
    std::vector<Kernel> list;
    for (const ProgramKernel& k : program.kernels) {
      const Ref<PrimFunc>& func = lowered[i].at(k.name);
      SUNMAO_CHECK(func->buffers().size() == k.func->buffers().size(), "{} takes other buffers on {}", k.name,
                   compile.targets[i].isa.name);
      // Functions of object files may be called as kernels are.
      list.push_back({compile.objects.empty() ? k.name : "sunmao." + k.name, func});
    }
    images.push_back(compile_kernels(list, compile.targets[i],
                                     {.opt_level = compile.opt_level,
                                      .is_cancelled = compile.is_cancelled,
                                      .on_phase = compile.on_phase,
                                      .on_progress = compile.on_progress,
                                      .objects = program.own_ops.empty() ? std::vector<OpObject>() : compile.objects,
                                      .ops = program.own_ops}));
    check_cancelled(compile);
  }
  const PhaseTimer timer("write artifact", compile.on_phase);
  write_artifact(program, images, prepared, sink);
}

io::Bytes build_in_memory(const Module& module, const ProgramOptions& options, const CompileOptions& compile) {
  const std::unique_ptr<ArtifactSink> sink = make_memory_sink();
  build_artifact(module, options, compile, nullptr, *sink);
  return sink->end();
}

}  // namespace sunmao
