#include "console/api/routing/translation.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "detect/core/bytes.h"
#include "detect/core/catalogue.h"

namespace wafd::console {
namespace {

constexpr int kDepth = 1;  // what is put in may be a phrase of ours too: "expected {}"

struct Template {
  std::vector<std::string_view> parts;  // around what is left open
  std::string_view into;                // with {} in the same order, or {0}, {1}
  std::size_t said = 0;                 // bytes of all parts: the one that says most comes first
};

struct Table {
  std::map<std::string_view, std::string_view> exact;
  std::vector<Template> templates;
};

Template template_of(std::string_view english, std::string_view chinese) {
  Template out{{}, chinese, 0};
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::size_t open = english.find("{}", at);
    out.parts.push_back(english.substr(at, open == std::string_view::npos ? open : open - at));
    out.said += out.parts.back().size();
    at = open == std::string_view::npos ? open : open + 2;
  }
  return out;
}

Table read_table(std::string_view text) {
  Table out;
  out.exact = read_catalogue(text);
  for (const auto& [english, chinese] : out.exact)
    if (english.find("{}") != std::string_view::npos) out.templates.push_back(template_of(english, chinese));
  std::stable_sort(out.templates.begin(), out.templates.end(),
                   [](const Template& a, const Template& b) { return a.said > b.said; });
  return out;
}

const Table& table() {
  static const Table read = read_table(chinese_table());
  return read;
}

// The texts in the open places of a template; nothing if `text` was not made of it.
std::optional<std::vector<std::string_view>> open_in(const Template& of, std::string_view text) {
  if (!text.starts_with(of.parts.front())) return std::nullopt;
  std::vector<std::string_view> out;
  std::size_t at = of.parts.front().size();
  for (std::size_t i = 1; i < of.parts.size(); ++i) {
    const std::string_view part = of.parts[i];
    const bool last = i + 1 == of.parts.size();
    if (text.size() < at + part.size()) return std::nullopt;
    const std::size_t found = last ? text.size() - part.size() : text.find(part, at);
    if (found == std::string_view::npos || text.substr(found, part.size()) != part) return std::nullopt;
    out.push_back(text.substr(at, found - at));
    at = found + part.size();
  }
  return out;
}

std::string phrase(std::string_view english, int depth);

std::string put_in(const Template& of, const std::vector<std::string_view>& open, int depth) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t at = 0; at < of.into.size(); ++at) {
    const std::size_t close = of.into[at] == '{' ? of.into.find('}', at) : std::string_view::npos;
    if (close == std::string_view::npos || close > at + 2) {
      out += of.into[at];
      continue;
    }
    const std::size_t which =
        close == at + 1 ? next++ : static_cast<std::size_t>(byte(of.into[at + 1]) - byte('0'));
    if (which < open.size()) out += depth > 0 ? phrase(open[which], depth - 1) : std::string(open[which]);
    at = close;
  }
  return out;
}

std::string phrase(std::string_view english, int depth) {
  const auto whole = table().exact.find(english);
  if (whole != table().exact.end()) return std::string(whole->second);
  for (const Template& one : table().templates)
    if (const auto open = open_in(one, english)) return put_in(one, *open, depth);
  return std::string(english);
}

// The bytes of "member: " in front.
std::size_t member_bytes(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() &&
         (is_alnum(text[at]) || text[at] == '_' || text[at] == '.' || text[at] == '[' || text[at] == ']'))
    ++at;
  const bool named = at > 0 && (is_lower(text[0]) || text[0] == '_') && text.substr(at, 2) == ": ";
  return named ? at + 2 : 0;
}

double weight_of(std::string_view parameters) {
  const std::size_t at = parameters.find("q=");
  if (at == std::string_view::npos) return 1;
  const std::string_view text = trim(parameters.substr(at + 2));
  double out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return read.ec == std::errc() ? out : 0;
}

}  // namespace

bool wants_chinese(std::string_view accept_language) noexcept {
  double chinese = 0, english = 0;
  while (!accept_language.empty()) {
    const std::size_t end = std::min(accept_language.find(','), accept_language.size());
    const std::string_view item = trim(accept_language.substr(0, end));
    accept_language.remove_prefix(std::min(end + 1, accept_language.size()));
    const std::string_view tag = trim(item.substr(0, item.find(';')));
    const std::string_view main = tag.substr(0, tag.find('-'));
    const double weight = weight_of(item.substr(tag.size()));
    if (iequals(main, "zh") && weight > english) chinese = std::max(chinese, weight);
    if (iequals(main, "en")) english = std::max(english, weight > chinese ? weight : 0);
  }
  return chinese > english;
}

std::string in_chinese(std::string_view english) {
  if (table().exact.contains(english)) return phrase(english, kDepth);
  const std::size_t member = member_bytes(english);
  return std::string(english.substr(0, member)) + phrase(english.substr(member), kDepth);
}

void say_in_chinese(HttpResponse& response) {
  if (response.header("Content-Type") != "application/problem+json") return;
  boost::system::error_code error;
  boost::json::value document = boost::json::parse(response.body, error);
  boost::json::object* object = error ? nullptr : document.if_object();
  if (object == nullptr) return;
  for (const char* name : {"title", "detail"}) {
    boost::json::value* text = object->if_contains(name);
    if (text != nullptr && text->is_string()) *text = in_chinese(std::string_view(text->get_string()));
  }
  response.body = boost::json::serialize(document);
  response.headers.push_back({"Content-Language", "zh-CN"});
}

}  // namespace wafd::console
