// The part of a session that resets, copies, reads and writes a model's state between runs.
#include <cstring>

#include "runtime/call_arguments.h"
#include "runtime/element_type.h"
#include "runtime/managed_tensor.h"
#include "runtime/session.h"
#include "runtime/state_file.h"
#include "runtime/turn.h"

namespace sunmao::runtime {

using io::Status;

Status Session::reset() {
  const Turn turn(is_busy_);
  SUNMAO_TRY(turn.check());
  machine_.states().reset();
  return {};
}

io::Result<std::unique_ptr<Session>> Session::copy() {
  const Turn turn(is_busy_);
  SUNMAO_TRY(turn.check());
  std::unique_ptr<Session> made(new Session(model_));
  made->machine_.share_host(machine_);
  SUNMAO_TRY(made->machine_.states().copy(machine_.states()));
  return made;
}

io::Result<DLManagedTensor*> Session::get_state(size_t state) {
  const Turn turn(is_busy_);
  SUNMAO_TRY(turn.check());
  States& states = machine_.states();
  SUNMAO_TRY(states.prepare(state));
  const std::span<const int64_t> shape = states.shape(state);
  const Tensor& from = states.tensor(state);
  io::Result<DLManagedTensor*> made =
      make_managed_tensor(model_->states()[state].type, {{shape.begin(), shape.end()}, from.bytes}, blocks_);
  if (made.ok() && from.bytes > 0) std::memcpy((*made)->dl_tensor.data, cpu_address(from.storage), from.bytes);
  return made;
}

Status Session::set_state(size_t state, const DLTensor& value) {
  const Turn turn(is_busy_);
  SUNMAO_TRY(turn.check());
  const SignatureValue& expected = model_->states()[state];
  const io::Result<InputArgument> given = check_state(expected, value);
  if (!given.ok()) return given.status();
  const std::span<const int64_t> shape(value.shape, static_cast<size_t>(value.ndim));
  SUNMAO_TRY(check_state_shape(*model_, state, shape));
  States::Change change(machine_.states());
  const io::Result<void*> memory = change.make(static_cast<uint32_t>(state), shape);
  if (!memory.ok()) return memory.status();
  if (given->tensor.bytes > 0) {
    auto* bytes = static_cast<std::byte*>(*memory);
    copy_strided(value, bytes);
    bytes[given->tensor.bytes - 1] &= static_cast<std::byte>(~unused_bits(expected.type, shape));
  }
  change.accept();
  return {};
}

Status Session::save(const std::string& path) {
  const Turn turn(is_busy_);
  SUNMAO_TRY(turn.check());
  return write_states(*model_, machine_.states(), path);
}

Status Session::load(const std::string& path) {
  const Turn turn(is_busy_);
  SUNMAO_TRY(turn.check());
  return read_states(*model_, machine_.states(), path);
}

}  // namespace sunmao::runtime
