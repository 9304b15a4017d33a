// Runs calls into the world apart from turns. Calls go into lanes, one for each adapter, so that one that hangs holds
// up nobody but those who wait for it (engine.md 1). A lane is bounded both ways: so many calls at once, so many
// queued.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sickbay::engine {

// Where a call goes in its lane: before all others; behind other such calls, before the rest; at the end.
enum class Urgency { first, soon, none };

class Executor {
 public:
  using Call = std::function<void()>;

  virtual ~Executor() = default;
  // False: there is no room in the lane for such calls, or the executor stops; the call will not be made.
  virtual bool submit(const std::string& lane, Urgency urgency, Call call) = 0;
  // Runs one queued call here and now, where nobody else does; false: there is none.
  virtual bool run_one() { return false; }
  // Begins no other call and waits for those under way; what is queued is dropped.
  virtual void stop() = 0;
};

// In production. The threads of a lane start as they are needed and stay.
class ThreadExecutor final : public Executor {
 public:
  ThreadExecutor(std::size_t at_once, std::size_t most_queued) : at_once_(at_once), most_queued_(most_queued) {}
  ~ThreadExecutor() override { stop(); }
  bool submit(const std::string& lane, Urgency urgency, Call call) override;
  void stop() override;

 private:
  struct Lane {
    std::condition_variable wake;
    std::deque<Call> soon, queue;
    std::size_t queued() const { return soon.size() + queue.size(); }
    std::vector<std::thread> threads;
    std::size_t idle = 0;
  };
  void work(Lane& lane);

  const std::size_t at_once_, most_queued_;
  std::mutex mutex_;
  bool stopping_ = false;
  std::map<std::string, std::unique_ptr<Lane>, std::less<>> lanes_;
};

// For tests and the simulation, where any may come first: nothing runs until somebody asks for the next call, on the
// asker's own stack.
class QueueExecutor final : public Executor {
 public:
  // `pick` says which of so many queued calls comes next; empty: the oldest.
  using Pick = std::function<std::size_t(std::size_t queued)>;
  explicit QueueExecutor(Pick pick = {}, std::size_t most_queued = 256)
      : pick_(std::move(pick)), most_queued_(most_queued) {}
  bool submit(const std::string& lane, Urgency urgency, Call call) override;
  bool run_one() override;
  void stop() override { queue_.clear(); }
  std::size_t queued() const { return queue_.size(); }

 private:
  const Pick pick_;
  const std::size_t most_queued_;
  std::vector<std::pair<std::string, Call>> queue_;
};

}  // namespace sickbay::engine
