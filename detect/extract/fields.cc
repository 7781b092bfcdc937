#include "detect/extract/fields.h"

#include <algorithm>
#include <functional>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/secret_names.h"
#include "detect/core/word_set.h"
#include "detect/decode/percent.h"
#include "detect/decode/plus.h"

namespace wafd::detect {

void FieldList::clear() {
  items_.clear();
  nodes_.clear();
  nodes_.emplace_back();  // 0: no node
  arena.reset();
  limit_reached = uninspected = false;
}

void FieldList::add_rest(const Field& field) {
  limit_reached = true;
  if (field.raw.empty()) return;
  items_.push_back(field);
  if (field.outer.data() == nullptr) items_.back().outer = field.raw;
}

void FieldList::set_container(std::size_t begin, const Field& container) {
  if (container.outer.data() == nullptr) return;
  for (std::size_t i = begin; i < items_.size(); ++i) {
    items_[i].outer = container.outer;
    items_[i].decode_path = arena.join(container.decode_path, '|', items_[i].decode_path);
  }
}

void FieldList::mark_log_in(std::size_t begin) {
  std::size_t users = 0;
  std::size_t passwords = 0;
  Field* password = nullptr;
  for (std::size_t i = begin; i < items_.size(); ++i) {
    Field& field = items_[i];
    if (field.in_name) continue;
    if (field.name == "u") ++users;
    if (field.name != "p") continue;
    ++passwords;
    password = &field;
  }
  if (users == 1 && passwords == 1) password->parent = kLogInParent;
}

void FieldList::mark_code(std::size_t begin) {
  static constexpr WordSet kTexts({"code", "content", "plain_text", "source", "text", "value"});
  for (std::size_t i = begin; i < items_.size(); ++i)
    items_[i].code = items_[i].code || (!items_[i].in_name && kTexts.has(items_[i].name));
}

std::uint32_t FieldList::add_node(std::uint32_t parent, std::string_view key, std::uint32_t index) {
  nodes_.push_back({parent, index, key});
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::string FieldList::full_name(const Field& field) const {
  if (field.node == 0) return std::string(field.name);
  std::vector<std::uint32_t> way;
  for (std::uint32_t at = field.node; at != 0; at = nodes_[at].parent) way.push_back(at);
  std::string out;
  for (std::size_t i = way.size(); i-- > 0;) {
    const Node& node = nodes_[way[i]];
    if (node.key.data() == nullptr) {
      out += '[';
      out += std::to_string(node.index);
      out += ']';
    } else {
      if (!out.empty()) out += '.';
      out += node.key;
    }
  }
  return out;
}

namespace {

// Bytes of names of parameters that stand for themselves, and those that do not.
constexpr ByteFinder kPlainName("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-~[]:@$,!");

struct PairName {
  std::size_t end = 0;   // '=', '&' or the end of the text
  bool coded = false;    // holds '%' or '+'
  bool unusual = false;  // as likely the rest of a value that held a plain '&' or ';'
};
PairName read_name(std::string_view text, std::size_t at) noexcept {
  PairName name;
  for (at = kPlainName.find_other(text, at); at < text.size(); at = kPlainName.find_other(text, at + 1)) {
    const char c = text[at];
    if (c == '=' || c == '&') break;
    (c == '%' || c == '+' ? name.coded : name.unusual) = true;
  }
  name.end = at;
  return name;
}

// Some readers end a pair at ';' too: what follows it in a value is then a parameter of its own.
bool read_semicolon_pairs(std::string_view value, Field field, FieldList& out) {
  std::size_t at = value.find(';');
  while (at < value.size()) {
    const std::size_t end = std::min(value.find(';', at + 1), value.size());
    const std::string_view pair = value.substr(at + 1, end - at - 1);
    const PairName name = read_name(pair, 0);
    if (name.end != 0 && name.end != pair.size() && !name.unusual) {
      field.name = pair.substr(0, name.end);
      if (name.coded) field.name = decoded_name(field.name, field.coding, out);
      field.raw = pair.substr(name.end + 1);
      if (!out.add(field)) return false;
    }
    at = end;
  }
  return true;
}

constexpr std::size_t kMaxRepeats = 8;

// Values of a name that comes two to kMaxRepeats times, where one of them holds more than a word.
void add_joined(FieldList& out) {
  static constexpr ByteFinder kWord("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
  auto& all = out.by_name;
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
    bool words = true;
    for (end = i; end < all.size() && all[end].first == all[i].first; ++end) {
      const std::string_view raw = out[all[end].second].raw;
      words = words && kWord.find_other(raw, 0) == raw.size();
    }
    if (end - i < 2 || end - i > kMaxRepeats || words) continue;
    Field joined = out[all[i].second];
    if (joined.name.ends_with(']')) continue;  // a list for those that write so
    for (std::size_t k = i + 1; k < end; ++k)
      joined.raw = out.arena.join(joined.raw, ',', out[all[k].second].raw);
    if (!out.add(joined)) out.limit_reached = true;
  }
}

}  // namespace

std::string_view decoded_name(std::string_view raw, Coding coding, FieldList& out) {
  std::string plain;
  std::string text(raw);
  std::uint32_t flags = 0;
  if (coding == Coding::kForm && plus_decode(text, plain, flags)) text.swap(plain);
  if (percent_decode(text, plain, flags)) text.swap(plain);
  return out.arena.copy(text);
}

void read_pairs(std::string_view text, const Field& like, FieldList& out) {
  static constexpr ByteFinder kBreaks("&;");
  Field field = like;
  Field whole = like;  // the last value, and what follows it for as long as that looks like a part of it
  std::size_t whole_begin = std::string_view::npos;
  bool joined = false;
  std::size_t begin = 0;
  bool taken = true;
  out.by_name.clear();
  const auto add_whole = [&](std::size_t end) {
    if (!joined) return true;
    joined = false;
    whole.raw = text.substr(whole_begin, end - whole_begin);
    return out.add(whole);
  };
  while (begin < text.size()) {
    const PairName read = read_name(text, begin);
    const std::string_view name = text.substr(begin, read.end - begin);
    const bool has_value = read.end < text.size() && text[read.end] == '=';
    const std::size_t first_break = has_value ? kBreaks.find(text, read.end + 1) : read.end;
    const bool semicolons = first_break < text.size() && text[first_break] == ';';
    const std::size_t end = semicolons ? std::min(text.find('&', first_break), text.size()) : first_break;
    if (whole_begin != std::string_view::npos && read.unusual) {
      joined = true;
    } else if (!name.empty()) {
      taken = add_whole(begin - 1);
    }
    field.name = read.coded ? decoded_name(name, like.coding, out) : name;
    field.in_name = true;
    field.raw = name;
    field.outer = like.outer;
    taken = taken && out.add(field);
    if (has_value) {
      field.in_name = false;
      field.raw = text.substr(read.end + 1, end - read.end - 1);
      if (!field.name.empty() && !field.raw.empty())
        out.by_name.emplace_back(std::hash<std::string_view>{}(field.name),
                                 static_cast<std::uint32_t>(out.size()));
      taken = taken && out.add(field);
      if (taken && semicolons) taken = read_semicolon_pairs(field.raw, field, out);
      if (!joined) {
        whole = field;
        whole_begin = read.end + 1;
      }
    } else if (!joined && !name.empty()) {
      whole_begin = std::string_view::npos;
    }
    if (!taken) {
      field.raw = text.substr(begin);
      out.add_rest(field);
      return;
    }
    begin = end + 1;
  }
  if (!add_whole(text.size())) out.add_rest(whole);
  if (out.by_name.size() > 1) add_joined(out);
}

}  // namespace wafd::detect
