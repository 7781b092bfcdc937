#include "detect/analyze/sqli.h"

#include <array>

#include "detect/analyze/sqli_rules.h"

namespace wafd::detect {
namespace {

class SqliAnalyzer final : public Analyzer {
 public:
  SqliAnalyzer() : rules_(make_rules("m_sqli", AttackType::kSqli, 1000, sqli::rule_specs())) {}

  std::string_view name() const noexcept override { return "sqli"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }

  std::span<const char* const> hints() const noexcept override {
    // A structure needs a word of the language, or a quote that something continues from. What may stand
    // between words is left out: it is the analyser that knows it.
    static constexpr std::array kHints = {
        R"((^|[^a-z])(or|and|xor)([^a-z]|$)|\|\||&&)",
        R"(select|union|waitfor|outfile|dumpfile|infile|procedure|having)",
        R"((order|group)[^a-z]|intersect|except|minus)",
        R"((insert|update|delete|drop|create|alter|truncate|declare|exec|execute|shutdown|handler|grant|revoke|merge|rename|attach|pragma|backup|restore|bulk|prepare|copy|call|dbcc|reconfigure|load|set|begin|with|do)[^a-z])",
        R"((case|when)[^a-z])",
        R"(information_schema|performance_schema|mysql|sys|pg_|sqlite|all_|user_|dba_|v\$|schemata|innodb|session_privs)",
        R"(sleep|benchmark|receive_message|dbms_|randomblob|get_lock|generate_series|master_pos_wait|user_lock|extractvalue|updatexml|xmltype|gtid_|name_const|geohash|linestring|polygon|multipoint|geometrycollection|drithsx|ordsys|xmlquery|_to_xml|uuid|exp[^a-z])",
        R"(utl_|httpuritype|dblink|openrowset|opendatasource|openquery|fn_|xp_|sp_|load_file|lo_import|lo_export|lo_from|readfile|writefile|sys_e|load_extension)",
        R"(['"`][\x00-\x20\xa0]*([)=<>!~^@:,;#|&*%/+-]|like|ilike|rlike|regexp|glob))",
    };
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& /*context*/,
               std::vector<Hit>& hits) const override {
    sqli::TokenStream stream;
    const auto read = [&](sqli::Quote quote) {
      sqli::tokenize(text, quote, sqli::Dialect::kMysql, stream);
      sqli::find_structures(text, quote, stream, hits);
      if (!stream.ambiguous) return;
      sqli::tokenize(text, quote, sqli::Dialect::kAnsi, stream);
      sqli::find_structures(text, quote, stream, hits);
    };
    read(sqli::Quote::kNone);
    if (text.find('\'') != std::string_view::npos) read(sqli::Quote::kSingle);
    if (text.find('"') != std::string_view::npos) read(sqli::Quote::kDouble);
    if (text.find('`') != std::string_view::npos) read(sqli::Quote::kBacktick);
  }

 private:
  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_sqli_analyzer() { return std::make_unique<SqliAnalyzer>(); }

}  // namespace wafd::detect
