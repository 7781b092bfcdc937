#include "detect/analyze/http/header_matcher.h"

#include <algorithm>
#include <array>

#include "detect/analyze/http/message_lines.h"
#include "detect/core/bytes.h"
#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {
namespace {

using http::FieldUse;
using http::Line;
using http::LineKind;

enum class HeaderEvidence : std::uint8_t {
  kField,
  kAmbiguousField,
  kUnknownField,
  kMailField,
  kAnswer,
  kRequest
};
constexpr std::array<std::string_view, 6> kNames{"field",      "ambiguous_field", "unknown_field",
                                                 "mail_field", "answer",          "request"};

constexpr std::size_t kSentenceWords = 4;  // on one line

// Strings of a remote call are values as those of JSON are.
bool is_message_of_calls(std::string_view decode_path) noexcept {
  return decode_path.starts_with("grpc") || decode_path.starts_with("protobuf");
}

// Whether a decoding made the line ends. A body may have its own: calendars, cards, mails, parts of forms.
bool ends_were_decoded(const FieldContext& context) noexcept {
  if (context.location != Location::kBody && context.location != Location::kFile) return true;
  const auto undid = [&context](std::string_view coding) {
    return context.decode_path.find(coding) != std::string_view::npos;
  };
  return (context.decode_flags & kEncodedLineEnd) != 0 || undid("json") || undid("base64") || undid("hex") ||
         is_message_of_calls(context.decode_path);
}

// Of a multipart form, whose parts have line ends of their own.
bool is_form_value(const FieldContext& context) noexcept {
  return context.location == Location::kBody && !context.name.empty() && context.decode_path.empty();
}

// Walks over the lines behind the value that the first one ends.
class Finder {
 public:
  Finder(std::string_view text, const FieldContext& context, EvidenceList& out) noexcept
      : lines_(text),
        out_(out),
        decoded_(context.in_name || ends_were_decoded(context)),
        named_(is_form_value(context)) {}

  void run() {
    Line line = lines_.next();
    // A text that begins with a line end goes on behind an empty value.
    if (!line.behind_end && line.kind != LineKind::kEnd) {
      read_value(line);
      line = lines_.next();
    }
    for (; line.kind != LineKind::kEnd; line = lines_.next()) read(line);
    if (ambiguous_.end != 0)
      out_.add(HeaderEvidence::kAmbiguousField, keys_ ? Certainty::kPossible : ambiguous_certainty_,
               ambiguous_.break_at, ambiguous_.end, name_of(ambiguous_));
  }

 private:
  static std::string_view name_of(const Line& line) noexcept {
    return line.text.substr(0, line.end - line.begin - 1);
  }

  // Classifies the text before the first line end: one word, as values of parameters are; a few words; or the
  // beginning of a document or of a message.
  void read_value(const Line& line) {
    const std::string_view value = trim(line.text);
    const std::size_t words = http::words_in(value);
    const std::size_t colon = line.end - line.begin;
    const bool key = colon != 0 && line.kind != LineKind::kText &&
                     (colon >= value.size() || is_space(value[colon]) || line.kind != LineKind::kUnknown);
    address_ = words == 1 && http::has_address(value);
    // BEGIN:VCALENDAR, but not http://a.example and a.example:80
    keys_ = line.kind == LineKind::kUnknown && colon < value.size() && value[colon] != '/' &&
            !is_digit(value[colon]);
    one_word_ = words <= 1;
    message_ = key || words >= kSentenceWords || opens_document(value);
  }

  // Fences of Markdown, rules of YAML, brackets of JSON.
  static bool opens_document(std::string_view value) noexcept {
    const bool fence = value.size() >= 3 &&
                       std::string_view("`~-=*#").find(value[0]) != std::string_view::npos &&
                       value[1] == value[0] && value[2] == value[0];
    return fence || value == "{" || value == "[";
  }

  Certainty certainty() const noexcept {
    // An address, then a field of mails, is put into one by every form that sends mail.
    const bool addressed = address_ && named_ && !message_;
    if (message_ || (!decoded_ && !addressed)) return Certainty::kPossible;
    return one_word_ ? Certainty::kCertain : Certainty::kLikely;
  }

