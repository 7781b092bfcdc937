#include "detect/redact/mask_writer.h"

#include <algorithm>

#include "detect/core/bytes.h"
#include "detect/decode/percent.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kNpos = std::string_view::npos;

// Length of a card number at `at`: 13 to 19 digits with at most one separator between two, Luhn satisfied;
// else 0.
std::size_t card_length(std::string_view text, std::size_t at) noexcept {
  std::string_view::size_type end = at;
  int digits = 0;
  char number[19];
  for (std::size_t i = at; i < text.size() && digits < 19;) {
    if (is_digit(text[i])) {
      number[digits++] = text[i++];
      end = i;
      continue;
    }
    const bool encoded = text.substr(i, 3) == "%20";
    if (!encoded && text[i] != ' ' && text[i] != '-' && text[i] != '+') break;
    const std::size_t next = i + (encoded ? 3 : 1);
    if (next >= text.size() || !is_digit(text[next])) break;
    i = next;
  }
  if (digits < 13 || number[0] < '2' || (end < text.size() && is_digit(text[end]))) return 0;
  int sum = 0;
  for (int i = 0; i < digits; ++i) {
    int value = number[digits - 1 - i] - '0';
    if (i % 2 == 1) value = value * 2 > 9 ? value * 2 - 9 : value * 2;
    sum += value;
  }
  return sum % 10 == 0 ? end - at : 0;
}

// End of the JSON string that begins at `at` (its quote), behind its closing quote or at the end of the text.
std::size_t json_string_end(std::string_view text, std::size_t at) noexcept {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

// End of the JSON value that begins at `at`: a string, a number or word, a whole object or array.
std::size_t json_value_end(std::string_view text, std::size_t at) noexcept {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = json_string_end(text, at);
    } else if (c == '{' || c == '[') {
      ++depth;
      ++at;
      continue;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return at;
      --depth;
      ++at;
    } else if (depth > 0) {
      ++at;
      continue;
    } else {
      while (at < text.size() && text[at] != ',' && text[at] != '}' && text[at] != ']' && !is_space(text[at]))
        ++at;
    }
    if (depth == 0) return at;
  }
  return at;
}

// The name inside the quotes with \uHHHH of ASCII undone, so that an escaped key is recognised.
std::string json_name(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 >= text.size()) {
      out += text[i];
    } else if (text[i + 1] == 'u' && i + 5 < text.size() && text[i + 2] == '0' && text[i + 3] == '0' &&
               hex_value(text[i + 4]) >= 0 && hex_value(text[i + 5]) >= 0) {
      out += static_cast<char>(hex_value(text[i + 4]) * 16 + hex_value(text[i + 5]));
      i += 5;
    } else {
      ++i;
    }
  }
  return out;
}

}  // namespace

MaskWriter::MaskWriter(const Masker& masker, const MaskSettings& settings, std::string_view raw,
                       MaskedText& out)
    : masker_(masker), settings_(settings), raw_(raw), out_(out) {
  out_.text.reserve(raw.size() + 16);
}

void MaskWriter::keep(std::string_view piece) { out_.text += piece; }

void MaskWriter::mask(std::string_view piece) {
  if (piece.empty()) return;
  mask_as(piece, kMask);
}

void MaskWriter::mask_as(std::string_view piece, std::string_view with) {
  put(piece, with);
  out_.edits_.back().mask = true;
  out_.masked_ = true;
  note_secret(piece);
}

void MaskWriter::note_secret(std::string_view piece) {
  // A quoted value of JSON is known by what is between the quotes.
  if (piece.size() >= 2 && piece.front() == '"' && piece.back() == '"')
    piece = piece.substr(1, piece.size() - 2);
  if (piece.size() < MaskedText::kMinSecretBytes || out_.secrets_.size() >= MaskedText::kMaxSecrets) return;
  out_.secrets_.emplace_back(piece);
  std::string spaced(piece);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  std::string decoded;
  std::uint32_t flags = 0;
  if (!percent_decode(spaced, decoded, flags)) decoded = spaced;
  if (decoded != piece && decoded.size() >= MaskedText::kMinSecretBytes)
    out_.secrets_.push_back(std::move(decoded));
}

void MaskWriter::put(std::string_view piece, std::string_view with) {
  const std::size_t begin = offset_of(piece);
  const std::size_t at = out_.text.size();
  out_.edits_.push_back({begin, begin + piece.size(), at, at + with.size()});
  out_.text += with;
}

void MaskWriter::fill_rest() {
  if (raw_.size() > MaskedText::kMaskedBytes) out_.text.append(raw_.size() - MaskedText::kMaskedBytes, '*');
}

void MaskWriter::values(std::string_view piece) { assignments(piece); }

