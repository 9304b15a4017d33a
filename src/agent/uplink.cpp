#include "agent/uplink.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.hpp"
#include "base/text.hpp"
#include "model/json.hpp"

namespace sickbay::agent {
namespace {

constexpr std::size_t kMaxBatch = 256;              // findings
constexpr std::size_t kMaxBatchBytes = 480U << 10;  // of their texts; a request stays under 512 KiB
constexpr unsigned kActiveEvery = 15;               // heartbeats, then the active faults go whole even if unchanged
constexpr Duration kFirstBackOff = milliseconds{500};
constexpr Duration kMostBackOff = seconds{60};

// "code" of a problem document (RFC 9457 with a member of ours), empty where there is none.
std::string problem_code(const net::Answer& answer) {
  const auto value = parse_json(answer.body);
  if (!value || !value->is_object()) return {};
  const json::value* code = value->get_object().if_contains("code");
  return code && code->is_string() ? std::string(code->get_string()) : std::string();
}

std::string problem_text(const net::Answer& answer) {
  const auto value = parse_json(answer.body);
  for (const char* member : {"detail", "title"}) {
    if (!value || !value->is_object()) break;
    const json::value* text = value->get_object().if_contains(member);
    if (text && text->is_string()) return to_utf8(truncate_utf8(std::string_view(text->get_string()), 300));
  }
  return "it gave no reason";
}

}  // namespace

Uplink::Uplink(asio::io_context& io, const Config& config, Outbox& outbox, UplinkHost& host, const Clock& clock,
               std::unique_ptr<net::Client> client)
    : timer_(io),
      config_(config),
      outbox_(outbox),
      host_(host),
      clock_(clock),
      client_(std::move(client)),
      random_(static_cast<std::minstd_rand::result_type>(std::hash<std::string>{}(outbox.stream()))) {
  take_interval(interval_);
  next_tick_ = clock_.steady() + interval_;
}

void Uplink::take_interval(Duration interval) {
  interval_ =
      config_.heartbeat != Duration{} ? config_.heartbeat : std::clamp<Duration>(interval, seconds{1}, hours{1});
}

void Uplink::notify() {
  notified_ = true;
  if (waiting_idle_) timer_.cancel();
}

void Uplink::stop() {
  stopped_ = true;
  timer_.cancel();
  if (client_) client_->close();
}

void Uplink::tick_if_due() {
  if (clock_.steady() < next_tick_) return;
  next_tick_ = clock_.steady() + interval_;
  heartbeat_due_ = true;
  host_.tick();
}

asio::awaitable<void> Uplink::run(Uplink& uplink, std::shared_ptr<void> keep) {
  co_await uplink.loop();
  keep.reset();
}

asio::awaitable<void> Uplink::loop() {
  while (!stopped_) {
    tick_if_due();
    notified_ = false;
    bool fine = true;
    if (greeted_ && stream_ != outbox_.stream()) greeted_ = false;  // a new stream is introduced by a hello
    if (client_ && !greeted_) {
      fine = co_await say_hello();
    } else if (client_ && heartbeat_due_) {
      fine = co_await send_heartbeat();
    } else if (client_ && outbox_.ready() > 0) {
      fine = co_await send_findings();
      if (fine && outbox_.pending() == 0) host_.delivered();
    } else if (!notified_) {
      if (outbox_.pending() == 0) host_.delivered();
      if (stopped_) break;
      waiting_idle_ = true;
      co_await wait(next_tick_);
      waiting_idle_ = false;
    }
    if (!fine && !stopped_) co_await back_off();
  }
}

asio::awaitable<void> Uplink::wait(Duration until) {
  timer_.expires_after(std::max<Duration>(until - clock_.steady(), Duration{0}));
  co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
}

// Waits with growing patience, 0.5 s to 60 s, each time between half and all of it so that a fleet does not come back
// as one. The ticks go on.
asio::awaitable<void> Uplink::back_off() {
  const Duration full = std::min<Duration>(kMostBackOff, kFirstBackOff * (1LL << std::min(failures_, 10U)));
  ++failures_;
  const Duration jittered = full / 2 + Duration{static_cast<std::int64_t>(random_()) % (full.count() / 2 + 1)};
  const Duration until = clock_.steady() + std::max(jittered, retry_after_);
  retry_after_ = {};
  while (!stopped_ && clock_.steady() < until) {
    co_await wait(std::min(until, next_tick_));
    if (!stopped_) tick_if_due();
  }
}

// True when the answer is a success. What the others mean for the session is noted here, once for all requests.
bool Uplink::judge(const Result<net::Answer>& answer, std::string_view doing) {
  std::string problem;
  if (!answer) {
    problem = answer.error().message;
  } else if (answer->status / 100 != 2) {
    problem = fmt::format("the server answered {} to {}: {}", answer->status, doing, problem_text(*answer));
    retry_after_ = std::min<Duration>(answer->retry_after, minutes{5});
    const bool stale = answer->status == 409 && problem_code(*answer) == "stale_session";
    if (stale || answer->status == 401 || answer->status == 403) greeted_ = false;
  } else {
    problem_.clear();
    return true;
  }
  if (problem != problem_) log::warn("{}", problem);
  problem_ = std::move(problem);
  return false;
}

asio::awaitable<bool> Uplink::say_hello() {
  const std::vector<std::string> credentials = host_.credentials();
  if (credentials.empty()) {
    const std::string problem = "there is no credential and no ticket; give SICKBAY_TICKET or --ticket-file";
    if (problem_ != problem) log::warn("{}", problem);
    problem_ = problem;
    co_return false;
  }
  for (const std::string& credential : credentials) {
    const std::string stream = outbox_.stream();
    wire::Hello hello = host_.hello();
    std::string body = to_json_text(hello);
    const auto answer = co_await client_->request("POST", "/v1/agent/hello", std::move(body), credential);
    if (stopped_) co_return false;
    if (!judge(answer, "hello")) {
      const bool unknown = answer && (answer->status == 401 || answer->status == 403);
      if (unknown) continue;  // perhaps the next one
      co_return false;
    }
    const auto reply = from_json_text<wire::HelloReply>(answer->body);
    if (!reply || reply->epoch == 0) {
      problem_ = fmt::format("the server's answer to hello is not one: {}", reply ? "no epoch" : reply.error().message);
      log::warn("{}", problem_);
      co_return false;
    }
    greeted_ = true;
    heartbeat_due_ = false;
    epoch_ = reply->epoch;
    node_id_ = reply->node_id;
    stream_ = stream;
    credential_ = reply->credential.empty() ? credential : reply->credential;
    told_digest_ = hello.active_digest;
    take_interval(reply->heartbeat);
    next_tick_ = std::min(next_tick_, clock_.steady() + interval_);
    log::info("the server knows this node as {}, session {}", reply->node_id, reply->epoch);
    host_.greeted(*reply, credential);
    outbox_.greeted(stream, reply->acked);
    co_return true;
  }
  co_return false;
}

// The findings' texts go as they stand in the outbox.
std::string Uplink::batch_body(const Outbox::Slice& slice) const {
  std::string body = fmt::format(R"({{"epoch":{},"stream":"{}","first_sequence":{},"dropped":{},"findings":[)", epoch_,
                                 stream_, slice.first_sequence, outbox_.dropped());
  for (std::size_t i = 0; i < slice.texts.size(); ++i) {
    if (i > 0) body += ',';
    body += slice.texts[i];
  }
  return body + "]}";
}

asio::awaitable<bool> Uplink::send_findings() {
  const Outbox::Slice slice = outbox_.oldest(batch_, kMaxBatchBytes);
  if (slice.texts.empty()) co_return true;
  const auto answer = co_await client_->request("POST", "/v1/agent/findings", batch_body(slice), credential_);
  if (stopped_) co_return false;
  if (!judge(answer, "findings")) {
    // What the server will never take must not block what follows: narrow it down to one, then give that one up.
    const bool never = answer && (answer->status == 400 || answer->status == 413 || answer->status == 422);
    if (!never) co_return false;
    if (slice.texts.size() > 1) {
      batch_ = slice.texts.size() / 2;
    } else if (slice.first_sequence == outbox_.first_sequence() && stream_ == outbox_.stream()) {
      log::error("the server refuses a finding, it is given up: {}", slice.texts.front());
      outbox_.drop_oldest("the server refuses it: " + problem_);
    }
    co_return true;
  }
  const auto reply = from_json_text<wire::BatchReply>(answer->body);
  if (!reply || reply->acked < slice.first_sequence) {
    problem_ = "the server's answer to findings acknowledges none of them";
    log::warn("{}", problem_);
    co_return false;
  }
  outbox_.acknowledge(stream_, std::min(reply->acked, slice.first_sequence + slice.texts.size() - 1));
  batch_ = std::min(kMaxBatch, batch_ * 2);
  failures_ = 0;
  co_return true;
}

asio::awaitable<bool> Uplink::send_heartbeat() {
  heartbeat_due_ = false;
  for (bool whole = heartbeats_++ % kActiveEvery == kActiveEvery - 1;; whole = true) {
    wire::Heartbeat heartbeat = host_.heartbeat();
    heartbeat.epoch = epoch_;
    const std::string digest = heartbeat.active_digest;
    whole = whole || digest != told_digest_;
    if (!whole) heartbeat.active.reset();
    const auto answer = co_await client_->request("POST", "/v1/agent/heartbeat", to_json_text(heartbeat), credential_);
    if (stopped_ || !judge(answer, "the heartbeat")) {
      heartbeat_due_ = true;
      co_return false;
    }
    failures_ = 0;
    if (whole) told_digest_ = digest;
    const auto reply = from_json_text<wire::HeartbeatReply>(answer->body);
    if (!reply) {
      log::warn("the server's answer to the heartbeat is not one: {}", reply.error().message);
      co_return true;
    }
    take_interval(reply->heartbeat);
    for (const wire::Command& command : reply->commands) {
      log::warn("the server asks for '{}', which this agent cannot do", to_utf8(truncate_utf8(command.kind, 60)));
    }
    if (!reply->send_active || whole) co_return true;
  }
}

}  // namespace sickbay::agent
