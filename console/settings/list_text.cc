#include "console/settings/list_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "console/base/csv.h"
#include "console/settings/policy_json.h"

namespace wafd::console {
namespace {

constexpr std::array<std::string_view, 4> kColumns = {"kind", "cidr", "expires_s", "comment"};
constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text, std::string_view of = kBlank) noexcept {
  const std::size_t begin = text.find_first_not_of(of);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

bool is_remark(std::string_view line) noexcept {
  const std::string_view text = trimmed(line);
  return text.empty() || text.front() == '#' || text.front() == ';';
}

// The wrong lines of a text, as many as an error names.
class WrongLines {
 public:
  void add(std::size_t line, std::string_view what) {
    if (count_++ >= kMaxWrongLines) return;
    if (!text_.empty()) text_ += "; ";
    text_ += fmt::format("line {}: {}", line, what);
  }
  bool any() const noexcept { return count_ > 0; }
  std::string text() const {
    return count_ > kMaxWrongLines ? fmt::format("{}; and {} more lines", text_, count_ - kMaxWrongLines)
                                   : text_;
  }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

boost::json::object object_of(const ListDefaults& defaults) {
  return {
      {"kind", to_string(defaults.kind)}, {"comment", defaults.comment}, {"expires_s", defaults.expires_s}};
}

void read_entry(const boost::json::object& object, std::size_t line, std::vector<detect::ListEntry>& entries,
                WrongLines& wrong) {
  auto entry = parse_list_entry(object, {});
  if (entry)
    entries.push_back(std::move(*entry));
  else
    wrong.add(line, entry.error().what);
}

void read_line(std::string_view line, std::size_t number, const ListDefaults& defaults,
               std::vector<detect::ListEntry>& entries, WrongLines& wrong) {
  const std::string_view text = trimmed(line);
  const std::size_t end = std::min(text.find_first_of(" \t#;,"), text.size());
  boost::json::object object = object_of(defaults);
  object["cidr"] = text.substr(0, end);
  if (const std::string_view comment = trimmed(text.substr(end), " \t#;,"); !comment.empty())
    object["comment"] = comment;
  read_entry(object, number, entries, wrong);
}

// The names of the columns, if the line is a header.
std::optional<std::vector<std::string>> header_of(std::string_view line) {
  auto cells = CsvReader(line).next();
  if (!cells) return std::nullopt;
  for (std::string& cell : *cells) cell = trimmed(cell);
  if (std::find(cells->begin(), cells->end(), "cidr") == cells->end()) return std::nullopt;
  return cells;
}

void put_cell(boost::json::object& object, const std::string& column, std::string_view cell) {
  if (cell.empty()) return;  // as the defaults have it
  std::int64_t number = 0;
  const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (column == "expires_s" && read.ec == std::errc() && read.ptr == cell.data() + cell.size())
    object[column] = number;
  else
    object[column] = cell;
}

void read_csv(std::string_view text, std::size_t first_line, const std::vector<std::string>& columns,
              const ListDefaults& defaults, std::vector<detect::ListEntry>& entries, WrongLines& wrong) {
  for (const std::string& column : columns)
    if (std::find(kColumns.begin(), kColumns.end(), column) == kColumns.end())
      wrong.add(first_line,
                fmt::format("expected columns of kind, cidr, expires_s, comment, got \"{}\"", column));
  if (wrong.any()) return;
  CsvReader reader(text);
  reader.next();  // the header
  while (const auto cells = reader.next()) {
    const std::size_t line = first_line + reader.line() - 1;
    if (cells->size() == 1 && is_remark(cells->front())) continue;
    if (cells->size() != columns.size()) {
      wrong.add(line, fmt::format("expected {} cells, got {}", columns.size(), cells->size()));
      continue;
    }
    boost::json::object object = object_of(defaults);
    for (std::size_t i = 0; i < columns.size(); ++i) put_cell(object, columns[i], trimmed((*cells)[i]));
    read_entry(object, line, entries, wrong);
  }
}

std::string key_of(const detect::ListEntry& entry) {
  return fmt::format("{} {}", to_string(entry.kind), entry.cidr);
}

}  // namespace

Result<std::vector<detect::ListEntry>> parse_list_text(std::string_view text, const ListDefaults& defaults) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<detect::ListEntry> entries;
  WrongLines wrong;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    ++number;
    if (!is_remark(line)) {
      const auto header = entries.empty() && !wrong.any() ? header_of(trimmed(line)) : std::nullopt;
      if (header) {
        read_csv(text.substr(at), number, *header, defaults, entries, wrong);
        break;
      }
      read_line(line, number, defaults, entries, wrong);
    }
    at = end + 1;
  }
  if (wrong.any()) return fail(ErrorCode::kInvalid, "text: " + wrong.text());
  return entries;
}

std::string list_csv(const std::vector<detect::ListEntry>& entries) {
  std::string out = "kind,cidr,expires_s,comment\r\n";
  for (const detect::ListEntry& entry : entries) {
    out += fmt::format("{},{},{},", to_string(entry.kind), entry.cidr, entry.expires_s);
    append_csv_cell(entry.comment, out);
    out += "\r\n";
  }
  return out;
}

ListImport merge_lists(std::vector<detect::ListEntry>& into, std::vector<detect::ListEntry> entries,
                       std::int64_t now_ms, const std::function<std::string()>& make_id) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < into.size(); ++i) places.emplace(key_of(into[i]), i);
  ListImport done;
  for (detect::ListEntry& entry : entries) {
    if (entry.expires_s != 0 && entry.expires_s * 1000 <= now_ms) {
      ++done.ended;
      continue;
    }
    const auto [place, fresh] = places.emplace(key_of(entry), into.size());
    if (fresh) {
      entry.id = make_id();
      into.push_back(std::move(entry));
      ++done.added;
      continue;
    }
    detect::ListEntry& there = into[place->second];
    const std::string comment = entry.comment.empty() ? there.comment : std::move(entry.comment);
    const std::int64_t expires_s = entry.expires_s == 0 ? there.expires_s : entry.expires_s;
    const bool same = comment == there.comment && expires_s == there.expires_s;
    ++(same ? done.present : done.changed);
    there.comment = comment;
    there.expires_s = expires_s;
  }
  return done;
}

}  // namespace wafd::console
