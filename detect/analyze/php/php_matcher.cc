#include "detect/analyze/php/php_matcher.h"

#include "detect/analyze/php/directives.tsv.h"
#include "detect/analyze/php/families.tsv.h"
#include "detect/analyze/php/php_reader.h"
#include "detect/analyze/php/words.tsv.h"

namespace wafd::detect {
namespace {

using namespace php;

class PhpMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "php"; }
  std::span<const std::string_view> evidence() const noexcept override { return kKindNames; }
  bool reads_binary() const noexcept override { return true; }

  bool reads_kept_plus() const noexcept override { return false; }
  Needs needs() const override {
    const auto of = [](Use use) {
      return any_word(kWords, [use](const WordRow& row) { return meets(row.use, use); });
    };
    const Sign functions = of(Use::kOwn | Use::kOrdinary);
    Sign families{SignKind::kLiterals, {}};
    for (const Word& row : kFamilies.rows()) families.parts.emplace_back(row.text);
    Sign directives{SignKind::kWords, {}};  // those of a section with its full stop
    for (const DirectiveRow& row : kDirectives.rows()) {
      directives.parts.emplace_back(row.text.back() == '.' ? row.text : longest_word(row.text));
    }
    // $_GET: the sign is part of the word.
    Sign variables = of(Use::kRequest);
    const std::size_t plain = variables.parts.size();
    for (std::size_t i = 0; i < plain; ++i) variables.parts.push_back("$" + variables.parts[i]);
    return {{any_literal({"<?", "{php}", "[php]", "[/php]"})},
            {any_literal({"<script"}), any_literal({"language"}), any_literal({"php"})},
            {functions, any_byte("(")},
            {families, any_byte("(")},
            {of(Use::kIncludes), any_byte("$'\"")},
            {of(Use::kKlass), any_byte("(")},
            {any_byte("$"), variables},
            {any_byte("$"), any_byte("({=")},
            {any_byte(")]}"), any_byte("("), any_byte("'\"[~^|&.")},
            {directives, any_byte("=")}};
  }

  std::uint32_t units_a_token() const noexcept override { return 12; }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    PhpReader(text, context.location == Location::kFile && !context.in_name, out).run();
  }
};

}  // namespace

std::unique_ptr<Matcher> make_php_matcher() { return std::make_unique<PhpMatcher>(); }

}  // namespace wafd::detect
