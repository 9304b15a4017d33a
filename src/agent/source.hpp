// Where kernel records come from: /dev/kmsg, a file or pipe, or memory (the simulated fleet). A source only moves bytes
// and says when it has lost some; what they mean is the reader's business.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sickbay::agent {

namespace asio = boost::asio;

struct RawRecord {
  std::string_view text;       // one whole record (with its dictionary lines) or one line; valid during the call only
  bool kmsg = false;           // surely in the form of /dev/kmsg; otherwise any form a log prints
  std::uint64_t line = 0;      // the place of a line in its file, from 1
  std::string_view file = {};  // names the file, so that lines of two files are not taken for the same
};

// What a source tells. Called from the io_context's thread only.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void on_record(const RawRecord& record) = 0;
  virtual void on_drained() = 0;  // nothing more to read for now: what came since should be made durable
  virtual void on_overrun() = 0;  // records were overwritten before they were read; the next sequence shows how many
  virtual void on_broken(const std::string& why) = 0;  // reading failed; the source tries to open again by itself
  virtual void on_end() = 0;                           // the end of a file: nothing will come any more
};

class RecordSource {
 public:
  virtual ~RecordSource() = default;
  // Starts reading from the first record there is. `sink` outlives the source or its stop().
  virtual void start(RecordSink& sink) = 0;
  virtual void stop() = 0;  // no call to the sink comes after this
  // Called at each heartbeat: the moment to try again what is broken, without a timer of its own.
  virtual void tick() {}
};

// "-" is standard input, a character device is read as /dev/kmsg, everything else as lines or raw records; a FIFO is
// waited on, unless `once`.
Result<std::unique_ptr<RecordSource>> open_records(asio::io_context& io, const std::string& where, bool once);

}  // namespace sickbay::agent