void MaskWriter::cards(std::string_view piece) {
  if (!settings_.card_numbers) return keep(piece);
  std::size_t kept = 0;
  for (std::size_t at = 0; at < piece.size();) {
    if (!is_digit(piece[at])) {
      ++at;
      continue;
    }
    const std::size_t length = card_length(piece, at);
    if (length == 0) {
      while (at < piece.size() && is_digit(piece[at])) ++at;
      continue;
    }
    keep(piece.substr(kept, at - kept));
    mask(piece.substr(at, length));
    at += length;
    kept = at;
  }
  keep(piece.substr(kept));
}

void MaskWriter::pairs(std::string_view text, std::string_view separators, bool cookies) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    const std::string_view pair = text.substr(0, end);
    const std::size_t equals = pair.find('=');
    const std::string_view name = trim(pair.substr(0, std::min(equals, pair.size())));
    const bool secret =
        equals != kNpos && (cookies ? masker_.secret_cookie(name) : masker_.secret_parameter(name));
    if (secret) {
      keep(pair.substr(0, equals + 1));
      mask(pair.substr(equals + 1));
    } else {
      values(pair);
    }
    keep(text.substr(end, end < text.size() ? 1 : 0));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void MaskWriter::url(std::string_view text) {
  const std::size_t question = std::min(text.find('?'), text.size());
  std::string_view front = text.substr(0, question);
  // scheme://user:password@host
  const std::size_t authority = front.find("://");
  if (authority != kNpos) {
    const std::size_t begin = authority + 3;
    const std::size_t end = std::min(front.find_first_of("/#", begin), front.size());
    const std::size_t at = front.substr(0, end).rfind('@');
    const std::size_t colon = front.find(':', begin);
    if (at != kNpos && at > begin && colon < at) {
      keep(front.substr(0, colon + 1));
      mask(front.substr(colon + 1, at - colon - 1));
      front.remove_prefix(at);
    }
  }
  values(front);
  if (question == text.size()) return;
  keep(text.substr(question, 1));
  const std::string_view query = text.substr(question + 1);
  const std::size_t fragment = std::min(query.find('#'), query.size());
  pairs(query.substr(0, fragment), "&;", false);
  // Single-page applications and OAuth put parameters behind '#', too.
  if (fragment < query.size()) {
    keep(query.substr(fragment, 1));
    pairs(query.substr(fragment + 1), "&;", false);
  }
}

void MaskWriter::json(std::string_view text) {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '"') {
      ++at;
      continue;
    }
    const std::size_t end = json_string_end(text, at);
    const std::size_t colon = skip_space(text, end);
    const bool is_key = colon < text.size() && text[colon] == ':';
    if (!is_key || !masker_.secret_parameter(json_name(text.substr(at + 1, end - at - 2)))) {
      at = end;
      continue;
    }
    const std::size_t value = skip_space(text, colon + 1);
    const std::size_t value_end = json_value_end(text, value);
    values(text.substr(kept, value - kept));
    if (value_end > value) {
      mask_as(text.substr(value, value_end - value), "\"***\"");
    }
    at = kept = std::max(value_end, end);
  }
  values(text.substr(kept));
}

void MaskWriter::multipart(std::string_view text, std::string_view boundary) {
  if (boundary.empty()) return values(text);
  const std::string mark = "--" + std::string(boundary);
  while (!text.empty()) {
    // One part: up to the next boundary; its header ends with an empty line.
    const std::size_t next = text.find(mark, text.starts_with(mark) ? mark.size() : 0);
    const std::string_view part = text.substr(0, std::min(next, text.size()));
    std::size_t blank = part.find("\r\n\r\n");
    std::size_t content = blank == kNpos ? kNpos : blank + 4;
    if (blank == kNpos && (blank = part.find("\n\n")) != kNpos) content = blank + 2;
    bool secret = false;
    if (content != kNpos) {
      const std::string_view header = part.substr(0, content);
      std::size_t name = ifind(header, "name=");
      while (name != kNpos && name > 0 && is_alnum(header[name - 1])) name = ifind(header, "name=", name + 5);
      if (name != kNpos) {
        std::string_view value = header.substr(name + 5);
        const char quote =
            !value.empty() && (value.front() == '"' || value.front() == '\'') ? value.front() : '\0';
        value = quote != '\0' ? value.substr(1, std::min(value.find(quote, 1), value.size()) - 1)
                              : value.substr(0, value.find_first_of(";\r\n"));
        secret = masker_.secret_parameter(trim(value));
      }
    }
    if (secret) {
      std::string_view inside = part.substr(content);
      const std::size_t tail = inside.ends_with("\r\n") ? 2 : inside.ends_with('\n') ? 1 : 0;
      keep(part.substr(0, content));
      mask(inside.substr(0, inside.size() - tail));
      keep(inside.substr(inside.size() - tail));
    } else {
      values(part);
    }
    text.remove_prefix(part.size());
  }
}

}  // namespace wafd::detect
