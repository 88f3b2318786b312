#include <array>

#include "passes/schedule/contraction/schedule_contraction.h"
#include "passes/schedule/family.h"
#include "passes/schedule/map/schedule_elementwise.h"
#include "passes/schedule/row/schedule_reduction.h"
#include "passes/schedule/row/schedule_rows.h"

namespace sunmao {

std::span<const Family* const> families() {
  static constexpr std::array kFamilies{&kAttentionFamily, &kContractionFamily, &kRowFamily, &kReductionFamily,
                                        &kMapFamily};
  return kFamilies;
}

}  // namespace sunmao
