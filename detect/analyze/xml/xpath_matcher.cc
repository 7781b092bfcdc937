#include "detect/analyze/xml/xpath_matcher.h"

#include <array>

#include "detect/analyze/xml/xpath_functions.tsv.h"
#include "detect/analyze/xml/xpath_reader.h"
#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"

namespace wafd::detect {
namespace {

using xml::FunctionUse;
using xml::Operand;
using xml::OperandEnd;
using xml::xpath_name_at;

enum class XpathEvidence : std::uint8_t { kNodeUnion, kCondition, kDocument, kAxis, kWhole };
constexpr std::array<std::string_view, 5> kNames{"node_union", "condition", "document", "axis", "whole"};

bool is_quote(char c) noexcept { return c == '\'' || c == '"'; }

class Finder {
 public:
  Finder(std::string_view text, EvidenceList& out) noexcept : text_(text), out_(out) {}

  void run() {
    whole();
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (is_name_byte(c) && (!is_digit(c) || (i + 1 < text_.size() && is_name_byte(text_[i + 1])))) {
        before_ = c;
        continue;
      }
      if (is_quote(c)) {
        i = quote(i);
      } else if (c == ')' || c == ']' || is_digit(c)) {
        i = boundary(i);
      } else if (c == ':' && text_.substr(i, 2) == "::") {
        axis(i);
      } else if (c == '(') {
        document(i);
      }
      if (!is_space(c)) before_ = i < text_.size() ? text_[i] : '\0';
    }
  }

 private:
  // One that the text opened itself, behind a sign, closes nothing of the application's.
  std::size_t quote(std::size_t at) {
    bool& inside = text_[at] == '"' ? inside_double_ : inside_single_;
    if (inside) {
      inside = false;
      return at;
    }
    const std::size_t next = boundary(at);
    inside = next == at && before_ != '\0' &&
             std::string_view("=(,[<>!+|").find(before_) != std::string_view::npos;
    return next;
  }

  // Behind what closes a value: an operator, then something of the document.
  std::size_t boundary(std::size_t at) {
    std::size_t next = at + 1;
    bool predicate = text_[at] == ']';
    for (; next < text_.size() && (text_[next] == ')' || text_[next] == ']'); ++next)
      predicate = predicate || text_[next] == ']';
    const std::size_t behind = next;
    next = skip_space(text_, next);
    if (next >= text_.size()) return behind - 1;
    if (text_[next] == '|' && text_.substr(next, 2) != "||") {
      node_union(at, next, predicate && (text_[at] != ']'));
    } else if (behind > at + 1 || next > behind || !is_digit(text_[at])) {
      condition(at, next, is_digit(text_[at]) && behind == at + 1);
    }
    return behind - 1;
  }

  // x'] | //user
  void node_union(std::size_t at, std::size_t bar, bool predicate) {
    const std::size_t path = skip_space(text_, bar + 1);
    if (path >= text_.size()) return;
    const std::string_view axis = xpath_name_at(text_, path);
    const bool steps = text_.substr(path + axis.size(), 2) == "::" && xml::is_axis(axis);
    const bool deep = text_.substr(path, 2) == "//" && text_[at] != ')';
    if (!steps && !deep && !(predicate && text_[path] == '/')) return;
    const OperandEnd end = xml::read_path(text_.substr(0, path + xml::kMaxOperandBytes), path);
    if (end.kind != Operand::kNone) out_.add(XpathEvidence::kNodeUnion, Certainty::kCertain, at, end.end);
  }

  // ' or count(//user)=1, 1 or true()
  void condition(std::size_t at, std::size_t begin, bool number) {
    const std::string_view word = xpath_name_at(text_, begin);
    if (!iequals(word, "or") && !iequals(word, "and")) return;
    std::size_t operand = skip_space(text_, begin + word.size());
    const bool apart = operand > begin + word.size();
    for (std::size_t depth = 0; depth < kMaxOpened && operand < text_.size() && text_[operand] == '(';
         ++depth)
      operand = skip_space(text_, operand + 1);
    if (operand >= text_.size()) return;
    const OperandEnd end = xml::read_operand(text_, operand);
    if (end.kind == Operand::kNone) return;
    // "and/or" is a word of prose.
    const bool sure = end.kind == Operand::kNodes && (apart || !number);
    const bool telling =
        sure || is_constant(operand, end.end) || (is_quote(text_[at]) && goes_on(end.end, text_[at]));
    if (telling)
      out_.add(XpathEvidence::kCondition, number ? Certainty::kLikely : Certainty::kCertain, at, end.end,
               text_.substr(operand, end.end - operand));
  }

