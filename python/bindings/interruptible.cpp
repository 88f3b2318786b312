#include "bindings/interruptible.h"

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

namespace sunmao::python {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks(20);

struct Task {
  std::mutex lock;
  std::condition_variable changed;
  bool is_done = false;
  std::exception_ptr error;
  std::atomic<bool> is_cancelled = false;
};

// Threads whose results nobody waits for. What they run ends early, and before the interpreter does.
struct Abandoned {
  std::mutex lock;
  std::list<std::thread> threads;

  void join_all() {
    std::list<std::thread> taken;
    {
      const std::lock_guard guard(lock);
      taken.swap(threads);
    }
    for (std::thread& t : taken) t.join();
  }
};

Abandoned& abandoned() {
  static Abandoned all;
  return all;
}

void run_task(Task& task, const std::function<void(const IsCancelled&)>& work) {
  std::exception_ptr error;
  try {
    work([&task] { return task.is_cancelled.load(std::memory_order_relaxed); });
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard guard(task.lock);
  task.error = error;
  task.is_done = true;
  task.changed.notify_all();
}

}  // namespace

void run_interruptible(std::function<void(const IsCancelled&)> work) {
  const auto task = std::make_shared<Task>();
  std::thread thread([task, work = std::move(work)] { run_task(*task, work); });
  while (true) {
    {
      nb::gil_scoped_release unlocked;
      std::unique_lock guard(task->lock);
      if (task->changed.wait_for(guard, kBetweenLooks, [&] { return task->is_done; })) break;
    }
    if (PyErr_CheckSignals() == 0) continue;
    task->is_cancelled = true;
    const std::lock_guard guard(abandoned().lock);
    abandoned().threads.push_back(std::move(thread));
    throw nb::python_error();
  }
  {
    nb::gil_scoped_release unlocked;
    thread.join();
  }
  if (task->error) std::rethrow_exception(task->error);
}

void bind_interruptible(nb::module_& m) {
  m.def("join_abandoned", [] {
    nb::gil_scoped_release unlocked;
    abandoned().join_all();
  });
  nb::module_::import_("atexit").attr("register")(m.attr("join_abandoned"));
}

}  // namespace sunmao::python
