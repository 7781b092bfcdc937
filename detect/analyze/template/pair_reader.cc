#include "detect/analyze/template/pair_reader.h"

#include <algorithm>

#include "detect/analyze/template/delimiters.tsv.h"
#include "detect/core/bytes.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::templates {
namespace {

// How far behind a closing delimiter in a string the string's end is looked for.
constexpr std::size_t kMaxStringTail = 64;

enum ByteUse : unsigned char { kOpens = 1, kCloses = 2, kQuotes = 4 };
constexpr std::array<unsigned char, 256> kBytes = [] {
  std::array<unsigned char, 256> bytes{};
  for (const PairRow& row : kPairs) {
    bytes[byte(row.open[0])] |= kOpens;
    bytes[byte(row.close[0])] |= kCloses;
  }
  for (const char c : std::string_view("([")) bytes[byte(c)] |= kOpens;
  for (const char c : std::string_view("'\"")) bytes[byte(c)] |= kQuotes;
  return bytes;
}();

constexpr char closing(char open) noexcept { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

}  // namespace

const PairRow* PairReader::opener_at(std::size_t at) const noexcept {
  // TeX and shells write \{ for the sign itself.
  if (text_[at] == '{' && at > 0 && text_[at - 1] == '\\') return nullptr;
  const std::string_view rest = text_.substr(at, 3);
  for (const PairRow& row : kPairs) {
    if (row.open[0] == rest[0] && rest.starts_with(row.open)) return &row;
  }
  return nullptr;
}

// A delimiter, or a bracket that the delimiter of the pair at hand could be taken for.
bool PairReader::open(std::size_t at) {
  const char c = text_[at];
  Frame frame;
  frame.begin = at;
  const PairRow* row = opener_at(at);
  const bool inside = depth_ > 0 && top().kind != Pair::kSingle;
  if (inside && top().quote != '\0' && (row == nullptr || row->kind == Pair::kSingle)) return false;
  if (row != nullptr) {
    frame.kind = row->kind;
    frame.inner = at + row->open.size();
    frame.close = row->close;
  }
  const bool bracket = inside && (c == '(' || c == '[' || c == '{') &&
                       (row == nullptr || row->kind == Pair::kSingle || c != '{') &&
                       top().close.find(closing(c)) != std::string_view::npos;
  if (bracket) {
    frame.kind = top().kind;
    frame.inherited = true;
    frame.inner = at + 1;
    static constexpr std::string_view kClosing = ")]}";
    frame.close = kClosing.substr(kClosing.find(closing(c)), 1);
  } else if (row == nullptr) {
    return false;
  }
  frame.groups = groups_.size();
  if (depth_ == kMaxDepth) {
    std::move(frames_.begin() + 1, frames_.end(), frames_.begin());
    --depth_;
  }
  frames_[depth_++] = frame;
  at_ = frame.inner;
  return true;
}

// {{ "}}" }}: the delimiter is text of a string that ends behind it.
bool PairReader::in_string(const Frame& frame, std::size_t at) const noexcept {
  if (frame.quote == '\0') return false;
  count_steps(40);
  const std::string_view tail = text_.substr(at, kMaxStringTail);
  const std::size_t end = tail.find(frame.quote);
  return end != std::string_view::npos && tail.find(frame.close, end) != std::string_view::npos;
}

bool PairReader::close(std::size_t at, Between& out) {
  const std::string_view rest = text_.substr(at, 3);
  for (std::size_t depth = depth_; depth > 0; --depth) {
    count_steps(8);
    const Frame& frame = frames_[depth - 1];
    if (in_string(frame, at)) return false;
    if (frame.close[0] != rest[0] || !rest.starts_with(frame.close)) continue;
    out.kind = frame.kind;
    out.curly = frame.close == "}}";
    out.begin = frame.begin;
    out.inner_begin = frame.inner;
    out.inner_end = at;
    out.end = at + frame.close.size();
    out.groups = std::span(groups_).subspan(std::min(frame.groups, groups_.size()));
    given_ = {out.begin, out.end};
    drop_ = true;
    drop_from_ = std::min(frame.groups, groups_.size());
    depth_ = depth - 1;
    at_ = out.end;
    return true;
  }
  return false;
}

void PairReader::follow_quotes(std::size_t at) noexcept {
  if (depth_ == 0 || top().kind == Pair::kSingle) return;
  char& quote = top().quote;
  if (quote == '\0')
    quote = text_[at];
  else if (quote == text_[at])
    quote = '\0';
}

bool PairReader::next(Between& out) {
  if (drop_) {
    groups_.resize(drop_from_);
    if (depth_ > 0) groups_.push_back(given_);
    drop_ = false;
  }
  while (at_ < text_.size()) {
    const unsigned char use = kBytes[byte(text_[at_])];
    if (use == 0) {
      ++at_;
      continue;
    }
    if ((use & kQuotes) != 0) follow_quotes(at_);
    if ((use & kCloses) != 0 && depth_ > 0 && close(at_, out)) return true;
    if ((use & kOpens) != 0 && open(at_)) continue;
    ++at_;
  }
  return false;
}

}  // namespace wafd::detect::templates
