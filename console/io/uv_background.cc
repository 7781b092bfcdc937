#include "console/io/uv_background.h"

#include <memory>
#include <utility>

#include <uv.h>

namespace wafd::console {

// Freed by its after-work callback, which libuv always calls.
struct UvBackground::Job {
  uv_work_t request{};
  UvBackground* owner = nullptr;
  std::function<void()> work;
  std::function<void()> done;
  Job* next = nullptr;
  Job* before = nullptr;
};

bool UvBackground::run(std::function<void()> work, std::function<void()> done) {
  if (count_ >= kMaxWaiting || stopping_) return false;
  auto job = std::make_unique<Job>();
  job->owner = this;
  job->work = std::move(work);
  job->done = std::move(done);
  job->request.data = job.get();
  const int status = uv_queue_work(
      loop_.uv(), &job->request,
      [](uv_work_t* request) noexcept { static_cast<Job*>(request->data)->work(); },
      [](uv_work_t* request, int result) noexcept {
        const std::unique_ptr<Job> finished(static_cast<Job*>(request->data));
        UvBackground& owner = *finished->owner;
        (finished->before == nullptr ? owner.first_ : finished->before->next) = finished->next;
        if (finished->next != nullptr) finished->next->before = finished->before;
        --owner.count_;
        if (result == 0 && !owner.stopping_) finished->done();
      });
  if (status != 0) return false;
  job->next = first_;
  if (first_ != nullptr) first_->before = job.get();
  first_ = job.release();
  ++count_;
  return true;
}

UvBackground::~UvBackground() {
  stopping_ = true;
  for (Job* job = first_; job != nullptr; job = job->next)
    uv_cancel(reinterpret_cast<uv_req_t*>(&job->request));
  while (count_ > 0) uv_run(loop_.uv(), UV_RUN_ONCE);
}

}  // namespace wafd::console
