#include "ingest/envoy/envoy_session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "detect/core/bytes.h"

namespace wafd::ingest::envoy {
namespace {

constexpr std::string_view kCheck = "/envoy.service.auth.v3.Authorization/Check";
constexpr std::string_view kHealth = "/grpc.health.v1.Health/Check";
constexpr std::string_view kServing = "\x08\x01";     // HealthCheckResponse{status: SERVING}
constexpr std::size_t kPrefixBytes = 5;               // of a gRPC message: compressed or not, its length
constexpr std::size_t kOtherBytes = 64 * 1024;        // of a message, beside head and body
constexpr std::uint32_t kMaxHeaderBytes = 16 * 1024;  // of a call
// So that a body of the usual limit comes without a wait for the window to open.
constexpr std::int32_t kStreamWindowBytes = 1 << 20;
constexpr std::int32_t kConnectionWindowBytes = 8 << 20;

// Codes of gRPC.
constexpr std::string_view grpc_status(Malformed reason) noexcept {
  switch (reason) {
    case Malformed::kUnknownCall:
    case Malformed::kCompressed:
      return "12";  // UNIMPLEMENTED
    default:
      return "3";  // INVALID_ARGUMENT
  }
}
constexpr std::string_view grpc_message(Malformed reason) noexcept {
  switch (reason) {
    case Malformed::kUnknownCall:
      return "expected envoy.service.auth.v3.Authorization/Check or grpc.health.v1.Health/Check";
    case Malformed::kCompressed:
      return "expected a message without compression";
    default:
      return "expected one CheckRequest with attributes.request.http";
  }
}

nghttp2_nv field(std::string_view name, std::string_view value) noexcept {
  // nghttp2 copies both; its type for bytes has no const.
  const auto bytes = [](std::string_view text) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

const char* to_string(Malformed reason) noexcept {
  switch (reason) {
    case Malformed::kHttp2:
      return "http2";
    case Malformed::kNotGrpc:
      return "not_grpc";
    case Malformed::kUnknownCall:
      return "unknown_call";
    case Malformed::kCompressed:
      return "compressed";
    case Malformed::kMessage:
      return "message";
  }
  return "";
}

struct Session::Pending {
  Pending(std::int32_t of, OwnedRequest what) : stream(of), request(std::move(what)) {}
  Answer judge(RequestJudge& judge, const IngestLimits& limits, const TimeLimit& limit) const {
    judge.named(request.request_id);
    return judge.judge(request.view(), limits.enforcing ? Enforcement::kInline : Enforcement::kNotEnforcing,
                       limit);
  }

  std::int32_t stream;
  OwnedRequest request;
};

// One stream.
struct Session::Call {
  std::string path, content_type;
  std::size_t header_bytes = 0;
  std::string message;  // with its prefix; as much as most_bytes()
  bool cut = false;
  bool whole = false;
  std::shared_ptr<Waiting> waiting;
  FairQueue::Ticket ticket = 0;
  std::string response;  // with its prefix
  std::size_t sent = 0;
};

class Session::Http2 {
 public:
  static std::unique_ptr<nghttp2_session, Delete> make(Session& session) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_session* made = nullptr;
    nghttp2_session_server_new(&made, callbacks, &session);
    nghttp2_session_callbacks_del(callbacks);
    const std::array<nghttp2_settings_entry, 3> settings{{
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kMaxCalls},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindowBytes},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kMaxHeaderBytes},
    }};
    nghttp2_submit_settings(made, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
    nghttp2_session_set_local_window_size(made, NGHTTP2_FLAG_NONE, 0, kConnectionWindowBytes);
    return std::unique_ptr<nghttp2_session, Delete>(made);
  }

  static ssize_t read_response(nghttp2_session* session, std::int32_t stream, std::uint8_t* room,
                               std::size_t size, std::uint32_t* flags, nghttp2_data_source* source,
                               void*) noexcept {
    auto& call = *static_cast<Call*>(source->ptr);
    const std::size_t part = std::min(size, call.response.size() - call.sent);
    std::memcpy(room, call.response.data() + call.sent, part);
    call.sent += part;
    if (call.sent == call.response.size()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const nghttp2_nv trailer = field("grpc-status", "0");
      nghttp2_submit_trailer(session, stream, &trailer, 1);
    }
    return static_cast<ssize_t>(part);
  }