  // true(), which in other languages is no call; last() and position() of a predicate.
  bool is_constant(std::size_t begin, std::size_t end) const noexcept {
    const std::string_view call = text_.substr(begin, end - begin);
    return iequals(call, "true()") || iequals(call, "false()") || iequals(call, "last()") ||
           iequals(call, "position()");
  }

  // … or ': the application's own quote closes what comes next.
  bool goes_on(std::size_t end, char quote) const noexcept {
    std::size_t next = skip_space(text_, end);
    const std::string_view word = xpath_name_at(text_, next);
    if (!iequals(word, "or") && !iequals(word, "and")) return false;
    next = skip_space(text_, next + word.size());
    for (std::size_t depth = 0; depth < kMaxOpened && next < text_.size() && text_[next] == '('; ++depth)
      next = skip_space(text_, next + 1);
    return next < text_.size() && text_[next] == quote;
  }

  // child::node(), /following-sibling::a
  void axis(std::size_t at) {
    std::size_t begin = at;
    while (begin > 0 && at - begin < kMaxAxisBytes && (is_alpha(text_[begin - 1]) || text_[begin - 1] == '-'))
      --begin;
    const std::string_view name = text_.substr(begin, at - begin);
    if (!xml::is_axis(name)) return;
    const std::string_view test = xpath_name_at(text_, at + 2);
    const std::size_t end = at + 2 + test.size();
    const bool node = (iequals(test, "node") || iequals(test, "text")) && text_.substr(end, 2) == "()";
    const bool step = begin > 0 && std::string_view("/([").find(text_[begin - 1]) != std::string_view::npos;
    // self::A and parent::b() are PHP's.
    const bool shared = iequals(name, "self") || iequals(name, "parent");
    // ancestor::* as all of a value
    const bool any = begin == 0 && test.empty() && text_.substr(at + 2) == "*";
    if (node && step) {
      out_.add(XpathEvidence::kAxis, Certainty::kCertain, begin, end + 2, name);
    } else if (any || node || (step && (!shared || text_[begin - 1] == '/'))) {
      out_.add(XpathEvidence::kAxis, Certainty::kPossible, begin, end, name);
    }
  }

  // doc('http://…')
  void document(std::size_t open) {
    std::size_t end = open;
    while (end > 0 && is_space(text_[end - 1]) && open - end < kMaxOpened) --end;
    std::size_t begin = end;
    while (begin > 0 && end - begin < kMaxAxisBytes &&
           (is_alpha(text_[begin - 1]) || text_[begin - 1] == '-'))
      --begin;
    const xml::XpathFunction* function = xml::kXpathFunctions.find(text_.substr(begin, end - begin));
    if (function == nullptr || function->use != FunctionUse::kDocument) return;
    const std::size_t quote = skip_space(text_, open + 1);
    if (quote >= text_.size() || !is_quote(text_[quote])) return;
    const std::string_view address = text_.substr(quote + 1, 8);
    for (const std::string_view scheme : {"http://", "https://", "file:", "ftp://", "//"}) {
      if (istarts_with(address, scheme))
        out_.add(XpathEvidence::kDocument, Certainty::kCertain, begin, quote + 1 + scheme.size(),
                 function->text);
    }
  }

  // user/pass|//user: the value stands where the query has the name of a node, and is nothing but paths of
  // which a later one begins anywhere in the document.
  void joined_paths(std::size_t begin) {
    bool anywhere = false;
    std::size_t paths = 0;
    for (std::size_t at = begin; at < text_.size() && paths < kMaxOpened; ++paths) {
      const OperandEnd end = xml::read_path(text_, at);
      if (end.kind == Operand::kNone) return;
      anywhere = anywhere || (paths > 0 && text_.substr(at, 2) == "//");
      at = skip_space(text_, end.end);
      if (at == text_.size()) {
        if (anywhere) out_.add(XpathEvidence::kNodeUnion, Certainty::kLikely, begin, end.end);
        return;
      }
      if (text_[at] != '|') return;
      at = skip_space(text_, at + 1);
    }
  }

