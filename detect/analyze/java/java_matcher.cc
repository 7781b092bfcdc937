#include "detect/analyze/java/java_matcher.h"

#include "detect/analyze/java/base64_names.h"
#include "detect/analyze/java/java_reader.h"
#include "detect/analyze/java/lookups.h"
#include "detect/analyze/java/packages.tsv.h"
#include "detect/analyze/java/words.tsv.h"
#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

using namespace java;

constexpr std::size_t kMaxPrefixBytes = 32;

// The lookups whose names are known once everything inside of them is resolved.
void read_lookups(std::string_view text, const FieldContext& context, EvidenceList& out) {
  const std::size_t first = text.find("${");
  if (first == std::string_view::npos || text.find(':', first) == std::string_view::npos) return;
  const std::string_view rest = text.substr(first);
  const LookupReading reading = resolve_lookups(rest, context.memory);
  const std::string_view resolved = reading.resolved;
  bool jndi = false;
  for (std::size_t at = resolved.find("${"); at != std::string_view::npos; at = resolved.find("${", at + 2)) {
    std::size_t end = at + 2;
    while (end < resolved.size() && end - at < kMaxPrefixBytes && is_alnum(resolved[end])) ++end;
    if (end >= resolved.size() || resolved[end] != ':') continue;
    const std::string_view prefix = resolved.substr(at + 2, end - at - 2);
    const Lookup lookup = lookup_of(prefix);
    const bool argument =
        end + 1 < resolved.size() && (is_alnum(resolved[end + 1]) || resolved[end + 1] == '/');
    constexpr JavaEvidence kKinds[] = {JavaEvidence::kJndi, JavaEvidence::kJndi, JavaEvidence::kRunsLookup,
                                       JavaEvidence::kReadsLookup};
    if (lookup == Lookup::kJndi || (lookup != Lookup::kNone && argument))
      out.add(kKinds[static_cast<std::size_t>(lookup)], Certainty::kCertain, first, text.size(), prefix);
    jndi = jndi || lookup == Lookup::kJndi;
  }
  // ${jn${date:'d'}i:ldap://a: a part of the name is looked up, by its default or for an address behind it.
  const bool built =
      reading.nested && rest.find("${", 2) != std::string_view::npos &&
      (rest.find(":-") != std::string_view::npos || rest.find("://") != std::string_view::npos);
  if (!jndi && (built || reading.hides))
    out.add(JavaEvidence::kHidesLookup, Certainty::kCertain, first, text.size(), {});
}

class JavaMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "java"; }
  std::span<const std::string_view> evidence() const noexcept override { return kKindNames; }
  std::uint32_t reads_places() const noexcept override { return ~place_bit(Location::kFile, false); }

  Needs needs() const override {
    const auto of = [](Use use) {
      return any_word(kWords, [use](const WordRow& row) { return meets(row.use, use); });
    };
    Sign packages{SignKind::kLiterals, {}};
    for (const PackageRow& row : kPackages.rows()) {
      if (known_before(row.text)) continue;
      const bool dotted = row.text.find('.') != std::string_view::npos;
      packages.parts.push_back(std::string(row.text) + (dotted ? "" : "."));
    }
    Sign base64{SignKind::kLiterals, base64_literals()};
    const auto literals = [](std::string_view ahead, Use use, std::string_view behind) {
      Sign sign{SignKind::kLiterals, {}};
      for (const WordRow& row : kWords.rows()) {
        if (meets(row.use, use))
          sign.parts.push_back(std::string(ahead) + std::string(row.text) + std::string(behind));
      }
      return sign;
    };
    return {{any_literal({"${"}), any_byte(":")},
            {any_literal({"%{#", "(#"})},
            {literals("#", Use::kContext, ""), any_byte("[.")},
            {any_word({"t"}), any_literal({"t(", "t (", "t\t(", "t\n("}), any_byte(")")},
            {any_byte("@"), any_literal({"%{", "${", "#{", "(#"})},
            {any_literal({".execute("})},
            {any_literal({"@grab", "jenkins.", "runtime.runtime.", "eval.me(", "eval.x"})},
            {of(Use::kGadget | Use::kRunner | Use::kOgnl)},
            {of(Use::kReflection), any_byte("(")},
            {any_literal({"class"}), of(Use::kLoader)},
            {any_literal({"class.module", "class.classloader", "class.protectiondomain"})},
            {literals("{", Use::kPage, "."), any_byte("(")},
            {packages},
            {base64}};
  }

  std::uint32_t units_a_token() const noexcept override { return 10; }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    read_lookups(text, context, out);
    JavaReader(text, context, out).run();
    const HiddenName hidden = base64_name(text);
    if (!hidden.name.empty())
      out.add(JavaEvidence::kHiddenName, Certainty::kCertain, hidden.begin, hidden.end, hidden.name);
    else if (is_base64_runtime(text))
      out.add(JavaEvidence::kHiddenName, Certainty::kPossible, 0, text.size(), "runtime");
  }

 private:
  // A shorter name that is known announces it too.
  static bool known_before(std::string_view dotted) noexcept {
    for (std::size_t dot = dotted.rfind('.'); dot != std::string_view::npos;
         dot = dot == 0 ? dot : dotted.rfind('.', dot - 1)) {
      if (kPackages.has(dotted.substr(0, dot))) return true;
    }
    return false;
  }
};

}  // namespace

std::unique_ptr<Matcher> make_java_matcher() { return std::make_unique<JavaMatcher>(); }

}  // namespace wafd::detect
