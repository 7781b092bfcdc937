#include "ingest/spop/spop_session.h"

#include <algorithm>

#include "detect/core/bytes.h"

namespace wafd::ingest::spop {
namespace {

constexpr std::size_t kOtherArgumentsBytes = 64 * 1024;  // of a payload, beside head and body
constexpr std::string_view kVersion = "2.0";
// Not `async`: an ACK leaves on the connection of its NOTIFY, which async permits; but HAProxy would keep
// the requests of a connection that broke until their timeout, in the hope of an ACK on another.
constexpr std::string_view kCapabilities = "pipelining,fragmentation";

std::string disconnect(std::uint32_t status) {
  std::string payload;
  append_text("status-code", payload);
  append_uint32_value(status, payload);
  append_text("message", payload);
  append_text_value(status_text(status), payload);
  return frame(kAgentDisconnect, 0, 0, payload);
}

// "2.0, 1.5": whether a version 2.x is among them.
bool has_version_2(std::string_view versions) noexcept {
  while (!versions.empty()) {
    const auto comma = versions.find(',');
    const std::string_view one = trim(versions.substr(0, comma));
    if (one == "2" || one.starts_with("2.")) return true;
    if (comma == std::string_view::npos) return false;
    versions.remove_prefix(comma + 1);
  }
  return false;
}

}  // namespace

struct Session::Pending {
  Pending(Ids of, Notified what) : ids(of), notified(std::move(what)) {}
  Answer judge(RequestJudge& judge, const IngestLimits& limits, const TimeLimit& limit) const {
    return Session::judge(notified, limits, limit, judge);
  }

  Ids ids;
  Notified notified;
};

Session::Session(const Shared& shared) : shared_(shared) {}

Session::~Session() {
  for (auto& [key, place] : waiting_) {
    place.waiting->forget();
    shared_.queue.cancel(place.ticket);
  }
}

tl::expected<void, Malformed> Session::on_bytes(std::string_view bytes, std::int64_t turn_start_us,
                                                std::string& out) {
  if (ended_) return {};
  if (wants_pause()) {
    backlog_.add(bytes, turn_start_us);
    return {};
  }
  const auto broken = [&](Malformed reason) {
    ++shared_.counters.malformed[static_cast<std::size_t>(reason)];
    out += disconnect(status_code(reason));
    ended_ = true;
    return tl::unexpected(reason);
  };
  while (!ended_) {
    if (wants_pause()) {
      backlog_.add(bytes, turn_start_us);
      return {};
    }
    const auto complete = reader_.next(bytes);
    if (!complete) return broken(complete.error());
    if (!*complete) return {};
    if (const auto taken = take(reader_.frame(), turn_start_us, out); !taken) return broken(taken.error());
  }
  return {};
}

tl::expected<void, Malformed> Session::take(const Frame& frame, std::int64_t turn_start_us,
                                            std::string& out) {
  if (!greeted_ && frame.type != kHaproxyHello) return tl::unexpected(Malformed::kInvalidFrame);
  switch (frame.type) {
    case kHaproxyHello:
      return take_hello(frame, out);
    case kHaproxyDisconnect:
      take_disconnect(frame, out);
      return {};
    case kNotify:
      if (fragments_) return tl::unexpected(Malformed::kInterlaced);
      if (frame.fin()) {
        if (!frame.aborts())
          return take_notify({frame.stream_id, frame.frame_id}, frame.payload, false, turn_start_us, out);
        ++shared_.counters.aborted;
        return {};
      }
      fragments_ = Fragments{{frame.stream_id, frame.frame_id}, {}, false};
      return take_fragment(frame, turn_start_us, out);
    case kUnset:
      if (fragments_) return take_fragment(frame, turn_start_us, out);
      break;
    default:
      if (fragments_) return tl::unexpected(Malformed::kInterlaced);
  }
  ++shared_.counters.unknown_frames;
  return {};
}

tl::expected<void, Malformed> Session::take_hello(const Frame& frame, std::string& out) {
  if (greeted_ || !frame.fin()) return tl::unexpected(Malformed::kInvalidFrame);
  std::optional<std::string_view> versions;
  std::optional<std::uint64_t> frame_bytes;
  bool capabilities = false, healthcheck = false;
  PayloadReader in(frame.payload);
  while (!in.empty()) {
    const auto name = in.text();
    const auto value = name ? in.value() : std::nullopt;
    if (!value) return tl::unexpected(Malformed::kInvalidFrame);
    const auto* text = std::get_if<std::string_view>(&*value);
    if (*name == "supported-versions" && text != nullptr) versions = *text;
    if (*name == "capabilities" && text != nullptr) capabilities = true;
    if (const auto* number = std::get_if<std::uint64_t>(&*value);
        *name == "max-frame-size" && number != nullptr)
      frame_bytes = *number;
    if (const auto* flag = std::get_if<bool>(&*value); *name == "healthcheck" && flag != nullptr)
      healthcheck = *flag;
  }
  if (!versions) return tl::unexpected(Malformed::kNoVersion);
  if (!frame_bytes) return tl::unexpected(Malformed::kNoFrameSize);
  if (!capabilities) return tl::unexpected(Malformed::kNoCapabilities);
  if (!has_version_2(*versions)) return tl::unexpected(Malformed::kBadVersion);
  if (*frame_bytes < kMinFrameBytes) return tl::unexpected(Malformed::kBadFrameSize);
  greeted_ = true;
  peer_frame_bytes_ = *frame_bytes;
  frame_bytes_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(*frame_bytes, kMaxFrameBytes));
  reader_.set_max_frame_bytes(frame_bytes_);