  // string(//user[1]/name): what tools take too that read documents.
  void whole() {
    const std::size_t begin = skip_space(text_, 0);
    joined_paths(begin);
    if (begin < text_.size() && text_[begin] == '/') return whole_path(begin);
    const std::string_view name = xpath_name_at(text_, begin);
    if (name.empty() || !xml::kXpathFunctions.has(name)) return;
    // string-length(name(/*[1])): functions of functions
    std::size_t first = begin;
    for (std::size_t depth = 0; depth < kMaxOpened; ++depth) {
      const std::string_view inner = xpath_name_at(text_, first);
      const std::size_t open = skip_space(text_, first + inner.size());
      if (inner.empty() || open >= text_.size() || text_[open] != '(') break;
      first = skip_space(text_, open + 1);
    }
    if (first == begin || first >= text_.size() || text_[first] != '/') return;
    if (xml::read_operand(text_, begin).kind == Operand::kNodes)
      out_.add(XpathEvidence::kWhole, Certainty::kCertain, begin, text_.size(), name);
  }

  // //user[1], //*, /descendant::a: a predicate, an axis or any attribute is in no address and no file's
  // path.
  void whole_path(std::size_t begin) {
    const OperandEnd end = xml::read_path(text_, begin);
    if (end.kind != Operand::kNodes || skip_space(text_, end.end) != text_.size()) return;
    const std::string_view path = text_.substr(begin, end.end - begin);
    if (path.find('[') != std::string_view::npos || path.find("@*") != std::string_view::npos ||
        path.find("::") != std::string_view::npos || path.starts_with("//*") || path.starts_with("/*/"))
      out_.add(XpathEvidence::kWhole, Certainty::kCertain, begin, end.end, path);
  }

  static constexpr std::size_t kMaxOpened = 8;
  static constexpr std::size_t kMaxAxisBytes = 24;

  std::string_view text_;
  EvidenceList& out_;
  char before_ = '\0';  // the last byte that is no white space
  bool inside_single_ = false;
  bool inside_double_ = false;
};

class XpathMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "xpath"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  Needs needs() const override {
    constexpr std::string_view kCloses = "'\")]0123456789";
    constexpr std::string_view kSteps = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    constexpr std::string_view kSpaces = " \t\n\v\f\r";
    const auto documents = any_word(xml::kXpathFunctions, [](const xml::XpathFunction& row) {
      return row.use == FunctionUse::kDocument;
    });
    std::string first;  // of functions
    for (const xml::XpathFunction& row : xml::kXpathFunctions.rows()) {
      first += row.text.front();
      first += static_cast<char>(row.text.front() ^ 0x20);
    }
    return {// x' | //user, a|//user, x' | child::user, x'] | /user
            {any_pair("|", "/", kSpaces), any_literal({"//"})},
            {any_pair(kCloses, "|", kSpaces), any_pair("|", kSteps, kSpaces), any_literal({"::"})},
            {any_byte("]"), any_pair(")]", "|", kSpaces), any_pair("|", "/", kSpaces)},
            {any_pair(kCloses, "aoAO", kSpaces), any_word({"or", "and"}), any_byte("(/@.:")},
            {any_literal({"::"}), any_byte("/([*")},
            {any_first("/ \t\r\n"), any_byte("[*@:")},
            {documents, any_pair("(", "'\"", kSpaces)},
            {any_first(first), any_word(xml::kXpathFunctions), any_pair("(", "/", kSpaces)}};
  }
  void find(std::string_view text, const FieldContext&, EvidenceList& out) const override {
    Finder(text, out).run();
  }
};

}  // namespace

std::unique_ptr<Matcher> make_xpath_matcher() { return std::make_unique<XpathMatcher>(); }

}  // namespace wafd::detect
