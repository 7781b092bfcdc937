#include "detect/analyze/http/header_injection.h"

#include <algorithm>
#include <array>
#include <utility>

#include "detect/analyze/base/hint_text.h"
#include "detect/core/octets.h"
#include "detect/core/word_table.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t { kResponseHeader, kSplit, kMail, kRequest, kField };

constexpr RuleSpec kRules[] = {
    {"response-header", "Header field behind a line end", Risk::kHigh, Sensitivity::kBalanced},
    {"split", "Second response or request behind a line end", Risk::kHigh, Sensitivity::kLow},
    {"mail", "Mail header behind a line end", Risk::kHigh, Sensitivity::kBalanced},
    {"request", "Request line behind a line end", Risk::kHigh, Sensitivity::kBalanced},
    {"field", "Lines of a message inside of a value", Risk::kLow, Sensitivity::kStrict},
};

constexpr std::size_t kMaxNameBytes = 40;
constexpr std::size_t kMaxLineBytes = 256;     // of a line that is looked at
constexpr std::size_t kMaxBeforeBytes = 1024;  // of a body's value: further down it is a document
constexpr std::size_t kProseWords = 4;         // on one line

// What a field's value looks like. Names that are words of prose or keys of configurations count only with
// such a value.
enum class Value : std::uint8_t {
  kNone,
  kAny,      // the name is telling
  kNumber,   // Status: 302
  kPair,     // Cookie: a=b
  kPlace,    // Location: /a
  kHost,     // Host: a.example
  kOption,   // Connection: close
  kAddress,  // To: a@b.example
  kBlind,    // Bcc: a@b.example, which no mail that was received has
  kMail,     // the name is one of mails
  kSubject,  // and an ordinary word: counts behind an address alone
};

constexpr KindOfWord<Value> kFieldList[] = {
    {"set-cookie", Value::kAny},
    {"set-cookie2", Value::kAny},
    {"location", Value::kPlace},
    {"content-location", Value::kAny},
    {"content-type", Value::kAny},
    {"content-length", Value::kAny},
    {"content-security-policy", Value::kAny},
    {"content-disposition", Value::kAny},
    {"content-encoding", Value::kAny},
    {"content-language", Value::kAny},
    {"transfer-encoding", Value::kAny},
    {"refresh", Value::kNumber},
    {"status", Value::kNumber},
    {"link", Value::kPlace},
    {"host", Value::kHost},
    {"connection", Value::kOption},
    {"pragma", Value::kOption},
    {"cookie", Value::kPair},
    {"authorization", Value::kOption},
    {"referer", Value::kPlace},
    {"cache-control", Value::kAny},
    {"user-agent", Value::kAny},
    {"last-modified", Value::kAny},
    {"www-authenticate", Value::kAny},
    {"proxy-authenticate", Value::kAny},
    {"x-xss-protection", Value::kAny},
    {"x-forwarded-for", Value::kAny},
    {"x-forwarded-host", Value::kAny},
    {"x-frame-options", Value::kAny},
    {"x-content-type-options", Value::kAny},
    {"x-accel-redirect", Value::kAny},
    {"x-sendfile", Value::kAny},
    {"clear-site-data", Value::kAny},
    {"strict-transport-security", Value::kAny},
    {"referrer-policy", Value::kAny},
    {"permissions-policy", Value::kAny},
    {"content-security-policy-report-only", Value::kAny},
    {"cross-origin-opener-policy", Value::kAny},
    {"cross-origin-resource-policy", Value::kAny},
    {"proxy-authorization", Value::kAny},
    {"keep-alive", Value::kPair},
    {"access-control-allow-origin", Value::kAny},
    {"access-control-allow-credentials", Value::kAny},
    {"access-control-allow-methods", Value::kAny},
    {"access-control-allow-headers", Value::kAny},
    {"bcc", Value::kBlind},
    {"cc", Value::kAddress},
    {"to", Value::kAddress},
    {"from", Value::kAddress},
    {"sender", Value::kAddress},
    {"reply-to", Value::kAddress},
    {"errors-to", Value::kAddress},
    {"return-path", Value::kAddress},
    {"return-receipt-to", Value::kAddress},
    {"disposition-notification-to", Value::kAddress},
    {"subject", Value::kSubject},
    {"mime-version", Value::kMail},
    {"content-transfer-encoding", Value::kMail},
    {"x-mailer", Value::kMail},
    {"x-priority", Value::kMail},
};
constexpr KindTable kFields(kFieldList);

constexpr std::string_view kMethods[] = {"get",     "post",  "put",   "head",   "delete",
                                         "options", "patch", "trace", "connect"};

// Octets with which a line end begins. Characters beyond ASCII end a line where a server writes the low octet
// of each (U+560A, U+560D; U+010D U+010A, of which the first alone is a letter of Czech) or takes Unicode's
// line ends for ends (U+0085, U+2028, U+2029).
struct LineEnd {
  std::string_view octets;
};
constexpr LineEnd kWide[] = {{"\xe5\x98\x8a"}, {"\xe5\x98\x8d"},     {"\xe2\x80\xa8"},
                             {"\xe2\x80\xa9"}, {"\xc4\x8d\xc4\x8a"}, {"\xc2\x85"}};
