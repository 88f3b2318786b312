// Reports of the command `profile`: a table, and a trace for Perfetto.
#pragma once
#include <string>

#include "compiler/model_profile.h"

namespace sunmao::cli {

/// Returns the table of kernels, the one that took longest first, and the totals. `shown` limits the rows; 0: all.
std::string profile_table(const ModelProfile& profile, const MachinePeak& peak, size_t shown);

/// Returns the session's events in the trace event format of Chrome, which Perfetto reads. `profile` tells where calls
/// come from.
std::string profile_trace(const sunmao_session* session, const ModelProfile& profile);

}  // namespace sunmao::cli
