#include "console/io/connection.h"

#include <utility>

#include <boost/json/object.hpp>

#include "console/base/problem.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxRestBytes = 64u << 10;

http::ReaderLimits reader_limits(const ConnectionLimits& limits) {
  http::ReaderLimits out;
  out.max_head_bytes = limits.max_head_bytes;
  out.max_body_bytes = limits.max_body_bytes;
  return out;
}

// Header fields of every answer; a route's own take precedence.
constexpr std::pair<const char*, const char*> kEveryAnswer[] = {
    {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Permissions-Policy", "camera=(), microphone=(), geolocation=()"},
    {"Cache-Control", "no-store"},
};

http::Response wire_of(HttpResponse& response, bool strict_transport) {
  http::Response wire;
  wire.status = static_cast<unsigned>(response.status);
  for (const auto& [name, value] : kEveryAnswer) {
    if (response.header(name).empty()) wire.fields.emplace_back(name, value);
  }
  if (strict_transport) wire.fields.emplace_back("Strict-Transport-Security", "max-age=31536000");
  for (Header& header : response.headers)
    wire.fields.emplace_back(std::move(header.name), std::move(header.value));
  if (!response.stream)
    wire.body = response.fixed_body.empty() ? std::move(response.body) : std::string(response.fixed_body);
  return wire;
}

HttpRequest request_of(http::Request& wire, const std::string& peer, Gone gone) {
  HttpRequest request;
  request.method = std::move(wire.method);
  request.target = std::move(wire.target);
  for (auto& [name, value] : wire.fields) request.headers.push_back({std::move(name), std::move(value)});
  request.body = std::move(wire.body);
  request.peer = peer;
  request.gone = std::move(gone);
  return request;
}

ProblemType problem_type_of(unsigned status) {
  switch (status) {
    case 413:
      return kTooLarge;
    case 431:
      return {"head-too-large", 431, "Head too large"};
    case 501:
      return {"not-implemented", 501, "Not implemented"};
    case 505:
      return {"version", 505, "HTTP version not supported"};
    default:
      return kBadRequest;
  }
}

}  // namespace

Connection::Connection(Parts parts, std::unique_ptr<kit::Stream> stream)
    : parts_(std::move(parts)),
      stream_(std::move(stream)),
      reader_(reader_limits(parts_.limits)),
      timer_(parts_.loop, [this] { on_timer(); }),
      tick_(parts_.loop, [this] { pump(); }),
      self_(std::make_shared<Connection*>(this)),
      opened_ms_(parts_.loop.turn_start_ms()) {}

Connection::~Connection() {
  *self_ = nullptr;
  *gone_ = true;
}

void Connection::start() {
  timer_.start(parts_.limits.handshake_ms);
  stream_->start(*this);
}

void Connection::on_open() noexcept {
  open_ = true;
  timer_.stop();
  stream_->set_idle_timeout_ms(parts_.limits.stranger_idle_ms);
}

void Connection::on_timer() {
  if (!open_) {
    parts_.refused("handshake_timeout");
    return drop();
  }
  parts_.refused("request_timeout");
  if (busy_) return drop();
  keep_alive_ = false;
  answer(problem({"timeout", 408, "Request timeout"}, "The request did not come in time."));
}

void Connection::on_data(std::string_view bytes) noexcept {
  rest_.append(bytes);
  if (busy_) {
    // A pipelined request waits; whoever sends more is not read on, and so could leave unnoticed.
    if (rest_.size() > kMaxRestBytes) {
      parts_.refused("pipelined_too_much");
      drop();
    }
    return;
  }
  read_on();
}