constexpr auto kBeginsEnd = [] {
  std::array<bool, 256> begins{};
  begins['\r'] = begins['\n'] = true;
  for (const LineEnd& wide : kWide) begins[octet(wide.octets[0])] = true;
  return begins;
}();

// Octets of the line end at `at`, or 0.
std::size_t line_end_bytes(std::string_view text, std::size_t at) noexcept {
  if (!kBeginsEnd[octet(text[at])]) return 0;
  if (octet(text[at]) < 0x80) return 1;
  for (const LineEnd& wide : kWide) {
    if (text.substr(at).starts_with(wide.octets)) return wide.octets.size();
  }
  return 0;
}

std::size_t next_line_end(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && line_end_bytes(text, at) == 0) ++at;
  return at;
}

bool is_blank(char c) noexcept { return is_space(c) || c == '+'; }

std::size_t words_in(std::string_view line) noexcept {
  std::size_t words = 0;
  for (std::size_t i = 0; i < line.size(); ++i)
    words += !is_blank(line[i]) && (i == 0 || is_blank(line[i - 1])) ? 1 : 0;
  return words;
}

std::string_view name_of(std::string_view line) noexcept {
  std::size_t end = 0;
  while (end < line.size() && end < kMaxNameBytes &&
         (is_alnum(line[end]) || line[end] == '-' || line[end] == '_'))
    ++end;
  return line.substr(0, end);
}

bool is_request_line(std::string_view line, std::string_view name) noexcept {
  return std::any_of(std::begin(kMethods), std::end(kMethods),
                     [&](std::string_view method) { return iequals(name, method); }) &&
         ifind(line, " http/", name.size()) != std::string_view::npos;
}

bool is_status_line(std::string_view line) noexcept {
  return istarts_with(line, "http/1") || istarts_with(line, "http/2");
}

bool has_address(std::string_view value) noexcept {
  const std::size_t at = value.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < value.size() && is_alnum(value[at + 1]);
}

bool fits(Value kind, std::string_view value) noexcept {
  const bool one = value.find(' ') == std::string_view::npos;
  switch (kind) {
    case Value::kNumber:
      return !value.empty() && is_digit(value[0]);
    case Value::kPair:
      return value.find('=') != std::string_view::npos && value.find('=') < value.find(' ');
    case Value::kPlace:
      return !value.empty() && (one || value[0] == '<') && value.find('/') != std::string_view::npos;
    case Value::kHost:
      return one && value.find_first_of(".:") != std::string_view::npos && is_alnum(value[0]);
    case Value::kOption:
      return istarts_with(value, "close") || istarts_with(value, "keep-alive") ||
             istarts_with(value, "upgrade") || istarts_with(value, "no-cache") ||
             istarts_with(value, "basic ") || istarts_with(value, "bearer ");
    case Value::kAddress:
    case Value::kBlind:
      return has_address(value);
    default:
      return true;
  }
}

// Reads the lines of one text from its first end of a line on.
class Lines {
 public:
  Lines(std::string_view text, bool body, std::vector<Hit>& hits)
      : text_(text), body_(body), found_(text.size(), hits) {}

  void read() {
    std::size_t end = next_line_end(text_, 0);
    if (end >= text_.size()) return;
    const std::string_view first = trim(text_.substr(0, end));
    opens(first);
    while (end < text_.size()) {
      const std::size_t at = end;
      std::size_t begin = at;
      for (std::size_t bytes = 1; begin < text_.size() && bytes != 0; begin += bytes)
        bytes = is_space(text_[begin]) ? 1 : line_end_bytes(text_, begin);
      end = next_line_end(text_, begin);
      if (begin < text_.size()) line(at, begin, text_.substr(begin, std::min(end - begin, kMaxLineBytes)));
    }
    // A document of keys: what may be one of them is one.
    if (ambiguous_.end != 0) add(keys_ ? kField : ambiguous_.rule, ambiguous_.begin, ambiguous_.end);
  }

 private:
  struct Place {
    RuleIndex rule = kField;
    std::size_t begin = 0;
    std::size_t end = 0;  // 0: none
  };

  void opens(std::string_view first) {
    loose_ = begins_message(first);
    // Of a form as a whole its last value; there a plus is a space.
    if (body_) first = trim(first.substr(first.rfind('=') + 1));
    loose_ = loose_ || begins_message(first);
    one_word_ = words_in(first) <= 1;
    address_ = one_word_ && has_address(first);
  }

