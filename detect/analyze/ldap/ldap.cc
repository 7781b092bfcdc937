#include "detect/analyze/ldap/ldap.h"

#include <array>

#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t { kFilterBreak, kFilterEnd, kWholeFilter };

constexpr std::array kRules = {
    RuleSpec{"filter-break", "LDAP filter item closed and another opened", Risk::kHigh,
             Sensitivity::kBalanced},
    RuleSpec{"filter-end", "LDAP filter ended early", Risk::kHigh, Sensitivity::kBalanced},
    RuleSpec{"whole-filter", "Value that is an LDAP filter", Risk::kMedium, Sensitivity::kStrict},
};

// Attributes of the schemas that every directory has (RFC 4519, RFC 2307, Active Directory).
constexpr WordSet kAttributes({"objectclass",
                               "objectcategory",
                               "uid",
                               "cn",
                               "sn",
                               "mail",
                               "ou",
                               "dc",
                               "o",
                               "givenname",
                               "userpassword",
                               "password",
                               "samaccountname",
                               "userprincipalname",
                               "memberof",
                               "member",
                               "useraccountcontrol",
                               "uidnumber",
                               "gidnumber",
                               "homedirectory",
                               "description",
                               "telephonenumber",
                               "displayname",
                               "distinguishedname",
                               "lockouttime",
                               "pwdlastset",
                               "unicodepwd",
                               "user",
                               "username",
                               "name",
                               "admincount",
                               "c",
                               "co",
                               "company",
                               "department",
                               "employeeid",
                               "employeenumber",
                               "employeetype",
                               "entrydn",
                               "entryuuid",
                               "gecos",
                               "initials",
                               "ipphone",
                               "jpegphoto",
                               "l",
                               "lastlogon",
                               "loginshell",
                               "manager",
                               "memberuid",
                               "mobile",
                               "objectguid",
                               "objectsid",
                               "postaladdress",
                               "primarygroupid",
                               "sambantpassword",
                               "seealso",
                               "serviceprincipalname",
                               "shadowlastchange",
                               "st",
                               "street",
                               "structuralobjectclass",
                               "title",
                               "usercertificate"});

bool is_attribute(char c) noexcept { return is_alnum(c) || c == '-' || c == ';' || c == '.'; }

struct Item {
  std::size_t end = 0;    // behind the operator; 0: no item begins here
  bool known = false;     // an attribute that directories have
  bool presence = false;  // attr=*
  bool rule = false;      // attr:rule:=, which nothing but a directory knows
};

// attribute operator, from behind the parenthesis.
Item item_at(std::string_view text, std::size_t at) noexcept {
  const std::size_t begin = skip_space(text, at);
  std::size_t i = begin;
  while (i < text.size() && is_attribute(text[i])) ++i;
  if (i == begin || !is_alpha(text[begin])) return {};
  Item item;
  item.known = kAttributes.has(text.substr(begin, i - begin));
  // An extensible match: attr:dn:2.5.13.18:=
  while (i + 1 < text.size() && text[i] == ':' && is_alnum(text[i + 1])) {
    ++i;
    while (i < text.size() && is_attribute(text[i])) ++i;
    item.rule = true;
  }
  item.rule = item.rule && text.substr(i, 2) == ":=";
  if (i + 1 < text.size() && (text[i] == '~' || text[i] == '>' || text[i] == '<' || text[i] == ':') &&
      text[i + 1] == '=')
    ++i;
  if (i >= text.size() || text[i] != '=') return {};
  item.end = i + 1;
  item.presence = item.end < text.size() && text[item.end] == '*';
  return item;
}

// "&", "|", "!" and then a parenthesis, or the end: "(|" left open on purpose.
bool set_at(std::string_view text, std::size_t at) noexcept {
  const std::size_t i = skip_space(text, at);
  if (i >= text.size() || (text[i] != '&' && text[i] != '|' && text[i] != '!')) return false;
  const std::size_t next = skip_space(text, i + 1);
  return next >= text.size() || text[next] == '(' || text[next] == ')';
}

