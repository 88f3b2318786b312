#include "bindings/interruptible.h"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <system_error>

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

// Stack size of worker threads, in bytes. The main thread's stack size is set by the user; recursion limits for calls,
// expressions and blocks are calibrated to this one, with room for sanitizer builds.
constexpr size_t kStackBytes = size_t{64} << 20;

class Thread {
 public:
  explicit Thread(std::function<void()> work) {
    auto owned = std::make_unique<std::function<void()>>(std::move(work));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    const int status = pthread_create(&id_, &attributes, run, owned.get());
    pthread_attr_destroy(&attributes);
    if (status != 0) throw std::system_error(status, std::generic_category(), "a thread for long work");
    owned.release();
  }
  void join() { pthread_join(id_, nullptr); }

 private:
  static void* run(void* work) {
    const std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()>*>(work));
    (*owned)();
    return nullptr;
  }
  pthread_t id_ = {};
};

// Threads whose results are no longer awaited; they are joined when the interpreter exits.
struct Abandoned {
  std::mutex lock;
  std::list<Thread> threads;

  void join_all() {
    std::list<Thread> taken;
    {
      const std::lock_guard guard(lock);
      taken.swap(threads);
    }
    for (Thread& t : taken) t.join();
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
  Thread thread([task, work = std::move(work)] { run_task(*task, work); });
  while (true) {
    {
      nb::gil_scoped_release unlocked;
      std::unique_lock guard(task->lock);
      if (task->changed.wait_for(guard, kBetweenLooks, [&] { return task->is_done; })) break;
    }
    if (PyErr_CheckSignals() == 0) continue;
    task->is_cancelled = true;
    const std::lock_guard guard(abandoned().lock);
    abandoned().threads.push_back(thread);
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
