#include "detect/analyze/sql/sql_matcher.h"

#include <array>

#include "detect/analyze/sql/sql_piece.h"
#include "detect/analyze/sql/sql_reader.h"

namespace wafd::detect {
namespace {

using sql::Dialect;
using sql::Quote;

// In the order of sql::SqlEvidence.
constexpr std::array<std::string_view, 18> kNames{"union_query",
                                                  "constant_condition",
                                                  "condition",
                                                  "stacked_statement",
                                                  "delay_call",
                                                  "error_call",
                                                  "network_call",
                                                  "file_call",
                                                  "subquery",
                                                  "statement",
                                                  "system_object",
                                                  "commented_out",
                                                  "clause",
                                                  "hidden_keyword",
                                                  "closed_expression",
                                                  "fragment",
                                                  "piece",
                                                  "operator"};

class SqlMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "sqli"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  Needs needs() const override { return sql::sql_needs(); }

  std::uint32_t units_a_token() const noexcept override { return 8; }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    read(text, Quote::kNone, context, out);
    if (context.whole.empty() || context.whole.size() == text.size())
      sql::read_piece(text, context.in_name, out);
    for (const auto& [sign, quote] :
         {std::pair{'\'', Quote::kSingle}, {'"', Quote::kDouble}, {'`', Quote::kBacktick}}) {
      if (text.find(sign) != std::string_view::npos) read(text, quote, context, out);
    }
  }

 private:
  static void read(std::string_view text, Quote quote, const FieldContext& context, EvidenceList& out) {
    const bool whole = !context.front_cut && (context.whole.empty() || context.whole.data() == text.data());
    sql::SqlReader reader(text, whole, quote, Dialect::kMysql, context.memory, out);
    reader.run();
    // Strings in double quotes and names in backticks are MySQL's, and SQLite's, whose comments are those of
    // ANSI.
    if (reader.is_ambiguous()) sql::SqlReader(text, whole, quote, Dialect::kAnsi, context.memory, out).run();
  }
};

}  // namespace

std::unique_ptr<Matcher> make_sql_matcher() { return std::make_unique<SqlMatcher>(); }

}  // namespace wafd::detect
