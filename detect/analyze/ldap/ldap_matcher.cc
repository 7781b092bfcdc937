#include "detect/analyze/ldap/ldap_matcher.h"

#include <algorithm>
#include <array>

#include "detect/analyze/ldap/filter_lexer.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

using ldap::FilterLexer;
using ldap::Token;
using ldap::TokenKind;

enum class LdapEvidence : std::uint8_t { kAddedItem, kAddedSet, kEarlyEnd, kWholeFilter, kSecretFilter };
constexpr std::array<std::string_view, 5> kNames{"added_item", "added_set", "early_end", "whole_filter",
                                                 "secret_filter"};
// RFC 4519, RFC 3112, Active Directory; "password" as applications' own schemas have it.
constexpr WordSet kSecrets({"userpassword", "authpassword", "unicodepwd", "dbcspwd", "ntpwdhistory",
                            "password", "sambantpassword", "sambalmpassword", "krbprincipalkey"});

// No other control characters than those of lines: no entry of a directory has a value with them, but
// compressed content that was taken for text has.
bool is_text(std::string_view text) noexcept {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return byte(c) < 0x20 && c != '\t' && c != '\r' && c != '\n'; });
}

// Walks over the tokens as a filter that began before the text: (attribute=TEXT).
class LdapReader {
 public:
  LdapReader(std::string_view text, EvidenceList& out) noexcept : text_(text), lexer_(text), out_(out) {}

  void run() {
    const bool opens = look().kind == TokenKind::kOpen;
    while (look().kind != TokenKind::kEnd) step();
    if (!opens || items_ == 0 || !out_.items().empty()) return;
    if (sets_ != 0 && !secret_.empty()) {
      out_.add(LdapEvidence::kSecretFilter, Certainty::kCertain, 0, token_.begin, secret_);
    } else if (sets_ != 0 || (certain_ && text_.find(')') != std::string_view::npos)) {
      // One item of a filter: (uid=*)
      const Certainty certainty = sets_ == 0 ? Certainty::kPossible
                                  : certain_ ? Certainty::kCertain
                                             : Certainty::kLikely;
      out_.add(LdapEvidence::kWholeFilter, certainty, 0, token_.begin);
    }
  }

 private:
  const Token& look() noexcept {
    if (!ahead_) token_ = lexer_.next();
    ahead_ = true;
    return token_;
  }
  Token take() noexcept {
    look();
    ahead_ = false;
    last_ = token_;
    return token_;
  }

  void step() {
    const Token before = last_;
    const Token token = take();
    switch (token.kind) {
      case TokenKind::kClose:
        if (depth_ > 0) {
          --depth_;
        } else {
          if (!left_ || before.kind != TokenKind::kClose) left_at_ = token.begin;
          left_ = true;
        }
        return;
      case TokenKind::kOpen:
        // a*(|(mail=*): a set inside of an item, which nothing closed.
        inside_item_ = depth_ == 0 && before.kind == TokenKind::kValue && text_[before.end - 1] == '*';
        ++depth_;
        return;
      case TokenKind::kOperator:
        ++sets_;
        if (inside_item_ || begins_behind_break(before)) add_set(token);
        return;
      case TokenKind::kAttribute:
        ++items_;
        certain_ = certain_ || token.known;
        note_secret(token);
        if (begins_behind_break(before)) add_item(token);
        return;
      case TokenKind::kNul:
        if (left_ && is_text(text_.substr(0, token.begin)))
          out_.add(LdapEvidence::kEarlyEnd, Certainty::kCertain, left_at_, token.end);
        return;
      case TokenKind::kValue:
        // Text behind the parenthesis: it closed no item.
        if (depth_ == 0 && !token.blank) left_ = false;
        return;
      case TokenKind::kEnd:
        return;
    }
  }

  // userPassword=a*, password:2.5.13.18:=\61
  void note_secret(const Token& token) noexcept {
    std::string_view name = text_.substr(token.begin, token.end - token.begin);
    name = trim(name.substr(0, name.find_first_of(":=<>~ ")));
    if (kSecrets.has(name)) secret_ = name;
  }

  // A parenthesis closed what the application had opened, and this is what was opened behind it.
  bool begins_behind_break(const Token& before) const noexcept {
    return left_ && (before.kind == TokenKind::kOpen || before.kind == TokenKind::kOperator);
  }

  // Any word before "=" may be somebody's attribute: known ones, a value that matches all, and more items or
  // sets behind it are what makes it one.
  void add_item(const Token& token) {
    const bool matches_all = look().kind == TokenKind::kValue && look().wildcard;
    const bool sure = token.known || matches_all || sets_ != 0 || items_ > 1;
    out_.add(LdapEvidence::kAddedItem, sure ? Certainty::kCertain : Certainty::kPossible, left_at_,
             token.end);
  }

  void add_set(const Token& token) {
    const TokenKind next = look().kind;
    const bool grammar = next == TokenKind::kOpen || next == TokenKind::kClose || next == TokenKind::kEnd ||
                         (next == TokenKind::kAttribute && look().known);
    if (grammar)
      out_.add(LdapEvidence::kAddedSet, Certainty::kCertain, left_ ? left_at_ : token.begin, token.end);
  }

  std::string_view text_;
  FilterLexer lexer_;
  EvidenceList& out_;
  Token token_;
  Token last_;
  bool ahead_ = false;
  std::size_t depth_ = 0;  // of parentheses that the text opened
  bool left_ = false;      // it closed one that it did not open
  std::size_t left_at_ = 0;
  bool inside_item_ = false;
  bool certain_ = false;     // an attribute of a schema was seen
  std::string_view secret_;  // an attribute that holds a password
  std::size_t sets_ = 0;
  std::size_t items_ = 0;
};

class LdapMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "ldap"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  bool reads_kept_plus() const noexcept override { return false; }
  Needs needs() const override {
    return {{any_byte(")"), any_byte("("), any_byte("=&|!")},
            {any_byte(")"), any_byte(std::string_view("\0", 1))},
            {any_byte("("), any_byte("&|!")}};
  }
  std::uint32_t units_a_token() const noexcept override { return 15; }
  void find(std::string_view text, const FieldContext&, EvidenceList& out) const override {
    LdapReader(text, out).run();
  }
};

}  // namespace

std::unique_ptr<Matcher> make_ldap_matcher() { return std::make_unique<LdapMatcher>(); }

}  // namespace wafd::detect
