#include "tests/support/variations/raw_request.h"

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "tests/support/variations/codings.h"

namespace wafd::variations {
namespace {

class RequestSplitter {
 public:
  explicit RequestSplitter(RawRequest& out) : out_(out), all_(out.bytes) {}

  void read() {
    std::size_t end = all_.find("\r\n\r\n");
    std::size_t gap = 4;
    if (end == std::string_view::npos) {
      end = all_.find("\n\n");
      gap = 2;
    }
    if (end == std::string_view::npos) {
      end = all_.size();
      gap = 0;
    }
    out_.body = end + gap;
    read_head(end);
    if (out_.body < all_.size()) read_body();
  }

 private:
  void add(Place place, bool in_name, std::string name, std::string value, std::size_t begin,
           std::size_t end) {
    if (begin < end) out_.leaves.push_back({place, in_name, std::move(name), std::move(value), begin, end});
  }

  void read_head(std::size_t end) {
    std::size_t line_end = std::min(all_.find('\n', 0), end);
    const std::size_t target = all_.find(' ');
    if (target >= line_end) return;
    std::size_t target_end = all_.rfind(' ', line_end);
    if (target_end == target) target_end = line_end;
    const std::size_t mark = std::min(all_.find('?', target), target_end);
    add(Place::kPath, false, "", percent_decode(all_.substr(target + 1, mark - target - 1), false),
        target + 1, mark);
    if (mark < target_end) read_pairs(Place::kQuery, mark + 1, target_end, '&');
    while (line_end < end) {
      const std::size_t begin = line_end + 1;
      line_end = std::min(all_.find('\n', begin), end);
      const std::size_t colon = all_.find(':', begin);
      if (colon >= line_end) continue;
      read_header(begin, colon, line_end);
    }
  }

  void read_header(std::size_t begin, std::size_t colon, std::size_t end) {
    const std::string name(all_.substr(begin, colon - begin));
    std::size_t from = colon + 1;
    while (from < end && (all_[from] == ' ' || all_[from] == '\t')) ++from;
    while (end > from && is_space(all_[end - 1])) --end;
    if (iequals(name, "Cookie")) return read_pairs(Place::kCookie, from, end, ';');
    if (iequals(name, "Referer")) {
      const std::size_t mark = all_.find('?', from);
      if (mark < end) read_pairs(Place::kRefererQuery, mark + 1, end, '&');
      return;
    }
    add(Place::kHeader, false, name, std::string(all_.substr(from, end - from)), from, end);
  }

  void read_pairs(Place place, std::size_t at, std::size_t end, char separator) {
    const bool plus = place != Place::kCookie;
    while (at < end) {
      const std::size_t stop = std::min(all_.find(separator, at), end);
      while (place == Place::kCookie && at < stop && all_[at] == ' ') ++at;
      const std::size_t equals = std::min(all_.find('=', at), stop);
      const std::string name = percent_decode(all_.substr(at, equals - at), plus);
      add(place, true, name, name, at, equals);
      if (equals < stop)
        add(place, false, name, percent_decode(all_.substr(equals + 1, stop - equals - 1), plus), equals + 1,
            stop);
      at = stop + 1;
    }
  }

  void read_body() {
    if (!header_of(out_, "Content-Encoding").empty()) return;
    const std::string_view type = header_of(out_, "Content-Type");
    const std::string_view body = all_.substr(out_.body);
    const char first = body[std::min(body.find_first_not_of(" \r\n\t"), body.size() - 1)];
    if (ifind(type, "multipart/") != std::string_view::npos) return read_multipart(type);
    if (first == '{' || first == '[') return read_json();
    if (ifind(type, "xml") != std::string_view::npos || first == '<') return read_xml();
    if (ifind(type, "form-urlencoded") != std::string_view::npos)
      read_pairs(Place::kForm, out_.body, all_.size(), '&');
  }

  // Every string; one that a colon follows is a key.
  void read_json() {
    std::string key;
    for (std::size_t at = out_.body; at < all_.size(); ++at) {
      if (all_[at] != '"') continue;
      const std::size_t begin = at + 1;
      for (++at; at < all_.size() && all_[at] != '"'; ++at) at += all_[at] == '\\' ? 1 : 0;
      if (at >= all_.size()) return;
      const std::size_t next = all_.find_first_not_of(" \t\r\n", at + 1);
      const bool is_key = next != std::string_view::npos && all_[next] == ':';
      std::string value = json_decode(all_.substr(begin, at - begin));
      if (is_key) key = value;
      add(Place::kJson, is_key, key, std::move(value), begin, at);
    }
  }

  // Text between tags.
  void read_xml() {
    for (std::size_t at = out_.body; at < all_.size(); ++at) {
      if (all_[at] != '>') continue;
      const std::size_t end = std::min(all_.find('<', at), all_.size());
      const std::string_view text = all_.substr(at + 1, end - at - 1);
      if (text.find_first_not_of(" \t\r\n") != std::string_view::npos && end < all_.size())
        add(Place::kXml, false, "", xml_decode(text), at + 1, end);
      at = end;
    }
  }

