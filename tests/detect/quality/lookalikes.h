// Requests that look like attacks and are none, made from the templates in lookalikes/*.txt.
//
// A file holds kinds, "== name | place place ...", with templates between lines of "~~". A place is where
// applications have such a text: query:NAME, form:NAME, json:NAME, multi:NAME (a field of a form with files),
// file:NAME:TYPE, body:TARGET:TYPE, cookie:NAME; `get` is a target, `request` a whole request. In a template
// «a|b» is one of these, «word» and the like what kFillings says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/support/variations/codings.h"
#include "tests/support/variations/raw_request.h"

namespace wafd::detect::lookalikes {

struct Template {
  std::string kind;
  std::vector<std::string> places;
  std::string text;
};

inline std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> out;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    if (const auto part = text.substr(at, end - at); !part.empty()) out.emplace_back(part);
    if (end == std::string_view::npos) return out;
    at = end + separator.size();
  }
}

inline std::vector<Template> read_templates(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(folder), {});
  std::sort(files.begin(), files.end());
  std::vector<Template> out;
  for (const auto& path : files) {
    std::ifstream file(path);
    Template next;
    const auto end = [&] {
      while (next.text.starts_with('\n')) next.text.erase(0, 1);
      while (next.text.ends_with('\n')) next.text.pop_back();
      if (!next.kind.empty() && !next.text.empty()) out.push_back(next);
      next.text.clear();
    };
    for (std::string line; std::getline(file, line);) {
      const std::size_t bar = line.find(" | ");
      if (line == "~~") {
        end();
      } else if (line.starts_with("== ") && bar != std::string::npos) {
        end();
        next.kind = line.substr(3, bar - 3);
        next.places = split(std::string_view(line).substr(bar + 3), " ");
      } else {
        next.text += line + '\n';
      }
    }
    end();
  }
  return out;
}

// Puts values in place of «name» and one of «a|b», chosen by a seed; `dice` is changed for the next choice.
class Filler {
 public:
  explicit Filler(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}

  std::string fill(std::string_view text) {
    static constexpr std::string_view kOpen = "«";
    static constexpr std::string_view kClose = "»";
    std::string out;
    for (;;) {
      const std::size_t open = text.find(kOpen);
      out += text.substr(0, open);
      if (open == std::string_view::npos) return out;
      const std::size_t close = text.find(kClose, open);
      out += value(text.substr(open + kOpen.size(), close - open - kOpen.size()));
      text.remove_prefix(close + kClose.size());
    }
  }

 private:
  std::uint64_t roll(std::uint64_t sides) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ % sides;
  }
  std::string one_of(std::string_view list) {
    const auto all = split(list, "|");
    return all[roll(all.size())];
  }
  std::string signs(std::string_view alphabet, std::size_t count) {
    std::string out;
    while (out.size() < count) out += alphabet[roll(alphabet.size())];
    return out;
  }

  std::string value(std::string_view name) {
    static const std::map<std::string_view, std::string_view> kFillings = {
        {"word",
         "atlas|harbor|melon|invoice|garden|report|session|widget|orbit|catalog|ticket|parser|bridge|mirror|"
         "account|signal|stock|branch|order|group|table|user|select|script|value|index|shell"},
        {"s",
         "The order ships when our team has checked every part.|It works on my machine, but not on the "
         "server.|"
         "I have tried everything and nothing helps! Any ideas?|Thanks in advance; any hint is welcome.|"
         "We plan to change that next year (or later).|Is that a bug or do I hold it wrong?"},
        {"name", "Anna Schmidt|Sean O'Brien|Jürgen Groß|Li Wei|Fatima D'Angelo|Søren Ås|Marta K.|Ngozi Null"},
        {"lname", "anna|sean|jg|liwei"},
        {"city", "Köln|São Paulo|New York|L'Aquila|Val-d'Or|Oslo"},
        {"mail", "a.b@example.com|info@example.org"},
        {"host", "www.example.com|shop.example.org|cdn.example.net"},
        {"date", "2026-02-17|2026-11-03|2025-12-24"},
        {"ts", "2026-11-21T10:04:00Z|2026-03-09T23:59:00Z"},
        {"uuid", "6f1c2f6e-8d3b-4a3e-9a55-0c1d2e3f4a5b|0b9f6f0e-1c2d-4e3f-8a9b-7c6d5e4f3a2b"},
        {"digit", "1|2|3|5|7|9"},
    };
    if (name.find('|') != std::string_view::npos) return one_of(name);
    if (name == "word2" || name == "name2") name.remove_suffix(1);
    if (name == "num") return std::to_string(10 + roll(9990));
    if (name == "hex") return signs("0123456789abcdef", 16);
    if (name == "b64") return signs("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 40);
    const bool capital = name == "Word";
    const bool capitals = name == "WORD";
    std::string out = one_of(kFillings.at(capital || capitals ? "word" : name));
    for (std::size_t i = 0; i < out.size() && (capitals || (capital && i == 0)); ++i)
      out[i] = static_cast<char>(out[i] - 'a' + 'A');
    return out;
  }

  std::uint64_t state_;
};