class LdapAnalyzer final : public Analyzer {
 public:
  LdapAnalyzer() : rules_(make_rules("m_ldap", AttackType::kLdapInjection, 1300, kRules)) {}

  std::string_view name() const noexcept override { return "ldap"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }

  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array kHints = {R"(\)\s*\([\s(]*([&|!]|[a-z][a-z0-9;.-]*(:[a-z0-9;.-]+)*[~<>:]?=))",
                                          R"(\)\s*\)?\s*\x00)", R"(\*\(\s*[&|!]\s*\(?\s*[a-z])",
                                          R"((^|^\s*\s)\(\s*[&|!]\s*[()])"};
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& /*context*/,
               std::vector<Hit>& hits) const override {
    const auto hit = [&](RuleIndex rule, std::size_t begin, std::size_t end, const char* reason) {
      hits.push_back({rule, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), reason});
    };
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '(') {
        // a*(|(mail=*)): opens a set of its own although the item goes on.
        if (depth == 0 && i > 0 && text[i - 1] == '*' && opens_set(text, i))
          return hit(kFilterBreak, i, text.size(),
                     "opens a set of conditions inside of an item of an LDAP filter");
        ++depth;
      }
      if (text[i] != ')') continue;
      if (depth > 0) {
        --depth;
        continue;
      }
      // It closes what the application opened.
      std::size_t next = skip_space(text, i + 1);
      if (next < text.size() && text[next] == ')') next = skip_space(text, next + 1);
      if (next < text.size() && text[next] == '(') {
        for (std::size_t inner = skip_space(text, next + 1); inner < text.size() && text[inner] == '(';
             inner = skip_space(text, inner + 1))
          next = inner;
        const bool wildcard = i > 0 && text[i - 1] == '*';
        const Item item = item_at(text, next + 1);
        if (set_at(text, next + 1) || opens_set(text, next)) {
          return hit(kFilterBreak, i, text.size(),
                     "closes an item of an LDAP filter, then opens a set of its own");
        }
        if (item.end != 0 &&
            (item.known || item.presence || item.rule || wildcard || goes_on(text, item.end))) {
          return hit(kFilterBreak, i, item.end,
                     "closes an item of an LDAP filter, then adds a condition on another attribute");
        }
      }
      if (next < text.size() && text[next] == '\0' && (i == 0 || text[i - 1] != '(')) {
        return hit(kFilterEnd, i, next + 1, "closes an LDAP filter and ends it with NUL");
      }
      return;
    }
    if (whole_filter(text)) hit(kWholeFilter, 0, text.size(), "is an LDAP filter with a set of conditions");
  }

 private:
  // Behind the item stands another, or a set: )(department=it)(|(cn=
  static bool goes_on(std::string_view text, std::size_t at) noexcept {
    const std::size_t close = text.find_first_of("()", at);
    if (close == std::string_view::npos || text[close] != ')') return false;
    const std::size_t open = skip_space(text, close + 1);
    if (open >= text.size() || text[open] != '(') return false;
    return set_at(text, open + 1) || opens_set(text, open) || item_at(text, open + 1).known;
  }

  // "(|" or the like at `at`, with an item of a directory in it, parenthesis or not.
  static bool opens_set(std::string_view text, std::size_t at) noexcept {
    const std::size_t sign = skip_space(text, at + 1);
    if (sign >= text.size() || (text[sign] != '&' && text[sign] != '|' && text[sign] != '!')) return false;
    std::size_t inner = skip_space(text, sign + 1);
    if (inner < text.size() && text[inner] == '(') ++inner;
    const Item item = item_at(text, inner);
    return item.end != 0 && (item.known || item.presence);
  }

  static bool whole_filter(std::string_view text) noexcept {
    const std::size_t i = skip_space(text, 0);
    if (i >= text.size() || text[i] != '(' || !set_at(text, i + 1)) return false;
    const std::size_t inner = text.find('(', i + 1);
    return inner != std::string_view::npos && item_at(text, inner + 1).end != 0;
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_ldap_analyzer() { return std::make_unique<LdapAnalyzer>(); }

}  // namespace wafd::detect
