#include "passes/kernel_pass_table.h"

#include "passes/facts.h"

namespace sunmao {

std::vector<Pass> kernel_passes() {
  return {
      {.name = "legalize-ops",
       .summary = "ops become calls of loop-level functions",
       .compat_name = "LegalizeOps",
       .run = legalize_ops,
       .params = {{"prepares_weights", "whether kernels may lay out weights anew, default False", false},
                  {"only", "ops that become calls, default all"},
                  {"keep", "ops whose calls stay as they are"}},
       .commutes_with = {"normalize", "remove-purity-checking"}},
      {.name = "lift-temporaries",
       .summary = "large temporaries of kernels become tensors whose memory is planned",
       .run = lift_temporaries},
      {.name = "fuse-kernels",
       .summary =
           "elementwise kernels join the kernel that feeds them, moves of operands the attention that reads them",
       .run = fuse_kernels,
       .explains = true},
      {.name = "copies-to-views",
       .summary = "kernels that copy elements which lie side by side become views of their operand",
       .run = copies_to_views},
      {.name = "update-in-place",
       .summary = "kernels that copy an operand and change parts of it write to that operand, if nothing else reads it",
       .run = update_in_place},
      {.name = "add-target-forms",
       .summary = "each kernel gets a form for each target, beside it",
       .run = add_target_forms,
       .params = {{"targets", "the targets; None for the one that passes plan for"},
                  {"preparing", "the target of kernels that prepare weights while compiling, beside the others"}}},
      {.name = "inline-elementwise",
       .summary = "elementwise blocks of kernels join the blocks that read them",
       .run = inline_elementwise},
      {.name = "schedule", .summary = "blocks of kernels get the loops that fit their target", .run = schedule},
      {.name = "lower-blocks", .summary = "blocks of kernels become plain statements", .run = lower_blocks},
      {.name = "vectorize-loops",
       .summary = "loops marked vectorized become vector operations",
       .run = vectorize_loops},
      {.name = "unroll-loops",
       .summary = "loops marked unrolled become copies of their bodies",
       .run = unroll_loops,
       .params = {{"auto_max_step", "the most statements that a serial loop may become, default 0", 0},
                  {"auto_max_depth", "the deepest nest of serial loops that is unrolled, default 8", 8},
                  {"auto_max_extent", "the most iterations of a serial loop that is unrolled, default 0", 0},
                  {"explicit_unroll", "whether marked loops are unrolled, default True", true}}},
      {.name = "simplify-loops",
       .summary = "indices and conditions of kernels by the ranges of loops",
       .run = simplify_loops},
      {.name = "expand-intrinsics",
       .summary = "functions of floats in kernels become arithmetic that back ends have instructions for",
       .run = expand_intrinsics},
      {.name = "box-objects",
       .summary = "values that only the host understands become handles, and what is done with them calls of the host",
       .run = box_objects},
      {.name = "outline-branches",
       .summary = "branches become calls of functions of their own",
       .run = outline_branches},
      {.name = "outline-regions",
       .summary = "what follows a cast that says the sizes of a value becomes a function, which is given the value",
       .run = outline_regions},
  };
}

}  // namespace sunmao