  void read_multipart(std::string_view type) {
    std::size_t at = type.find("boundary=");
    if (at == std::string_view::npos) return;
    std::string_view boundary = type.substr(at + 9);
    if (boundary.starts_with('"')) boundary = boundary.substr(1, boundary.find('"', 1) - 1);
    boundary = boundary.substr(0, boundary.find(';'));
    const std::string line = "--" + std::string(boundary);
    at = all_.find(line, out_.body);
    while (at != std::string_view::npos) {
      const std::size_t head = at + line.size();
      const std::size_t next = all_.find(line, head);
      const std::size_t gap = all_.find("\r\n\r\n", head);
      if (gap == std::string_view::npos || next == std::string_view::npos || gap > next) return;
      const std::string_view part = all_.substr(head, gap - head);
      const std::size_t file = ifind(part, "filename=\"");
      if (file != std::string_view::npos) {
        const std::size_t begin = head + file + 10;
        const std::size_t end = all_.find('"', begin);
        if (end < gap)
          add(Place::kFileName, false, "", std::string(all_.substr(begin, end - begin)), begin, end);
      } else if (next >= gap + 6) {
        add(Place::kMultipart, false, "", std::string(all_.substr(gap + 4, next - gap - 6)), gap + 4,
            next - 2);
      }
      at = next;
    }
  }

  RawRequest& out_;
  std::string_view all_;
};

}  // namespace

const char* to_string(Place place) noexcept {
  constexpr const char* kNames[] = {"path", "query", "referer",   "cookie",    "header",
                                    "form", "json",  "multipart", "file name", "xml"};
  return kNames[static_cast<std::size_t>(place)];
}

RawRequest read_request(std::string bytes) {
  RawRequest out;
  out.bytes = std::move(bytes);
  RequestSplitter(out).read();
  return out;
}

std::string_view header_of(const RawRequest& request, std::string_view name) {
  for (const Leaf& leaf : request.leaves) {
    if (leaf.place == Place::kHeader && iequals(leaf.name, name))
      return std::string_view(request.bytes).substr(leaf.begin, leaf.end - leaf.begin);
  }
  return {};
}

std::string replace_bytes(const RawRequest& request, std::size_t begin, std::size_t end,
                          std::string_view raw) {
  const std::string_view all = request.bytes;
  std::string out = fmt::format("{}{}{}", all.substr(0, begin), raw, all.substr(end));
  if (begin < request.body) return out;
  for (const Leaf& leaf : request.leaves) {
    if (leaf.place == Place::kHeader && iequals(leaf.name, "Content-Length"))
      out.replace(leaf.begin, leaf.end - leaf.begin, std::to_string(out.size() - request.body));
  }
  return out;
}

bool write_as(Place place, std::string_view value, std::string& raw) {
  raw.clear();
  switch (place) {
    case Place::kPath:
      raw = percent_encode(value, "/._-~");
      return true;
    case Place::kQuery:
    case Place::kRefererQuery:
    case Place::kForm:
    case Place::kCookie:
      raw = percent_encode(value, "._-~");
      return true;
    case Place::kHeader:
      if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) return false;
      raw = value;
      return true;
    case Place::kFileName:
      if (value.find_first_of(std::string_view("\r\n\0\"", 4)) != std::string_view::npos) return false;
      raw = value;
      return true;
    case Place::kJson:
      raw = json_escape(value);
      return is_utf8(value);
    case Place::kMultipart:
      raw = value;
      return true;
    case Place::kXml:
      raw = xml_escape(value);
      return is_utf8(value) &&
             value.find_first_of(std::string_view("\0\x0b\x0c\x01", 4)) == std::string_view::npos;
  }
  return false;
}

bool replace_value(const RawRequest& request, const Leaf& leaf, std::string_view value, std::string& out) {
  std::string raw;
  if (!write_as(leaf.place, value, raw)) return false;
  out = replace_bytes(request, leaf.begin, leaf.end, raw);
  return true;
}

std::string without_idle_headers(std::string_view bytes, const Verdict& verdict) {
  const std::size_t gap = bytes.find("\r\n\r\n");
  const std::size_t head =
      gap == std::string_view::npos ? std::min(bytes.find("\n\n"), bytes.size() - 1) + 1 : gap + 2;
  std::size_t at = std::min(bytes.find('\n'), head - 1) + 1;
  std::string out(bytes.substr(0, at));
  while (at < head) {
    const std::size_t end = std::min(bytes.find('\n', at), head - 1) + 1;
    for (const Finding& finding : verdict.findings) {
      if (finding.in_body || finding.raw_begin >= end || finding.raw_end <= at) continue;
      out += bytes.substr(at, end - at);
      break;
    }
    at = end;
  }
  return out.append(bytes.substr(head));
}

std::string make_request(std::string_view target, std::string_view content_type, std::string_view body,
                         std::string_view more_headers) {
  std::string out = fmt::format(
      "{} {} HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) "
      "Gecko/20100101 Firefox/128.0\r\nAccept: text/html,application/xhtml+xml,*/*;q=0.8\r\nAccept-Language: "
      "en-GB,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br\r\n{}",
      body.empty() ? "GET" : "POST", target, more_headers);
  if (!body.empty())
    out += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", content_type, body.size());
  return out + "\r\n" + std::string(body);
}

}  // namespace wafd::variations
