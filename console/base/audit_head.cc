#include "console/base/audit_head.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "console/base/secrets.h"
#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

constexpr std::size_t kDigits = 20;
constexpr std::size_t kHexBytes = 64;
constexpr std::size_t kLineBytes = kDigits + 1 + kHexBytes + 1;
constexpr std::size_t kSlotBytes = kLineBytes + kHexBytes + 1;

off_t offset_of(int which) { return which == 0 ? 0 : static_cast<off_t>(kAuditSlotBytes); }

}  // namespace

std::string audit_slot(const AuditPlace& place) {
  const std::string line = fmt::format("{:0{}} {:>{}}\n", place.seq, kDigits, place.chain, kHexBytes);
  return line + sha256_hex(line) + '\n';
}

std::optional<AuditPlace> read_audit_slot(std::string_view bytes, bool with_checksum) {
  if (bytes.size() < kLineBytes || bytes[kDigits] != ' ' || bytes[kLineBytes - 1] != '\n')
    return std::nullopt;
  const std::string_view line = bytes.substr(0, kLineBytes);
  const std::string_view behind = bytes.substr(kLineBytes, kHexBytes + 1);
  const bool none = behind.find_first_not_of('\0') == std::string_view::npos;
  if ((none && with_checksum) || (!none && behind != sha256_hex(line) + '\n')) return std::nullopt;
  AuditPlace place;
  for (const char digit : line.substr(0, kDigits)) {
    const auto value = static_cast<std::uint64_t>(digit - '0');
    if (!is_digit(digit) || place.seq > (UINT64_MAX - value) / 10) return std::nullopt;
    place.seq = place.seq * 10 + value;
  }
  place.chain = trim(line.substr(kDigits + 1, kHexBytes));
  return place;
}

AuditHead::AuditHead(AuditHead&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), next_(other.next_) {}

AuditHead& AuditHead::operator=(AuditHead&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(next_, other.next_);
  return *this;
}

AuditHead::~AuditHead() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string AuditHead::slot(int which) const {
  std::string bytes(kSlotBytes, '\0');
  const ssize_t got =
      descriptor_ < 0 ? -1 : ::pread(descriptor_, bytes.data(), bytes.size(), offset_of(which));
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

std::optional<AuditPlace> AuditHead::read() {
  auto second = read_audit_slot(slot(1), true);
  auto first = read_audit_slot(slot(0), second.has_value());
  const bool second_counts = second && (!first || second->seq > first->seq);
  next_ = second_counts || !first ? 0 : 1;
  return second_counts ? second : first;
}

Result<void> AuditHead::write(const AuditPlace& place) {
  const std::string bytes = audit_slot(place);
  errno = ENOSPC;  // of a write that took a part and says nothing
  if (::pwrite(descriptor_, bytes.data(), bytes.size(), offset_of(next_)) !=
          static_cast<ssize_t>(bytes.size()) ||
      ::fdatasync(descriptor_) != 0)
    return fail(ErrorCode::kIo, fmt::format("cannot write audit.head: {}", std::strerror(errno)));
  next_ = 1 - next_;
  return {};
}

}  // namespace wafd::console