  void read(const Line& line) {
    switch (line.kind) {
      case LineKind::kStatus:
        return out_.add(HeaderEvidence::kAnswer, of_message(), line.break_at, line.end);
      case LineKind::kRequest:
        return out_.add(HeaderEvidence::kRequest, of_message(), line.break_at, line.end);
      case LineKind::kField:
        return read_field(line);
      case LineKind::kMisfit:
        keys_ = true;
        return;
      case LineKind::kUnknown:
        return read_unknown(line);
      case LineKind::kText:
        // A sentence: what follows stands in prose.
        if (http::words_in(line.text) >= kSentenceWords) message_ = true;
        return;
      case LineKind::kEnd:
        return;
    }
  }

  void read_field(const Line& line) {
    switch (line.field->use) {
      case FieldUse::kTelling:
        return out_.add(HeaderEvidence::kField, of_message(), line.break_at, line.end, name_of(line));
      case FieldUse::kBlind:
        return out_.add(HeaderEvidence::kMailField, certainty(), line.break_at, line.end, name_of(line));
      case FieldUse::kSubject:
        // Behind an address alone: shopping lists and minutes have the word.
        if (!address_) return;
        return out_.add(HeaderEvidence::kMailField, certainty(), line.break_at, line.end, name_of(line));
      case FieldUse::kMail:
        if (address_ || line.field->value == http::FieldValue::kAny)
          return out_.add(HeaderEvidence::kMailField, one_word_ ? certainty() : Certainty::kPossible,
                          line.break_at, line.end, name_of(line));
        return keep_ambiguous(line, one_word_ ? certainty() : Certainty::kPossible);
      case FieldUse::kWord:
        return keep_ambiguous(line, of_message());
    }
  }
  // Fields that only answers and requests have are in no mail.
  Certainty of_message() const noexcept { return decoded_ ? certainty() : Certainty::kPossible; }

  void keep_ambiguous(const Line& line, Certainty certainty) {
    if (ambiguous_.end != 0) return;
    ambiguous_ = line;
    ambiguous_certainty_ = certainty;
  }

  // X-Anything: 1
  void read_unknown(const Line& line) {
    const std::string_view name = name_of(line);
    if (name.size() > 3 && istarts_with(name, "x-") && one_word_)
      return out_.add(HeaderEvidence::kField, keys_ ? Certainty::kPossible : certainty(), line.break_at,
                      line.end, name);
    // A name with a hyphen is one of a field; other keys make the text a document of keys.
    const bool hyphen = name.find('-') != std::string_view::npos;
    const bool first_key = !keys_;
    if (!hyphen) keys_ = true;
    if (first_key && one_word_ && is_alpha(name[0]) && certainty() != Certainty::kPossible)
      out_.add(HeaderEvidence::kUnknownField, hyphen ? Certainty::kCertain : Certainty::kLikely,
               line.break_at, line.end, name);
  }

  http::MessageLines lines_;
  EvidenceList& out_;
  const bool decoded_;
  const bool named_;      // it is the value of a field of a form
  bool message_ = false;  // a message, a document or prose, so far
  bool one_word_ = true;  // at most, before the first line end
  bool address_ = false;  // and that is one of mail
  bool keys_ = false;     // "name: value" lines that no message has
  Line ambiguous_;        // first field that a document may have for a key
  Certainty ambiguous_certainty_ = Certainty::kPossible;
};

class HeaderMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "crlf"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  std::uint32_t reads_places() const noexcept override {
    return kEveryPlace & ~place_bit(Location::kFile, false);
  }
  bool reads_kept_plus() const noexcept override { return false; }
  Needs needs() const override {
    const Sign wide{SignKind::kLiterals, {http::kWideLineEnds.begin(), http::kWideLineEnds.end()}};
    return {{any_byte("\r\n"), any_byte(":")},
            {any_byte("\r\n"), any_literal({"http/"})},
            {wide, any_byte(":")},
            {wide, any_literal({"http/"})}};
  }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    Finder(text, context, out).run();
  }
};

}  // namespace

std::unique_ptr<Matcher> make_header_matcher() { return std::make_unique<HeaderMatcher>(); }

}  // namespace wafd::detect