  bool begins_message(std::string_view first) const noexcept {
    const std::string_view name = name_of(first);
    const std::string_view behind = first.substr(name.size());
    const bool field =
        !name.empty() && behind.starts_with(':') && (behind.size() == 1 || is_blank(behind[1]));
    // Comments, sections, lists and fences of documents.
    const bool document =
        body_ && !first.empty() && std::string_view("#[{<-`*=>;").find(first[0]) != std::string_view::npos;
    return field || document || is_status_line(first) || is_request_line(first, name) ||
           words_in(first) >= kProseWords;
  }

  void line(std::size_t at, std::size_t begin, std::string_view line) {
    // %%0a0a: what a filter leaves that takes %0a out, or undoes it, once.
    if (at > 0 && text_[at - 1] == '%' && line.size() > 2 && line[0] == '0' &&
        (to_lower(line[1]) == 'a' || to_lower(line[1]) == 'd')) {
      line.remove_prefix(2);
      begin += 2;
    }
    const std::string_view name = name_of(line);
    const std::size_t end = begin + name.size();
    if (body_ && at > kMaxBeforeBytes) loose_ = true;
    if (is_status_line(line)) return add(loose_ ? kField : kSplit, at, end);
    if (is_request_line(line, name)) return add(loose_ || (body_ && !one_word_) ? kField : kRequest, at, end);
    const std::string_view behind = line.substr(name.size());
    const bool field = !name.empty() && behind.starts_with(':');
    Value kind = field ? kFields.find(name) : Value::kNone;
    if (kind == Value::kNone && field && one_word_ && istarts_with(name, "x-") && name.size() > 3)
      kind = Value::kAny;
    if (kind != Value::kNone) {
      known(kind, trim(behind.substr(1)), {kField, at, end + 1}, name.find('-') != std::string_view::npos);
    } else if (field && (behind.size() == 1 || is_space(behind[1]))) {
      keys_ = keys_ || name.find('-') == std::string_view::npos;
    } else if (words_in(line) >= kProseWords) {
      loose_ = true;
    }
  }

  void known(Value kind, std::string_view value, Place place, bool telling) {
    if (kind == Value::kSubject && (!address_ || loose_)) {
      keys_ = true;
      return;
    }
    const bool mail = kind >= Value::kAddress;
    place.rule = mail ? kMail : kResponseHeader;
    if (loose_) return add(kField, place.begin, place.end);
    if (mail && address_) return add(kMail, place.begin, place.end);
    if (kind == Value::kMail) return add(one_word_ && !body_ ? kMail : kField, place.begin, place.end);
    if (!fits(kind, value)) {
      if (one_word_) add(kField, place.begin, place.end);
      return;
    }
    if (telling || kind == Value::kBlind) return add(place.rule, place.begin, place.end);
    if (mail && !one_word_) return add(kField, place.begin, place.end);
    if (ambiguous_.end == 0) ambiguous_ = place;
  }

  static const char* reason(RuleIndex rule) noexcept {
    switch (rule) {
      case kResponseHeader:
        return "Behind a line end stands a header field that would join the response or request.";
      case kSplit:
        return "Behind a line end begins a second response.";
      case kMail:
        return "Behind a line end stands a mail header.";
      case kRequest:
        return "Behind a line end begins a second request.";
      default:
        return "Among its lines stands a field of a message.";
    }
  }

  // A body may hold the lines of a message by right.
  void add(RuleIndex rule, std::size_t begin, std::size_t end) {
    if (!(body_ && rule == kField) && !found_.has(rule)) found_.add(rule, begin, end, reason(rule));
  }

  std::string_view text_;
  const bool body_;  // where lines of text stand by right
  FirstHits found_;
  bool loose_ = false;     // a message, a document or prose, so far
  bool one_word_ = false;  // stands before the first end of a line, at most
  bool address_ = false;   // and that is an address
  bool keys_ = false;      // "name: value" lines with names that no message has
  Place ambiguous_;        // field whose name a document may have for a key
};

class HeaderInjectionAnalyzer final : public Analyzer {
 public:
  HeaderInjectionAnalyzer() : rules_(make_rules("m_crlf", AttackType::kCrlfInjection, 6000, kRules)) {}

  std::string_view name() const noexcept override { return "crlf"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override { return hints_.all(); }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (context.location == Location::kFile && !context.in_name) return;
    Lines(text, context.location == Location::kBody && !context.in_name, hits).read();
  }

 private:
  static std::vector<std::string> hint_texts() {
    // Behind the last octet of a line end.
    std::string end = "[\\r\\n";
    for (const LineEnd& wide : kWide) end += "\\x" + to_hex(wide.octets.substr(wide.octets.size() - 1));
    end += "]\\s*(0[ad])?";
    return {end + any_of_words(kFields.words()) + ":",
            end + "x-[a-z0-9_-]+:", end + any_of_words(kMethods) + "[^\\r\\n]* http/", end + "http/[12]"};
  }

  std::vector<Rule> rules_;
  const HintTexts hints_{hint_texts()};
};

}  // namespace

std::unique_ptr<Analyzer> make_header_injection_analyzer() {
  return std::make_unique<HeaderInjectionAnalyzer>();
}

}  // namespace wafd::detect