  std::string payload;
  append_text("version", payload);
  append_text_value(kVersion, payload);
  append_text("max-frame-size", payload);
  append_uint32_value(frame_bytes_, payload);
  append_text("capabilities", payload);
  append_text_value(kCapabilities, payload);
  out += spop::frame(kAgentHello, 0, 0, payload);
  if (healthcheck) {
    ++shared_.counters.healthchecks;
    ended_ = true;
  }
  return {};
}

// Waiting requests are judged all the same; their answers are dropped.
void Session::take_disconnect(const Frame& frame, std::string& out) {
  PayloadReader in(frame.payload);
  while (!in.empty()) {
    const auto name = in.text();
    const auto value = name ? in.value() : std::nullopt;
    if (!value) break;
    const auto* status = std::get_if<std::uint64_t>(&*value);
    if (*name == "status-code" && status != nullptr && *status != 0) ++shared_.counters.peer_errors;
  }
  out += disconnect(0);
  ended_ = true;
}

tl::expected<void, Malformed> Session::take_fragment(const Frame& frame, std::int64_t turn_start_us,
                                                     std::string& out) {
  if (fragments_->ids != Ids{frame.stream_id, frame.frame_id}) return tl::unexpected(Malformed::kInterlaced);
  if (frame.aborts()) {
    ++shared_.counters.aborted;
    fragments_.reset();
    return {};
  }
  const std::size_t most =
      shared_.limits.max_head_bytes + shared_.limits.max_body_bytes + kOtherArgumentsBytes;
  const std::string_view part = frame.payload.substr(0, most - fragments_->payload.size());
  fragments_->payload.append(part);
  fragments_->cut = fragments_->cut || part.size() < frame.payload.size();
  if (!frame.fin()) return {};
  const Fragments whole = std::move(*fragments_);
  fragments_.reset();
  return take_notify(whole.ids, whole.payload, whole.cut, turn_start_us, out);
}

tl::expected<void, Malformed> Session::take_notify(Ids ids, std::string_view payload, bool cut,
                                                   std::int64_t turn_start_us, std::string& out) {
  auto read = read_notify(payload, cut, peer_frame_bytes_, shared_.limits);
  if (!read) return tl::unexpected(read.error());
  ++messages_;
  Counters& counters = shared_.counters;
  counters.other += read->others;
  if (!read->has_request) {
    append_ack(ids, {}, nullptr, out);
    return {};
  }
  ++counters.requests;
  counters.heads_cut += read->head_cut;
  counters.bodies_cut += read->body_cut;
  read->request.end_time_us = shared_.clock.unix_us();
  counters.bodies.count(read->request.view());

  const Arrival arrival =
      arrival_of(read->request.view(), this, turn_start_us, shared_.queue, shared_.clock, shared_.limits);
  if (at_once(shared_.queue, arrival)) {
    const TimeLimit limit =
        time_limit(shared_.limits, arrival.turn, turn_start_us, shared_.clock.monotonic_us());
    const Answer answer = judge(*read, shared_.limits, limit, shared_.judge);
    shared_.queue.charge(arrival.source, shared_.judge.work_units());
    append_ack(ids, read->id, &answer, out);
    return {};
  }
  auto waiting =
      std::make_shared<Waiting>(*this, shared_.limits, shared_.clock, turn_start_us, ids, std::move(*read));
  Place& place = waiting_[waiting.get()];
  place.waiting = waiting;
  place.ticket = push(shared_.queue, arrival, std::move(waiting));
  return {};
}

Answer Session::judge(const Notified& notified, const IngestLimits& limits, const TimeLimit& limit,
                      RequestJudge& judge) {
  judge.named(notified.id);
  return judge.judge(notified.request.view(),
                     limits.enforcing ? Enforcement::kInline : Enforcement::kNotEnforcing, limit);
}

void Session::append_ack(Ids ids, std::string_view id, const Answer* answer, std::string& out) const {
  std::string actions;
  if (answer != nullptr) {
    const bool blocked = answer->action == Action::kDeny;
    const std::string event_id = blocked || answer->recorded ? answer->event_id.text() : std::string();
    append_set_text("action", blocked ? "deny" : "allow", actions);
    if (!event_id.empty()) append_set_text("event_id", event_id, actions);
    if (const std::string_view shown = event_id.empty() ? id : event_id;
        !shown.empty() && shown.size() < kMinFrameBytes / 2)
      append_set_text("id", shown, actions);
    if (blocked) {
      append_set_number("status", answer->block_status, actions);
      BlockPage page = block_page(*answer);
      constexpr std::size_t kAround = 128;  // of the frame, beside its actions
      if (actions.size() + page.body.size() + page.type.size() + kAround > frame_bytes_)
        page = {"application/json", block_json(answer->event_id, answer->block_status)};
      if (actions.size() + page.body.size() + page.type.size() + kAround <= frame_bytes_) {
        append_set_text("content_type", page.type, actions);
        append_set_text("body", page.body, actions);
      }
    }
  }
  out += frame(kAck, ids.first, ids.second, actions);
}

void Session::answer_waiting(const Waiting& waiting) {
  const bool paused = wants_pause();
  append_ack(waiting.pending().ids, waiting.pending().notified.id, &waiting.result(), output_);
  waiting_.erase(&waiting);  // its queue still holds it
  if (paused && !backlog_.empty()) {
    const std::string backlog = backlog_.take();
    const auto read = on_bytes(backlog, backlog_.turn_start_us(), output_);
    if (!read) broken_ = read.error();
  }
  if (on_progress) on_progress();
}

tl::expected<void, Malformed> Session::take_output(std::string& out) {
  out += std::exchange(output_, {});
  if (broken_) return tl::unexpected(*broken_);
  return {};
}

}  // namespace wafd::ingest::spop