 private:
  static Call* find(void* user, std::int32_t stream) noexcept {
    auto& calls = static_cast<Session*>(user)->calls_;
    const auto at = calls.find(stream);
    return at == calls.end() ? nullptr : &at->second;
  }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) noexcept {
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    auto& session = *static_cast<Session*>(user);
    if (session.calls_.try_emplace(frame->hd.stream_id).second) ++session.receiving_;
    return 0;
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size, std::uint8_t,
                       void* user) noexcept {
    Call* call = find(user, frame->hd.stream_id);
    if (call == nullptr) return 0;
    call->header_bytes += name_size + value_size;
    if (call->header_bytes > kMaxHeaderBytes)
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // ends the stream
    const std::string_view text(reinterpret_cast<const char*>(name), name_size);
    if (text == ":path") call->path.assign(reinterpret_cast<const char*>(value), value_size);
    if (text == "content-type") call->content_type.assign(reinterpret_cast<const char*>(value), value_size);
    return 0;
  }

  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* data,
                     std::size_t size, void* user) noexcept {
    Call* call = find(user, stream);
    if (call == nullptr) return 0;
    const std::size_t room = static_cast<Session*>(user)->most_bytes() - call->message.size();
    call->message.append(reinterpret_cast<const char*>(data), std::min(size, room));
    call->cut = call->cut || size > room;
    return 0;
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) noexcept {
    if (frame->hd.type == NGHTTP2_SETTINGS) static_cast<Session*>(user)->greeted_ = true;
    const bool carries = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (carries && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
      static_cast<Session*>(user)->end_of_call(frame->hd.stream_id);
    return 0;
  }

  static int on_close(nghttp2_session*, std::int32_t stream, std::uint32_t, void* user) noexcept {
    static_cast<Session*>(user)->close_call(stream);
    return 0;
  }
};

void Session::Delete::operator()(nghttp2_session* session) const noexcept { nghttp2_session_del(session); }

Session::Session(const Shared& shared) : shared_(shared), http2_(Http2::make(*this)) {}

Session::~Session() {
  for (auto& [stream, call] : calls_) {
    if (call.waiting == nullptr) continue;
    call.waiting->forget();
    shared_.queue.cancel(call.ticket);
  }
}

std::size_t Session::most_bytes() const noexcept {
  return kPrefixBytes + shared_.limits.max_head_bytes + shared_.limits.max_body_bytes + kOtherBytes;
}

bool Session::ended() const noexcept {
  return nghttp2_session_want_read(http2_.get()) == 0 && nghttp2_session_want_write(http2_.get()) == 0;
}

Phase Session::phase() const noexcept {
  if (begun_ && !greeted_) return Phase::kHead;
  if (receiving_ > 0) return Phase::kBody;
  return calls_.empty() ? Phase::kIdle : Phase::kWaiting;
}

