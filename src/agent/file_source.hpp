// Records from a file, a FIFO or standard input: read to the end; a FIFO or pipe is waited on.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <optional>
#include <vector>

#include "agent/lines.hpp"
#include "agent/source.hpp"
#include "base/files.hpp"

namespace sickbay::agent {

class FileSource final : public RecordSource {
 public:
  // `name` tells its lines from those of other files. `waits`: it can be waited on (a pipe), else read at once.
  FileSource(asio::io_context& io, Fd fd, std::string name, bool waits);
  ~FileSource() override { stop(); }
  void start(RecordSink& sink) override;
  void stop() override;

 private:
  void drain();
  void wait();

  asio::io_context& io_;
  Fd fd_;
  std::string name_;
  bool waits_;
  RecordSink* sink_ = nullptr;
  std::optional<asio::posix::stream_descriptor> descriptor_;
  Lines lines_;
  std::vector<char> buffer_;
  std::shared_ptr<bool> alive_;  // as in KmsgSource
};

}  // namespace sickbay::agent
