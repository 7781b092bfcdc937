#include "ingest/t1k/t1k.h"

#include <algorithm>

#include "detect/core/bytes.h"

namespace wafd::ingest::t1k {
namespace {

void append_section(std::string& out, unsigned flags, Tag tag, std::string_view data) {
  out += static_cast<char>(flags | tag);
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(data.size() >> shift & 0xff);
  out += data;
}

// Hundreds of pooled connections idle for long; none of them keeps the room of its largest body.
constexpr std::size_t kKeptCapacity = 64 * 1024;

void reset(Section& section) noexcept {
  section.data.clear();
  if (section.data.capacity() > kKeptCapacity) section.data.shrink_to_fit();
  section.length = 0;
  section.present = false;
}

}  // namespace

const char* to_string(Malformed reason) noexcept {
  switch (reason) {
    case Malformed::kNoFirst:
      return "no_first";
    case Malformed::kSecondFirst:
      return "second_first";
    case Malformed::kTooManySections:
      return "too_many_sections";
  }
  return "no_first";
}

MessageKind Message::kind() const noexcept {
  if (rsp_head.present || rsp_body.present || rsp_extra.present) return MessageKind::kReport;
  if (head.present) return MessageKind::kRequest;
  const bool bare = !other_tags && !body.present && !extra.present && !version.present && !context.present;
  return bare ? MessageKind::kHeartbeat : MessageKind::kOther;
}

void Message::clear() noexcept {
  for (Section* section : {&head, &body, &extra, &version, &context, &rsp_head, &rsp_body, &rsp_extra})
    reset(*section);
  other_tags = false;
}

tl::expected<void, Malformed> MessageReader::begin_section() {
  const bool first = (header_[0] & kFirst) != 0;
  if (sections_ == 0 && !first) return tl::unexpected(Malformed::kNoFirst);
  if (sections_ != 0 && first) return tl::unexpected(Malformed::kSecondFirst);
  if (++sections_ > kMaxSections) return tl::unexpected(Malformed::kTooManySections);
  last_ = (header_[0] & kLast) != 0;
  left_ = static_cast<std::uint32_t>(header_[1]) | static_cast<std::uint32_t>(header_[2]) << 8 |
          static_cast<std::uint32_t>(header_[3]) << 16 | static_cast<std::uint32_t>(header_[4]) << 24;
  room_ = limits_.max_meta_bytes;
  switch (header_[0] & kTagMask) {
    case kNone:
      into_ = nullptr;
      break;
    case kHead:
      into_ = &message_.head, room_ = limits_.max_head_bytes;
      break;
    case kBody:
      into_ = &message_.body, room_ = limits_.max_body_bytes;
      break;
    case kExtra:
      into_ = &message_.extra;
      break;
    case kVersion:
      into_ = &message_.version;
      break;
    case kContext:
      into_ = &message_.context;
      break;
    case kRspHead:
      into_ = &message_.rsp_head;
      break;
    case kRspBody:
      into_ = &message_.rsp_body;
      break;
    case kRspExtra:
      into_ = &message_.rsp_extra;
      break;
    default:
      into_ = nullptr, message_.other_tags = true;
      break;
  }
  if (into_ != nullptr) {
    reset(*into_);
    into_->present = true;
    into_->length = left_;
  }
  in_section_ = true;
  return {};
}

tl::expected<bool, Malformed> MessageReader::next(std::string_view& bytes) {
  if (complete_) {
    message_.clear();
    sections_ = 0;
    complete_ = false;
  }
  while (true) {
    if (!in_section_) {
      const auto n = std::min(bytes.size(), kSectionHeaderBytes - header_used_);
      std::transform(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n),
                     header_.begin() + static_cast<std::ptrdiff_t>(header_used_),
                     [](char c) { return byte(c); });
      header_used_ += n;
      bytes.remove_prefix(n);
      // A wrong first byte is told at once: the length behind it may never come.
      if (header_used_ != 0 && sections_ == 0 && (header_[0] & kFirst) == 0)
        return tl::unexpected(Malformed::kNoFirst);
      if (header_used_ < kSectionHeaderBytes) return false;
      if (auto begun = begin_section(); !begun) return tl::unexpected(begun.error());
      header_used_ = 0;
    }
    const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), left_));
    if (into_ != nullptr)
      into_->data.append(bytes.substr(0, std::min<std::size_t>(n, room_ - into_->data.size())));
    bytes.remove_prefix(n);
    left_ -= n;
    if (left_ != 0) return false;
    in_section_ = false;
    if (last_) {
      complete_ = true;
      return true;
    }
  }
}

std::string pass_answer(std::string_view context) {
  std::string out;
  append_section(out, context.empty() ? kFirst | kLast : kFirst, kHead, ".");
  if (!context.empty()) append_section(out, kLast, kContext, context);
  return out;
}

std::string block_answer(const EventId& id, std::string_view context, std::int64_t status) {
  std::string out;
  out.reserve(160);
  append_section(out, kFirst, kHead, "?");
  append_section(out, 0, kBody, std::to_string(status));
  if (!context.empty()) append_section(out, 0, kContext, context);
  append_section(out, kLast, kExtraBody, "<!-- event_id: " + id.text() + " -->");
  return out;
}

std::string heartbeat_answer() {
  std::string out;
  append_section(out, kFirst | kLast, kNone, {});
  return out;
}

}  // namespace wafd::ingest::t1k