void Connection::read_on() {
  if (reading_) return;
  const std::shared_ptr<Connection*> self = self_;
  reading_ = true;
  while (!busy_ && !ended_) {
    std::string_view bytes = rest_;
    auto step = reader_.next(bytes);
    rest_.erase(0, rest_.size() - bytes.size());
    if (!step) {
      parts_.refused("bad_request");
      keep_alive_ = false;
      head_request_ = false;
      busy_ = true;
      timer_.stop();
      answer(problem(problem_type_of(step.error().status), step.error().error.what));
      break;
    }
    if (*step == http::Step::kNeedMore) {
      if (!reader_.in_message())
        timer_.stop();
      else if (!timer_.active())
        timer_.start(parts_.limits.request_ms);
      break;
    }
    if (*step == http::Step::kHead && reader_.expects_continue())
      stream_->write(std::string(http::kContinue));
    if (*step != http::Step::kMessage) continue;
    timer_.stop();
    busy_ = true;
    http::Request& wire = reader_.request();
    keep_alive_ = wire.keep_alive;
    version_ = wire.version;
    head_request_ = wire.method == "HEAD";
    const auto known = [self] {
      if (*self == nullptr || (*self)->known_) return;
      (*self)->known_ = true;
      (*self)->stream_->set_idle_timeout_ms((*self)->parts_.limits.idle_ms);
    };
    parts_.handle(
        request_of(wire, parts_.peer, gone_),
        [self](HttpResponse response) {
          if (*self != nullptr && !(*self)->ended_) (*self)->answer(std::move(response));
        },
        known);
    if (*self == nullptr) return;
  }
  reading_ = false;
}

http::WriteOptions Connection::write_options() const {
  http::WriteOptions options;
  options.keep_alive = keep_alive_;
  options.head_request = head_request_;
  options.version = version_;
  options.date_s = parts_.clock.unix_us() / 1'000'000;
  return options;
}

void Connection::answer(HttpResponse response) {
  if (response.stream && !head_request_) {
    if (version_ == 10) keep_alive_ = false;
    chunks_.emplace(write_options());
    body_ = std::move(response.stream);
    if (!stream_->write(chunks_->head(wire_of(response, parts_.strict_transport)))) return drop();
    return schedule_pump();
  }
  response.stream.reset();
  const http::Response wire = wire_of(response, parts_.strict_transport);
  // Whole answers may be larger than the queue's limit: a full list of events is some megabytes.
  stream_->set_max_queued_bytes(wire.body.size() + (4u << 20));
  if (!stream_->write(http::write(wire, write_options()))) return drop();
  finish_answer();
}

void Connection::finish_answer() {
  busy_ = false;
  if (!keep_alive_) return close_gently();
  stream_->resume();
  // On the stack of a handler this is left to the loop that called it.
  read_on();
}

void Connection::schedule_pump() {
  if (pump_waits_) return;
  pump_waits_ = true;
  parts_.loop.post([self = self_] {
    if (*self == nullptr) return;
    (*self)->pump_waits_ = false;
    (*self)->pump();
  });
}

void Connection::pump() {
  if (!body_ || ended_) return;
  const std::size_t queued = stream_->queued_bytes();
  if (queued >= parts_.limits.stream_room_bytes) return;  // on_writable() goes on
  std::string bytes;
  const auto next =
      body_->pull(bytes, parts_.limits.stream_room_bytes - queued, parts_.clock.unix_us() / 1000);
  if (!bytes.empty() && !stream_->write(chunks_->chunk(bytes))) return drop();
  switch (next) {
    case BodySource::Next::kMore:
      return schedule_pump();
    case BodySource::Next::kWait:
      return tick_.start(kStreamTickMs);
    case BodySource::Next::kBroken:
      body_.reset();
      return drop();
    case BodySource::Next::kEnd:
      break;
  }
  body_.reset();
  stream_->write(chunks_->end());
  chunks_.reset();
  finish_answer();
}

void Connection::on_writable() noexcept {
  if (body_) schedule_pump();
}

void Connection::end_stream() {
  if (!body_) return;
  body_.reset();
  stream_->write(chunks_->chunk("event: end\ndata: {\"reason\":\"stopping\"}\n\n") + chunks_->end());
  keep_alive_ = false;
  finish_answer();
}

void Connection::on_end(const kit::StreamEnd& end) noexcept {
  if (!open_ && end.kind == kit::StreamEndKind::kError) parts_.refused("handshake_failed");
  if (end.kind == kit::StreamEndKind::kIdle) parts_.refused("idle");
  if (end.kind == kit::StreamEndKind::kEof && open_) return close_gently();
  drop();
}

void Connection::close_gently() {
  if (ended_) return;
  ended_ = true;
  *gone_ = true;
  stream_->close();
  drop();
}

void Connection::drop() {
  ended_ = true;
  *gone_ = true;
  // The owner destroys us: not while our own functions are on the stack.
  parts_.loop.post([self = self_] {
    if (*self != nullptr) (*self)->parts_.closed();
  });
}

}  // namespace wafd::console