inline std::string whole_request(std::string_view text) {
  const std::size_t blank = text.find("\n\n");
  const std::string_view body = blank == std::string_view::npos ? "" : text.substr(blank + 2);
  std::string out;
  for (const std::string& line : split(text.substr(0, blank), "\n")) out += line + "\r\n";
  if (!body.empty()) out += fmt::format("Content-Length: {}\r\n", body.size());
  return out + "\r\n" + std::string(body);
}

// The template for the turn, in its places in turn.
inline std::string request_of(const Template& of, std::size_t turn, std::uint64_t seed) {
  constexpr std::size_t kMaxQueryBytes = 600;
  constexpr std::string_view kUnreserved = "._-~";
  using variations::make_request;
  using variations::percent_encode;
  Filler filler(seed);
  const std::string text = filler.fill(of.text);
  const auto place = split(of.places[turn % of.places.size()], ":");
  if (place[0] == "request") return whole_request(text);
  if (place[0] == "get")
    return make_request(percent_encode(text, "/?&=%:,;'()[]{}$!*~#|<>\"+@\\._-"), "", "");
  const std::string name = filler.fill(place[1]);
  if (place[0] == "query" && text.size() <= kMaxQueryBytes)
    return make_request(fmt::format("/list?page=2&{}={}", name, percent_encode(text, kUnreserved)), "", "");
  if (place[0] == "json") {
    return make_request("/api/items/7", "application/json; charset=utf-8",
                        fmt::format(R"({{"id":7,"title":"Hello world","{}":"{}","tags":["a","b"]}})", name,
                                    variations::json_escape(text)));
  }
  if (place[0] == "body") return make_request(name, place[2], text);
  if (place[0] == "cookie") {
    std::string value = text;
    std::replace(value.begin(), value.end(), '\n', ' ');
    return make_request("/home", "", "", fmt::format("Cookie: lang=de; {}={}\r\n", name, value));
  }
  if (place[0] == "multi" || place[0] == "file") {
    const std::string part = place[0] == "multi"
                                 ? fmt::format("name=\"{}\"\r\n\r\n{}", name, text)
                                 : fmt::format("name=\"file\"; filename=\"{}\"\r\nContent-Type: {}\r\n\r\n{}",
                                               name, place[2], text);
    constexpr std::string_view kPart = "------b7MA4YWxk\r\nContent-Disposition: form-data; ";
    return make_request(
        "/upload", "multipart/form-data; boundary=----b7MA4YWxk",
        fmt::format("{}name=\"id\"\r\n\r\n7\r\n{}{}\r\n------b7MA4YWxk--\r\n", kPart, kPart, part));
  }
  return make_request(
      "/save", "application/x-www-form-urlencoded",
      fmt::format("id=7&title=Hello+world&{}={}&save=1", name, percent_encode(text, kUnreserved)));
}

}  // namespace wafd::detect::lookalikes
