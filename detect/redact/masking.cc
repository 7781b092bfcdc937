#include "detect/redact/masking.h"

#include <algorithm>

#include "detect/core/bytes.h"
#include "detect/core/secret_names.h"
#include "detect/decode/content/inflate.h"
#include "detect/decode/percent.h"
#include "detect/redact/mask_writer.h"

namespace wafd::detect {
namespace {

bool listed(const std::vector<std::string>& names, std::string_view name) noexcept {
  return std::any_of(names.begin(), names.end(), [name](const std::string& n) { return iequals(n, name); });
}

// One header line with its value masked as its name asks.
void mask_line(const Masker& masker, std::string_view line, bool& continues_secret, MaskWriter& out) {
  const bool continuation = !line.empty() && (line.front() == ' ' || line.front() == '\t');
  if (continuation && continues_secret) {
    out.keep(line.substr(0, 1));
    out.mask(line.substr(1));
    return;
  }
  const std::size_t colon = line.find(':');
  continues_secret = false;
  if (continuation || colon == std::string_view::npos) return out.values(line);
  const std::string_view name = trim(line.substr(0, colon));
  std::size_t begin = colon + 1;
  while (begin < line.size() && (line[begin] == ' ' || line[begin] == '\t')) ++begin;
  out.keep(line.substr(0, begin));
  const std::string_view value = line.substr(begin);
  if (masker.secret_header(name)) {
    continues_secret = true;
    out.mask(value);
  } else if (iequals(name, "cookie") || iequals(name, "set-cookie")) {
    out.pairs(value, ";", true);
  } else {
    out.url(value);
  }
}

// False: not compressed, or nothing came out. Three codings at most.
bool inflate_body(std::string_view raw, std::string_view codings, std::string& out) {
  constexpr int kMaxCodings = 3;
  const InflateLimits limits{.max_output_bytes = MaskedText::kMaskedBytes};
  std::string_view body = raw;
  std::string next;
  bool any = false;
  for (int i = 0; i < kMaxCodings; ++i) {
    const auto coding = take_content_coding(codings, body);
    if (!coding) break;
    const InflateEnd end = inflate(body, *coding, limits, next);
    // Text that only says it is compressed stays as it is.
    if (next.empty() || (end == InflateEnd::kBroken && sniff_content_coding(body) != coding)) break;
    out.swap(next);
    body = out;
    any = true;
  }
  return any;
}

}  // namespace

bool Masker::secret_header(std::string_view name) const noexcept {
  return iequals(name, "authorization") || iequals(name, "proxy-authorization") ||
         listed(settings_.headers, name);
}

bool Masker::secret_parameter(std::string_view name) const {
  // Twice encoded names are decoded twice: a server behind may do so as well.
  std::string decoded(name);
  for (int round = 0; round < 2 && maybe_percent(decoded); ++round) {
    std::string once;
    std::uint32_t flags = 0;
    if (!percent_decode(decoded, once, flags)) break;
    decoded = std::move(once);
  }
  return listed(settings_.parameters, decoded) || listed(settings_.parameters, innermost_name(decoded)) ||
         is_secret_name(decoded);
}

bool Masker::secret_cookie(std::string_view name) const {
  return listed(settings_.cookies, name) || secret_parameter(name);
}

MaskedText Masker::head(std::string_view raw) const {
  MaskedText masked;
  MaskWriter out(*this, settings_, raw, masked);
  std::string_view rest = out.readable();
  bool continues_secret = false;
  bool first = true;
  while (!rest.empty()) {
    const std::size_t lf = rest.find('\n');
    const bool ended = lf != std::string_view::npos;
    std::string_view line = rest.substr(0, ended ? lf : rest.size());
    const bool crlf = ended && !line.empty() && line.back() == '\r';
    if (crlf) line.remove_suffix(1);
    if (first) {
      const std::size_t version = line.rfind(' ');
      const std::size_t target = std::min(version, line.size());
      out.url(line.substr(0, target));
      out.keep(line.substr(target));
    } else {
      mask_line(*this, line, continues_secret, out);
    }
    first = false;
    if (!ended) break;
    if (crlf) {
      out.keep(rest.substr(lf - 1, 2));
    } else {
      out.put(rest.substr(lf, 1), "\r\n");
    }
    rest.remove_prefix(lf + 1);
  }
  out.fill_rest();
  if (!masked.text.ends_with("\r\n")) masked.text += "\r\n";
  if (!masked.text.ends_with("\r\n\r\n")) masked.text += "\r\n";
  return masked;
}

MaskedText Masker::query(std::string_view raw) const {
  MaskedText masked;
  MaskWriter out(*this, settings_, raw, masked);
  out.pairs(out.readable(), "&;", false);
  out.fill_rest();
  return masked;
}

MaskedText Masker::cookie(std::string_view raw) const {
  MaskedText masked;
  MaskWriter out(*this, settings_, raw, masked);
  out.pairs(out.readable(), ";", true);
  out.fill_rest();
  return masked;
}

MaskedText Masker::url(std::string_view raw) const {
  MaskedText masked;
  MaskWriter out(*this, settings_, raw, masked);
  out.url(out.readable());
  out.fill_rest();
  return masked;
}

MaskedText Masker::plain(std::string_view raw) const {
  MaskedText masked;
  MaskWriter out(*this, settings_, raw, masked);
  out.values(out.readable());
  out.fill_rest();
  return masked;
}

MaskedText Masker::body(std::string_view raw, std::string_view content_type,
                        std::string_view content_encoding) const {
  std::string inflated;
  if (!inflate_body(raw, content_encoding, inflated)) return plain_body(raw, content_type);
  // Spans in the compressed bytes can only mean all of it.
  MaskedText masked = plain_body(inflated, content_type);
  masked.edits_.assign(1, {0, raw.size(), 0, masked.text.size(), masked.masked_});
  return masked;
}

MaskedText Masker::plain_body(std::string_view raw, std::string_view content_type) const {
  MaskedText masked;
  MaskWriter out(*this, settings_, raw, masked);
  const std::string_view text = out.readable();
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const std::size_t boundary = ifind(content_type, "boundary=");
  if (istarts_with(content_type, "multipart/") && boundary != std::string_view::npos) {
    std::string_view mark = content_type.substr(boundary + 9);
    if (!mark.empty() && mark.front() == '"') {
      mark.remove_prefix(1);
      mark = mark.substr(0, mark.find('"'));
    } else {
      mark = trim(mark.substr(0, mark.find(';')));
    }
    out.multipart(text, mark);
  } else if (begin != std::string_view::npos && (text[begin] == '{' || text[begin] == '[')) {
    out.json(text);  // by its look: a wrong Content-Type must not undo the masking
  } else if (begin != std::string_view::npos && text[begin] == '<') {
    out.xml(text);
  } else {
    out.pairs(text, "&", false);
  }
  out.fill_rest();
  return masked;
}

std::size_t MaskedText::position_of(std::size_t at) const noexcept {
  const auto next = std::upper_bound(edits_.begin(), edits_.end(), at,
                                     [](std::size_t raw, const Edit& edit) { return raw < edit.raw_begin; });
  if (next == edits_.begin()) return at;
  const Edit& edit = *std::prev(next);
  if (at < edit.raw_end) return edit.out_begin;
  return edit.out_end + (at - edit.raw_end);
}

void MaskedText::scrub(std::string& other) const {
  for (const std::string& secret : secrets_) {
    for (std::size_t at = other.find(secret); at != std::string::npos;
         at = other.find(secret, at + kMask.size()))
      other.replace(at, secret.size(), kMask);
    // Cut off at the begin or the end of the excerpt.
    for (std::size_t n = std::min(secret.size() - 1, other.size()); n >= kMinSecretBytes; --n) {
      if (!other.starts_with(std::string_view(secret).substr(secret.size() - n))) continue;
      other.replace(0, n, kMask);
      break;
    }
    for (std::size_t n = std::min(secret.size() - 1, other.size()); n >= kMinSecretBytes; --n) {
      if (!other.ends_with(std::string_view(secret).substr(0, n))) continue;
      other.replace(other.size() - n, n, kMask);
      break;
    }
  }
}

bool MaskedText::hides(std::size_t begin, std::size_t end) const noexcept {
  return std::any_of(edits_.begin(), edits_.end(),
                     [&](const Edit& e) { return e.mask && e.raw_begin < end && e.raw_end > begin; });
}

}  // namespace wafd::detect
