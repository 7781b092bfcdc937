#include "forward/protocol/relp_frame.h"

#include <fmt/format.h>

#include "detect/core/bytes.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kMaxDigits = 9;
constexpr std::size_t kMaxCommand = 32;

}  // namespace

void append_relp_begin(std::uint32_t txnr, std::string_view command, std::size_t size, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{} {} {}", txnr, command, size);
  if (size != 0) out += ' ';
}

void append_relp_frame(std::uint32_t txnr, std::string_view command, std::string_view data,
                       std::string_view more, std::string& out) {
  append_relp_begin(txnr, command, data.size() + more.size(), out);
  out.append(data).append(more).append(1, '\n');
}

void RelpFrameReader::feed(std::string_view bytes) {
  if (!error_.empty()) return;
  buffer_.erase(0, at_);  // what next() gave is read by now
  at_ = 0;
  buffer_.append(bytes);
}

bool RelpFrameReader::fail(std::string_view what) {
  error_ = what;
  buffer_.clear();
  at_ = looked_at_ = 0;
  return false;
}

// One byte of TXNR, COMMAND or DATALEN, or the one that ends it.
bool RelpFrameReader::header_byte(char c) {
  if (part_ == Part::kCommand) {
    if (is_alpha(c)) return ++length_ <= kMaxCommand || fail("expected a command of at most 32 letters");
    if (c != ' ' || length_ == 0) return fail("expected a command of letters and a space");
    command_size_ = length_;
    part_ = Part::kLength;
  } else {
    if (is_digit(c)) {
      number_ = number_ * 10 + static_cast<std::uint32_t>(c - '0');
      return ++length_ <= kMaxDigits || fail("expected a number of at most 9 digits");
    }
    if (length_ == 0) return fail("expected a number");
    if (part_ == Part::kTxnr) {
      if (c != ' ') return fail("expected a space behind the transaction number");
      txnr_ = number_;
      command_at_ = looked_at_;
      part_ = Part::kCommand;
    } else {
      if (c != ' ' && !(c == '\n' && number_ == 0)) return fail("expected a space behind the data's length");
      if (number_ > max_data_) return fail("expected less data");
      spaced_ = c == ' ';
      part_ = Part::kData;
      length_ = number_;
      number_ = 0;
      return true;
    }
  }
  length_ = number_ = 0;
  return true;
}

bool RelpFrameReader::next(RelpFrame& frame) {
  while (error_.empty()) {
    const std::size_t left = buffer_.size() - at_ - looked_at_;
    if (part_ != Part::kData) {
      if (left == 0) return false;
      const char c = buffer_[at_ + looked_at_++];
      if (!header_byte(c)) return false;
      continue;
    }
    const std::size_t rest = spaced_ ? length_ + 1 : 0;  // data and LF
    if (left < rest) return false;
    const std::string_view whole = std::string_view(buffer_).substr(at_);
    if (spaced_ && whole[looked_at_ + length_] != '\n') return fail("expected a line feed behind the data");
    frame = {txnr_, whole.substr(command_at_, command_size_), whole.substr(looked_at_, length_)};
    at_ += looked_at_ + rest;
    looked_at_ = length_ = 0;
    part_ = Part::kTxnr;
    return true;
  }
  return false;
}

RelpAnswer relp_answer(std::string_view data) noexcept {
  RelpAnswer answer;
  const std::size_t end = std::min(data.find('\n'), data.size());
  const std::string_view line = data.substr(0, end);
  answer.data = data.substr(std::min(end + 1, data.size()));
  if (line.size() < 3 || (line.size() > 3 && line[3] != ' ')) return answer;
  for (const char c : line.substr(0, 3)) {
    if (!is_digit(c)) return {0, answer.data};
    answer.status = answer.status * 10 + (c - '0');
  }
  return answer;
}

bool relp_offers(std::string_view offers, std::string_view name, std::string_view value) noexcept {
  while (!offers.empty()) {
    const std::size_t end = std::min(offers.find('\n'), offers.size());
    std::string_view line = offers.substr(0, end);
    offers.remove_prefix(std::min(end + 1, offers.size()));
    const std::size_t equals = std::min(line.find('='), line.size());
    if (line.substr(0, equals) != name) continue;
    if (value.empty()) return true;
    for (line.remove_prefix(equals); !line.empty();) {
      line.remove_prefix(1);  // '=' or ','
      const std::size_t comma = std::min(line.find(','), line.size());
      if (line.substr(0, comma) == value) return true;
      line.remove_prefix(comma);
    }
  }
  return false;
}

}  // namespace wafd::forward
