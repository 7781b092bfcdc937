#include "detect/analyze/upload/formula.h"

#include <algorithm>
#include <array>

#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t { kExchange, kFetching, kLink };

constexpr RuleSpec kRules[] = {
    {"exchange", "Spreadsheet formula that starts a program", Risk::kHigh, Sensitivity::kBalanced},
    {"fetching", "Spreadsheet formula that calls or fetches", Risk::kHigh, Sensitivity::kBalanced},
    {"link", "Spreadsheet formula that makes a link", Risk::kLow, Sensitivity::kStrict},
};

constexpr std::size_t kMaxFormula = 64;  // octets between the sign that begins a cell and what acts
constexpr std::size_t kMaxTopic = 512;

// Functions that make a spreadsheet call or fetch; the short ones are words of other languages too, and must
// begin their cell.
constexpr WordSet kFunctions({"webservice", "importxml", "importdata", "importfeed", "importhtml",
                              "importrange", "dde", "rtd", "call", "exec", "register.id"});

bool begins_formula(char c) noexcept { return c == '=' || c == '+' || c == '-' || c == '@'; }

bool separates_cells(char c) noexcept {
  return c == ',' || c == ';' || c == '"' || c == '\'' || c == '\t' || c == '\n' || c == '\r';
}

bool formula_octet(char c) noexcept {
  return is_alnum(c) || std::string_view("_.+-*/^()=@&: ").find(c) != std::string_view::npos;
}

// Where the cell begins in whose formula text[at] stands, or npos. A formula is short and has no quotes.
std::size_t cell_before(std::string_view text, std::size_t at) noexcept {
  std::size_t begin = at;
  while (begin > 0 && at - begin < kMaxFormula && formula_octet(text[begin - 1])) --begin;
  if (begin > 0 && !separates_cells(text[begin - 1])) return std::string_view::npos;
  while (begin < at && text[begin] == ' ') ++begin;
  return begin < at && begins_formula(text[begin]) ? begin : std::string_view::npos;
}

bool program_octet(char c) noexcept { return is_alnum(c) || c == '_' || c == '.'; }

class FormulaAnalyzer final : public Analyzer {
 public:
  FormulaAnalyzer() : rules_(make_rules("m_formula", AttackType::kCmdInjection, 6400, kRules)) {}

  std::string_view name() const noexcept override { return "formula"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  // A spreadsheet shows what people entered.
  std::uint32_t reads_places() const noexcept override {
    return place_bit(Location::kQuery, false) | place_bit(Location::kBody, false) |
           place_bit(Location::kFile, false) | place_bit(Location::kFile, true) |
           place_bit(Location::kCookie, false);
  }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 3> kHints = {
        R"([a-z0-9_.]\|[ ]*'[^']*'!)",
        R"((webservice|importxml|importdata|importfeed|importhtml|importrange|hyperlink)\()",
        R"([=+@-](dde|rtd|call|exec|register\.id)\([ ]*['"])",
    };
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if ((reads_places() & place_bit(context.location, context.in_name)) == 0) return;
    FirstHits found(text.size(), hits);
    read_exchanges(text, found);
    read_calls(text, found);
  }

 private:
  // =cmd|'/C calc'!A0, @SUM(1+1)*cmd|'/C calc'!A0: program, topic and item of a dynamic data exchange.
  static void read_exchanges(std::string_view text, FirstHits& found) {
    std::size_t looked_to = 0;  // no topic ends before
    for (std::size_t bar = text.find('|'); bar != std::string_view::npos; bar = text.find('|', bar + 1)) {
      if (bar == 0 || !program_octet(text[bar - 1])) continue;
      const std::size_t open = text.find_first_not_of(' ', bar + 1);
      if (open == std::string_view::npos || text[open] != '\'' || open < looked_to) continue;
      const std::size_t close = text.substr(0, open + kMaxTopic).find('\'', open + 1);
      if (close == std::string_view::npos) {
        looked_to = open + kMaxTopic / 2;
        continue;
      }
      if (close + 2 >= text.size() || text[close + 1] != '!') continue;
      const char item = text[close + 2];
      const std::size_t begin = cell_before(text, bar);
      if (begin == std::string_view::npos || !(is_alnum(item) || item == '_' || item == '\'' || item == '"'))
        continue;
      found.add(kExchange, begin, close + 3,
                "A spreadsheet that opens this cell starts a program by dynamic data exchange.");
      return;
    }
  }

  // =WEBSERVICE("http://…"), =DDE("cmd";"/C calc";"x")
  static void read_calls(std::string_view text, FirstHits& found) {
    for (std::size_t open = text.find('('); open != std::string_view::npos; open = text.find('(', open + 1)) {
      std::size_t begin = open;
      while (begin > 0 && open - begin < 16 && program_octet(text[begin - 1])) --begin;
      if (begin == 0) continue;
      const std::string_view name = text.substr(begin, open - begin);
      const bool link = iequals(name, "hyperlink");
      if (!link && !kFunctions.has(name)) continue;
      // The short names stand at the beginning of their cell, and take texts.
      const bool text_behind = [&] {
        const std::size_t first = text.find_first_not_of(' ', open + 1);
        return first != std::string_view::npos && (text[first] == '"' || text[first] == '\'');
      }();
      const std::size_t cell = cell_before(text, begin);
      if (cell == std::string_view::npos) continue;
      if (link) {
        found.add(kLink, cell, open + 1, "A spreadsheet that opens this cell shows a link of the sender's.");
      } else if (name.size() >= 9 || (text_behind && cell + 1 == begin)) {
        found.add(kFetching, cell, open + 1,
                  "A spreadsheet that opens this cell calls a library or fetches from elsewhere.");
      }
    }
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_formula_analyzer() { return std::make_unique<FormulaAnalyzer>(); }

}  // namespace wafd::detect
