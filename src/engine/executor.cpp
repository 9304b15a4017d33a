#include "engine/executor.hpp"

#include <algorithm>
#include <exception>

#include "base/log.hpp"

namespace sickbay::engine {

bool ThreadExecutor::submit(const std::string& name, Urgency urgency, Call call) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return false;
  std::unique_ptr<Lane>& lane = lanes_[name];
  if (!lane) lane = std::make_unique<Lane>();
  std::deque<Call>& queue = urgency == Urgency::none ? lane->queue : lane->soon;
  if (urgency == Urgency::first) {
    queue.push_front(std::move(call));
  } else if (queue.size() >= most_queued_) {
    return false;
  } else {
    queue.push_back(std::move(call));
  }
  if (lane->idle < lane->queued() && lane->threads.size() < at_once_) {
    lane->threads.emplace_back([this, &of = *lane] { work(of); });
  }
  lane->wake.notify_one();
  return true;
}

void ThreadExecutor::work(Lane& lane) {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (lane.queued() == 0) {
      ++lane.idle;
      lane.wake.wait(lock, [&] { return stopping_ || lane.queued() != 0; });
      --lane.idle;
      continue;
    }
    {
      std::deque<Call>& queue = lane.soon.empty() ? lane.queue : lane.soon;
      const Call call = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      try {
        call();
      } catch (const std::exception& error) {
        log::error("a call into the world failed by an internal error: {}", error.what());
      }
    }
    lock.lock();
  }
}

void ThreadExecutor::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& [name, lane] : lanes_) {
      lane->soon.clear();
      lane->queue.clear();
      for (std::thread& thread : lane->threads) threads.push_back(std::move(thread));
      lane->threads.clear();
      lane->wake.notify_all();
    }
  }
  for (std::thread& thread : threads) thread.join();
}

bool QueueExecutor::submit(const std::string& lane, Urgency, Call call) {
  const auto queued = std::ranges::count(queue_, lane, &std::pair<std::string, Call>::first);
  if (static_cast<std::size_t>(queued) >= most_queued_) return false;
  queue_.emplace_back(lane, std::move(call));
  return true;
}

bool QueueExecutor::run_one() {
  if (queue_.empty()) return false;
  const auto next = queue_.begin() + static_cast<std::ptrdiff_t>(pick_ ? pick_(queue_.size()) : 0);
  const Call call = std::move(next->second);
  queue_.erase(next);
  call();
  return true;
}

}  // namespace sickbay::engine
