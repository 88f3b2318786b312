// C API functions that profile the runs of a session.
#include <algorithm>
#include <cstring>

#include "io/concat.h"
#include "runtime/c_errors.h"
#include "runtime/c_handles.h"

namespace {

using namespace sunmao;
using io::Status;
using runtime::answer;
using runtime::null_argument;
using runtime::Profile;

io::Result<sunmao_profile_options> read_profile_options(const sunmao_profile_options* given) {
  sunmao_profile_options options = SUNMAO_PROFILE_OPTIONS_INIT;
  if (!given) return options;
  if (given->struct_size < sizeof(size_t) || given->struct_size > 4096)
    return Status::error("E0900", io::concat("`sunmao_profile_options`: `struct_size` is ", given->struct_size),
                         "begin with SUNMAO_PROFILE_OPTIONS_INIT");
  std::memcpy(&options, given, std::min(given->struct_size, sizeof(options)));
  return options;
}

const Profile* profile_of(const sunmao_session* session) { return session ? session->session->profile() : nullptr; }

}  // namespace

int sunmao_profile_start(sunmao_session* session, const sunmao_profile_options* options, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!session) return null_argument("sunmao_profile_start", "session");
    const io::Result<sunmao_profile_options> read = read_profile_options(options);
    if (!read.ok()) return read.status();
    return session->session->start_profile(read->max_events);
  });
}

int sunmao_profile_stop(sunmao_session* session, sunmao_error* error) {
  return answer(error, [&]() -> Status {
    if (!session) return null_argument("sunmao_profile_stop", "session");
    return session->session->stop_profile();
  });
}

int sunmao_profile_get_info(const sunmao_session* session, sunmao_profile_info* info) {
  const Profile* profile = profile_of(session);
  if (!profile || !info) return 1;
  const Profile::Totals& totals = profile->totals();
  *info = {totals.runs,       totals.nanoseconds, profile->records().size(), profile->events().size(),
           totals.lost_calls, totals.lost_events};
  return 0;
}

int sunmao_profile_get_record(const sunmao_session* session, size_t record, sunmao_profile_record* out) {
  const Profile* profile = profile_of(session);
  if (!profile || !out || record >= profile->records().size()) return 1;
  const Profile::Record& r = profile->records()[record];
  const Profile::Place place = profile->find_place(r.place);
  const char* function = session->session->model().signatures()[place.function].name.c_str();
  *out = {profile->kernel_name(r.kernel).c_str(),
          function,
          place.call,
          profile->dims().data() + r.first_dim,
          r.dim_count,
          r.calls,
          r.nanoseconds,
          r.fastest};
  return 0;
}

int sunmao_profile_get_event(const sunmao_session* session, size_t event, sunmao_profile_event* out) {
  const Profile* profile = profile_of(session);
  if (!profile || !out || event >= profile->events().size()) return 1;
  const Profile::Event& e = profile->events()[event];
  *out = {e.record == Profile::kRun ? -1 : static_cast<int64_t>(e.record), e.begin, e.nanoseconds};
  return 0;
}
