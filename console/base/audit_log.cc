#include "console/base/audit_log.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "console/base/secrets.h"
#include "detect/core/bytes.h"
#include "files/small_file.h"

namespace wafd::console {
namespace {

tl::unexpected<Error> io_error(std::string_view what, const std::string& path) {
  return fail(ErrorCode::kIo, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

// The sequence of a line; 0 if it is none of ours.
std::uint64_t seq_of(std::string_view line) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse({line.data(), line.size()}, error);
  if (error || !value.is_object()) return 0;
  const boost::json::value* seq = value.get_object().if_contains("seq");
  return seq != nullptr && seq->is_int64() && seq->get_int64() > 0
             ? static_cast<std::uint64_t>(seq->get_int64())
             : 0;
}

constexpr std::string_view kChainMember = R"(,"chain":")";
constexpr std::size_t kChainEnd = kChainMember.size() + 64 + 2;  // with the digest, `"` and `}`

// The chain at the end of a line; empty: there is none.
std::string_view chain_of(std::string_view line) {
  if (line.size() < kChainEnd || line.substr(line.size() - kChainEnd, kChainMember.size()) != kChainMember)
    return {};
  return line.substr(line.size() - 66, 64);
}

std::string chain_after(std::string_view before, std::string_view line_without) {
  return sha256_hex(std::string(before) + '\n' + std::string(line_without));
}

int open_file(const std::string& path, bool writes, int flags) {
  if (!writes) return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (descriptor >= 0) give_to_folder_owner(descriptor, path);
  return descriptor;
}

// Whether `text` stands in what an entry says, in any case; its link of the chain is no part of that.
bool holds(std::string_view line, std::string_view text) {
  return text.empty() || ifind(line.substr(0, line.rfind(kChainMember)), text) != std::string_view::npos;
}

}  // namespace

Result<AuditLog> AuditLog::open(const std::string& state_dir) { return open_as(state_dir, true); }

Result<AuditLog> AuditLog::open_to_read(const std::string& state_dir) { return open_as(state_dir, false); }

Result<AuditLog> AuditLog::open_as(const std::string& state_dir, bool writes) {
  const std::string path = state_dir + "/audit.log";
  const int descriptor = open_file(path, writes, O_APPEND);
  if (descriptor < 0) return io_error("open", path);
  AuditLog log(path, descriptor, writes);
  const std::string head_path = state_dir + "/audit.head";
  const int head = open_file(head_path, writes, 0);
  if (head < 0 && writes) return io_error("open", head_path);
  log.head_file_ = AuditHead(head);
  // Before the lines: a daemon that writes meanwhile writes the line first.
  log.head_ = log.head_file_.read();
  // Right after a move the present file is empty: numbers go on where the one before ended.
  std::optional<std::uint64_t> first;  // of all lines that are kept; 0: what is there is none
  if (auto before = read_file(path + ".1", kMaxAuditBytes * 2)) {
    std::string_view text = *before;
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    const std::size_t line = text.rfind('\n');
    const std::string_view last = line == std::string_view::npos ? text : text.substr(line + 1);
    log.next_seq_ = seq_of(last) + 1;
    log.chain_ = chain_of(last);
    first = seq_of(text.substr(0, text.find('\n')));
    log.see_head_in(*before);
  }
  log.see_head(log.next_seq_ - 1);
  if (auto indexed = log.index(); !indexed) return tl::unexpected(indexed.error());
  if (!first && !log.lines_.empty()) first = log.lines_.front().seq;
  log.check_head(first.value_or(0));
  return log;
}

AuditLog::AuditLog(AuditLog&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      head_file_(std::move(other.head_file_)),
      writes_(other.writes_),
      size_(other.size_),
      rest_(other.rest_),
      trouble_(std::move(other.trouble_)),
      next_seq_(other.next_seq_),
      chain_(std::move(other.chain_)),
      damage_(std::move(other.damage_)),
      head_(std::move(other.head_)),
      head_seen_(other.head_seen_),
      lines_(std::move(other.lines_)) {}

void AuditLog::check(std::string_view line, std::uint64_t seq) {
  const std::string_view chain = chain_of(line);
  std::string without(line.substr(0, line.size() - (chain.empty() ? 0 : kChainEnd)));
  if (!chain.empty()) without += '}';
  // The first line of all, and the first behind lines of a version without chain, begin one.
  const bool good = chain.empty() ? chain_.empty() : chain == chain_after(chain_, without);
  if (!good && damage_.empty())
    damage_ = fmt::format("{}: entry {} was changed, or entries before it were", path_, seq);
  chain_ = chain;
  see_head(seq);
}

void AuditLog::see_head(std::uint64_t seq) {
  if (head_ && head_->seq == seq && head_->chain == chain_) head_seen_ = true;
}

// The same for every line of the file before. A text within a line has no quotes but escaped ones.
void AuditLog::see_head_in(std::string_view lines) {
  if (!head_ || head_->chain.empty()) return;
  const std::size_t at = lines.find(fmt::format("{}{}\"}}\n", kChainMember, head_->chain));
  if (at == std::string_view::npos) return;
  const std::size_t before = lines.rfind('\n', at);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  if (seq_of(lines.substr(begin, lines.find('\n', at) - begin)) == head_->seq) head_seen_ = true;
}

// Lines behind the head are those of a crash between the two writes, or of a head that could not be written.
void AuditLog::check_head(std::uint64_t first) {
  const std::uint64_t last = next_seq_ - 1;
  if (head_seen_ || (!head_ && chain_.empty())) return;
  if (damage_.empty()) {
    if (!head_ || head_->seq < first) {  // nothing that is kept can be compared with it
      damage_ = fmt::format(
          "{}: audit.head is missing or damaged, so whether entries behind {} were cut off is not known",
          path_, last);
    } else if (head_->seq > last) {
      damage_ = fmt::format("{}: entries {} to {} at its end are missing", path_, last + 1, head_->seq);
    } else {
      damage_ =
          fmt::format("{}: entry {} was changed: audit.head has another chain of it", path_, head_->seq);
    }
  }
  if (!head_ || head_->seq <= last) return;
  // Numbers and chain go on where they ended, so that the gap shows for ever.
  next_seq_ = head_->seq + 1;
  chain_ = head_->chain;
}

AuditLog::~AuditLog() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> AuditLog::index() {
  std::string rest;
  std::string block(1u << 16, '\0');
  std::uint64_t at = 0;  // of `rest`
  for (;;) {
    const ssize_t got = ::pread(descriptor_, block.data(), block.size(), static_cast<off_t>(size_));
    if (got < 0) return io_error("read", path_);
    if (got == 0) break;
    rest.append(block.data(), static_cast<std::size_t>(got));
    size_ += static_cast<std::uint64_t>(got);
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::uint64_t seq = seq_of(std::string_view(rest).substr(begin, end - begin));
      if (seq < next_seq_) {
        if (end > begin && damage_.empty())
          damage_ = fmt::format("{}: what stands behind entry {} is no entry", path_, next_seq_ - 1);
        continue;
      }
      check(std::string_view(rest).substr(begin, end - begin), seq);
      lines_.push_back({seq, at + begin, static_cast<std::uint32_t>(end - begin)});
      next_seq_ = seq + 1;
    }
    at += begin;
    rest.erase(0, begin);
  }
  size_ = at;
  rest_ = !rest.empty();
  // A disk that takes no change now may take one when there is something to write.
  if (writes_) (void)take_rest_away();
  return {};
}

Result<void> AuditLog::take_rest_away() {
  if (!rest_) return {};
  if (::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) return io_error("cut", path_);
  rest_ = false;
  return {};
}

Result<void> AuditLog::rotate() {
  // Not there: it was moved before, and the next one could not be made.
  if (std::rename(path_.c_str(), (path_ + ".1").c_str()) != 0 && errno != ENOENT)
    return io_error("rename", path_);
  const int fresh = open_file(path_, true, O_APPEND);
  if (fresh < 0) return io_error("open", path_);
  ::close(descriptor_);
  descriptor_ = fresh;
  size_ = 0;
  lines_.clear();
  return {};
}

// O_APPEND and one write make it one piece for those who read meanwhile.
Result<void> AuditLog::write_line(std::string_view line) {
  if (auto cut = take_rest_away(); !cut) return cut;
  errno = ENOSPC;  // of a write that took a part and says nothing
  const bool whole = ::write(descriptor_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (whole && ::fdatasync(descriptor_) == 0) return {};
  auto error = io_error(whole ? "sync" : "write", path_);
  rest_ = true;
  (void)take_rest_away();
  return error;
}

Result<std::string> AuditLog::append(const AuditEntry& entry) {
  trouble_.clear();
  if (size_ >= kMaxAuditBytes) {
    if (auto rotated = rotate(); !rotated) {
      if (size_ >= 2 * kMaxAuditBytes) return tl::unexpected(rotated.error());
      trouble_ = rotated.error().what;
    }
  }
  boost::json::object object;
  object["seq"] = next_seq_;
  object["time_ms"] = entry.time_ms;
  object["user"] = entry.user;
  object["via"] = entry.via;
  object["address"] = entry.address;
  object["action"] = entry.action;
  object["object"] = entry.object;
  object["detail"] = entry.detail;
  std::string line = boost::json::serialize(object);
  const std::string chain = chain_after(chain_, line);
  line.pop_back();
  line += fmt::format("{}{}\"}}", kChainMember, chain);
  if (auto written = write_line(line + '\n'); !written) return tl::unexpected(written.error());
  lines_.push_back({next_seq_, size_, static_cast<std::uint32_t>(line.size())});
  size_ += line.size() + 1;
  ++next_seq_;
  chain_ = chain;
  // The head is then one behind, as after a crash between the two.
  if (auto written = head_file_.write({next_seq_ - 1, chain_}); !written) trouble_ = written.error().what;
  return line;
}

std::optional<std::string> AuditLog::read_line(const Line& at) const {
  std::string line(at.length, '\0');
  if (::pread(descriptor_, line.data(), line.size(), static_cast<off_t>(at.offset)) !=
      static_cast<ssize_t>(line.size()))
    return std::nullopt;
  return line;
}

AuditLog::Page AuditLog::read(std::size_t limit, std::optional<std::uint64_t> before,
                              std::string_view text) const {
  auto end = before ? std::lower_bound(lines_.begin(), lines_.end(), *before,
                                       [](const Line& line, std::uint64_t seq) { return line.seq < seq; })
                    : lines_.end();
  Page page;
  for (std::size_t looked = 0;
       end != lines_.begin() && page.entries.size() < limit && looked < kMaxAuditLooked; ++looked) {
    --end;
    if (auto line = read_line(*end); line && holds(*line, text)) page.entries.push_back(std::move(*line));
  }
  if (end != lines_.begin()) page.before = end->seq;
  return page;
}

std::vector<std::pair<std::uint64_t, std::string>> AuditLog::behind(std::uint64_t seq,
                                                                    std::size_t limit) const {
  auto at = std::upper_bound(lines_.begin(), lines_.end(), seq,
                             [](std::uint64_t before, const Line& line) { return before < line.seq; });
  std::vector<std::pair<std::uint64_t, std::string>> out;
  out.reserve(std::min(limit, static_cast<std::size_t>(lines_.end() - at)));
  for (; at != lines_.end() && out.size() < limit; ++at) {
    auto line = read_line(*at);
    if (!line) break;
    out.emplace_back(at->seq, std::move(*line));
  }
  return out;
}

}  // namespace wafd::console