tl::expected<void, Malformed> Session::on_bytes(std::string_view bytes, std::int64_t turn_start_us,
                                                std::string& out) {
  turn_start_us_ = turn_start_us;
  begun_ = true;
  const auto read = nghttp2_session_mem_recv(
      http2_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  const auto said = take_output(out);
  if (read >= 0) return said;
  ++shared_.counters.malformed[static_cast<std::size_t>(Malformed::kHttp2)];
  return tl::unexpected(Malformed::kHttp2);
}

tl::expected<void, Malformed> Session::take_output(std::string& out) {
  while (true) {
    const std::uint8_t* data = nullptr;
    const auto size = nghttp2_session_mem_send(http2_.get(), &data);
    if (size == 0) return {};
    if (size < 0) return tl::unexpected(Malformed::kHttp2);
    out.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
  }
}

tl::expected<std::string, Malformed> Session::message_of(const Call& call) const {
  if (!call.content_type.starts_with("application/grpc")) return tl::unexpected(Malformed::kNotGrpc);
  if (call.path != kCheck && call.path != kHealth) return tl::unexpected(Malformed::kUnknownCall);
  if (call.message.size() < kPrefixBytes) return tl::unexpected(Malformed::kMessage);
  if (call.message[0] != 0) return tl::unexpected(Malformed::kCompressed);
  std::size_t size = 0;
  for (std::size_t i = 1; i < kPrefixBytes; ++i) size = size << 8 | byte(call.message[i]);
  const std::size_t here = call.message.size() - kPrefixBytes;
  if (call.cut ? size <= here : size != here) return tl::unexpected(Malformed::kMessage);
  return call.message.substr(kPrefixBytes);
}

void Session::end_of_call(std::int32_t stream) {
  const auto at = calls_.find(stream);
  if (at == calls_.end() || at->second.whole) return;
  Call& call = at->second;
  call.whole = true;
  --receiving_;
  ++messages_;
  if (auto message = message_of(call); !message) {
    refuse(stream, message.error());
  } else if (call.path == kHealth) {
    ++shared_.counters.health_checks;
    answer(stream, kServing);
  } else {
    call.message = std::move(*message);
    take_check(stream, call);
  }
}

void Session::take_check(std::int32_t stream, Call& call) {
  auto checked = read_check(call.message, call.cut, shared_.limits);
  call.message = {};
  if (!checked) return refuse(stream, Malformed::kMessage);
  ++shared_.counters.requests;
  shared_.counters.heads_cut += checked->head_cut;
  shared_.counters.bodies_cut += checked->body_cut;
  OwnedRequest& request = checked->request;
  request.end_time_us = shared_.clock.unix_us();
  shared_.counters.bodies.count(request.view());

  const Arrival arrival =
      arrival_of(request.view(), this, turn_start_us_, shared_.queue, shared_.clock, shared_.limits);
  auto waiting = std::make_shared<Waiting>(*this, shared_.limits, shared_.clock, turn_start_us_, stream,
                                           std::move(request));
  if (at_once(shared_.queue, arrival)) {
    shared_.queue.charge(arrival.source, waiting->judge(shared_.judge, arrival.turn));
    answer(stream, check_response(waiting->result()));
    return;
  }
  call.waiting = waiting;
  call.ticket = push(shared_.queue, arrival, std::move(waiting));
}

void Session::answer_waiting(const Waiting& waiting) {
  const std::int32_t stream = waiting.pending().stream;
  const auto at = calls_.find(stream);
  if (at != calls_.end()) {
    const std::shared_ptr<Waiting> keep = std::exchange(at->second.waiting, nullptr);
    answer(stream, check_response(waiting.result()));
  }
  if (on_progress) on_progress();
}

void Session::answer(std::int32_t stream, std::string_view message) {
  const auto at = calls_.find(stream);
  if (at == calls_.end()) return;
  Call& call = at->second;
  call.response.assign(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8)
    call.response += static_cast<char>(message.size() >> static_cast<unsigned>(shift) & 0xff);
  call.response += message;
  const std::array head{field(":status", "200"), field("content-type", "application/grpc"),
                        field("grpc-accept-encoding", "identity")};
  nghttp2_data_provider provider{};
  provider.source.ptr = &call;  // a map's element stays where it is until its stream is closed
  provider.read_callback = Http2::read_response;
  nghttp2_submit_response(http2_.get(), stream, head.data(), head.size(), &provider);
}

void Session::refuse(std::int32_t stream, Malformed reason) {
  ++shared_.counters.malformed[static_cast<std::size_t>(reason)];
  if (reason == Malformed::kNotGrpc) {
    const nghttp2_nv status = field(":status", "415");
    nghttp2_submit_response(http2_.get(), stream, &status, 1, nullptr);
    return;
  }
  const std::array head{field(":status", "200"), field("content-type", "application/grpc"),
                        field("grpc-accept-encoding", "identity"), field("grpc-status", grpc_status(reason)),
                        field("grpc-message", grpc_message(reason))};
  nghttp2_submit_response(http2_.get(), stream, head.data(), head.size(), nullptr);
}

void Session::close_call(std::int32_t stream) {
  const auto at = calls_.find(stream);
  if (at == calls_.end()) return;
  Call& call = at->second;
  if (!call.whole) --receiving_;
  if (call.waiting != nullptr) {
    ++shared_.counters.cancelled;
    call.waiting->forget();
    shared_.queue.cancel(call.ticket);
  }
  calls_.erase(at);
}

}  // namespace wafd::ingest::envoy
