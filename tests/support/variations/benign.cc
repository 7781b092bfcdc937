#include "tests/support/variations/benign.h"

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "tests/support/variations/codings.h"

namespace wafd::variations {
namespace {

std::string_view body_of(const RawRequest& request) {
  return std::string_view(request.bytes).substr(request.body);
}

// Content-Type (or, where `type` is empty, what it was) and body replaced, Content-Length set.
std::string with_body(const RawRequest& request, std::string_view type, std::string_view body,
                      std::string_view more_header = {}) {
  std::string out = request.bytes.substr(0, request.body);
  for (std::size_t i = request.leaves.size(); i-- > 0;) {
    const Leaf& leaf = request.leaves[i];
    if (leaf.place != Place::kHeader) continue;
    if (iequals(leaf.name, "Content-Length"))
      out.replace(leaf.begin, leaf.end - leaf.begin, std::to_string(body.size()));
    if (iequals(leaf.name, "Content-Type") && !type.empty())
      out.replace(leaf.begin, leaf.end - leaf.begin, type);
  }
  if (!more_header.empty()) out.insert(out.size() - 2, more_header);
  return out.append(body);
}

bool is_form(const RawRequest& request) {
  if (body_of(request).empty() ||
      ifind(header_of(request, "Content-Type"), "form-urlencoded") == std::string_view::npos)
    return false;
  for (const Leaf& leaf : request.leaves) {
    if (leaf.place == Place::kForm) return true;
  }
  return false;
}

std::string rewrite(const RawRequest& request, Place place, std::string (*write)(std::string_view)) {
  std::string out = request.bytes;
  for (std::size_t i = request.leaves.size(); i-- > 0;) {
    const Leaf& leaf = request.leaves[i];
    if (leaf.place == place) out.replace(leaf.begin, leaf.end - leaf.begin, write(leaf.value));
  }
  for (const Leaf& leaf : request.leaves) {
    if (leaf.place == Place::kHeader && iequals(leaf.name, "Content-Length") &&
        out.size() != request.bytes.size()) {
      const std::size_t size = out.size() - request.body;
      if (place == Place::kForm || place == Place::kJson)
        out.replace(leaf.begin, leaf.end - leaf.begin, std::to_string(size));
    }
  }
  return out;
}
std::string percent_of(std::string_view value) { return percent_encode_all(value, false); }
std::string least_of(std::string_view value) { return percent_encode(value, "._-~!*'()"); }

bool percent_query(const RawRequest& request, std::string& out) {
  out = rewrite(request, Place::kQuery, percent_of);
  return out != request.bytes;
}
bool component_query(const RawRequest& request, std::string& out) {
  out = rewrite(request, Place::kQuery, least_of);
  return out != request.bytes;
}
bool percent_form(const RawRequest& request, std::string& out) {
  if (!is_form(request)) return false;
  out = rewrite(request, Place::kForm, percent_of);
  return out != request.bytes;
}
bool escape_json(const RawRequest& request, std::string& out) {
  for (const Leaf& leaf : request.leaves) {
    if (leaf.place == Place::kJson && !is_utf8(leaf.value)) return false;
  }
  out = rewrite(request, Place::kJson, json_escape_all);
  return out != request.bytes;
}

// White space between the tokens of JSON.
bool indent_json(const RawRequest& request, std::string& out) {
  const std::string_view body = body_of(request);
  if (!body.starts_with('{') && !body.starts_with('[')) return false;
  std::string text;
  bool quoted = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    text += body[i];
    if (quoted && body[i] == '\\' && i + 1 < body.size()) {
      text += body[++i];
    } else if (body[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && std::string_view("{[,").find(body[i]) != std::string_view::npos) {
      text += "\n    ";
    } else if (!quoted && body[i] == ':') {
      text += ' ';
    }
  }
  out = with_body(request, "", text);
  return true;
}

bool reverse(const RawRequest& request, Place place, std::string& out) {
  std::size_t begin = std::string::npos;
  std::size_t end = 0;
  for (const Leaf& leaf : request.leaves) {
    if (leaf.place != place) continue;
    begin = std::min(begin, leaf.begin);
    end = std::max(end, leaf.end);
  }
  if (begin >= end) return false;
  std::string turned;
  std::string_view rest = std::string_view(request.bytes).substr(begin, end - begin);
  while (true) {
    const std::size_t at = rest.rfind('&');
    turned += at == std::string_view::npos ? rest : rest.substr(at + 1);
    if (at == std::string_view::npos) break;
    turned += '&';
    rest = rest.substr(0, at);
  }
  out = request.bytes;
  out.replace(begin, end - begin, turned);
  return out != request.bytes;
}
bool reverse_query(const RawRequest& request, std::string& out) {
  return reverse(request, Place::kQuery, out);
}
bool reverse_form(const RawRequest& request, std::string& out) {
  return is_form(request) && reverse(request, Place::kForm, out);
}

bool more_query(const RawRequest& request, std::string& out) {
  for (const Leaf& leaf : request.leaves) {
    if (leaf.place != Place::kPath) continue;
    const bool has = request.bytes.substr(leaf.end, 1) == "?";
    const std::string more = "lang=en-GB&utm_source=news%20letter&ts=1718000000123";
    out = request.bytes;
    out.insert(leaf.end + (has ? 1 : 0), has ? more + "&" : "?" + more);
    return true;
  }
  return false;
}
bool more_form(const RawRequest& request, std::string& out) {
  if (!is_form(request)) return false;
  out = with_body(request, "",
                  std::string(body_of(request)) + "&csrf=8f14e45fceea167a&remember=on&city=San+Jos%C3%A9");
  return true;
}

bool gzip_body(const RawRequest& request, std::string& out) {
  if (body_of(request).empty() || !header_of(request, "Content-Encoding").empty()) return false;
  out = with_body(request, "", gzip(body_of(request)), "Content-Encoding: gzip\r\n");
  return true;
}

bool form_to_multipart(const RawRequest& request, std::string& out) {
  if (!is_form(request)) return false;
  std::string body;
  for (const Leaf& leaf : request.leaves) {
    if (leaf.place != Place::kForm || leaf.in_name) continue;
    if (leaf.name.find_first_of("\"\r\n") != std::string::npos) return false;
    body += fmt::format("--q7Zx\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n", leaf.name,
                        leaf.value);
  }
  if (body.empty()) return false;
  out = with_body(request, "multipart/form-data; boundary=q7Zx", body + "--q7Zx--\r\n");
  return true;
}
bool form_to_json(const RawRequest& request, std::string& out) {
  if (!is_form(request)) return false;
  std::string body = "{";
  for (const Leaf& leaf : request.leaves) {
    if (leaf.place != Place::kForm || leaf.in_name) continue;
    if (!is_utf8(leaf.name) || !is_utf8(leaf.value)) return false;
    body += fmt::format("{}\"{}\":\"{}\"", body.size() > 1 ? "," : "", json_escape(leaf.name),
                        json_escape(leaf.value));
  }
  if (body.size() == 1) return false;
  out = with_body(request, "application/json", body + "}");
  return true;
}
bool more_headers(const RawRequest& request, std::string& out) {
  const std::size_t at = request.bytes.find('\n');
  if (at == std::string::npos) return false;
  out = request.bytes;
  out.insert(
      at + 1,
      "DNT: 1\r\nSec-Fetch-Mode: navigate\r\nSec-CH-UA: \"Chromium\";v=\"126\", \"Not.A/Brand\";v=\"24\"\r\n"
      "If-None-Match: W/\"5e-18f0\"\r\nTraceparent: "
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n");
  return true;
}
bool other_agent(const RawRequest& request, std::string& out) {
  for (const Leaf& leaf : request.leaves) {
    if (leaf.place != Place::kHeader || !iequals(leaf.name, "User-Agent")) continue;
    out = request.bytes;
    out.replace(
        leaf.begin, leaf.end - leaf.begin,
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        "Version/17.5 Mobile/15E148 Safari/604.1");
    return true;
  }
  return false;
}

constexpr BenignChange kChanges[] = {
    {"query: percent everything", percent_query},
    {"query: as encodeURIComponent", component_query},
    {"query: other order", reverse_query},
    {"query: ordinary parameters more", more_query},
    {"form: percent everything", percent_form},
    {"form: other order", reverse_form},
    {"form: ordinary parameters more", more_form},
    {"form: as multipart", form_to_multipart},
    {"form: as JSON", form_to_json},
    {"JSON: indented", indent_json},
    {"JSON: \\u escapes", escape_json},
    {"body: gzip", gzip_body},
    {"headers: ordinary ones more", more_headers},
    {"headers: another browser", other_agent},
};

}  // namespace

std::span<const BenignChange> benign_changes() { return kChanges; }

}  // namespace wafd::variations
