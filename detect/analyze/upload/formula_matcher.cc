#include "detect/analyze/upload/formula_matcher.h"

#include <array>

#include "detect/analyze/upload/formula_functions.tsv.h"
#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

using upload::FormulaFunction;
using upload::FormulaUse;

enum class FormulaEvidence : std::uint8_t { kExchange, kFetching, kLink };
constexpr std::array<std::string_view, 3> kNames{"exchange", "fetching", "link"};

constexpr std::size_t kMaxFormulaBytes = 64;  // between the sign that begins a cell and what acts
constexpr std::size_t kMaxTopicBytes = 512;
constexpr std::size_t kMaxFunctionBytes = 16;

bool begins_formula(char c) noexcept { return c == '=' || c == '+' || c == '-' || c == '@'; }

bool ends_cell(char c) noexcept {
  return c == ',' || c == ';' || c == '"' || c == '\'' || c == '\t' || c == '\n' || c == '\r';
}

bool is_formula_byte(char c) noexcept {
  return is_alnum(c) || std::string_view("_.+-*/^()=@&: \t").find(c) != std::string_view::npos;
}

// Where the cell begins in whose formula text[at] stands, or npos. A formula is short and has no quotes.
std::size_t cell_before(std::string_view text, std::size_t at) noexcept {
  std::size_t begin = at;
  while (begin > 0 && at - begin < kMaxFormulaBytes && is_formula_byte(text[begin - 1])) --begin;
  if (begin > 0 && !ends_cell(text[begin - 1])) return std::string_view::npos;
  while (begin < at && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
  return begin < at && begins_formula(text[begin]) ? begin : std::string_view::npos;
}

bool is_name_byte(char c) noexcept { return is_alnum(c) || c == '_' || c == '.'; }

// =cmd|'/C calc'!A0, @SUM(1+1)*cmd|'/C calc'!A0: program, topic and item of a dynamic data exchange.
void find_exchange(std::string_view text, EvidenceList& out) {
  std::size_t looked_to = 0;  // no topic ends before
  for (std::size_t bar = text.find('|'); bar != std::string_view::npos; bar = text.find('|', bar + 1)) {
    if (bar == 0 || !is_name_byte(text[bar - 1])) continue;
    const std::size_t open = text.find_first_not_of(' ', bar + 1);
    if (open == std::string_view::npos || text[open] != '\'' || open < looked_to) continue;
    const std::size_t close = text.substr(0, open + kMaxTopicBytes).find('\'', open + 1);
    if (close == std::string_view::npos) {
      looked_to = open + kMaxTopicBytes / 2;
      continue;
    }
    if (close + 2 >= text.size() || text[close + 1] != '!') continue;
    const char item = text[close + 2];
    const std::size_t begin = cell_before(text, bar);
    if (begin != std::string_view::npos && (is_alnum(item) || item == '_' || item == '\'' || item == '"'))
      return out.add(FormulaEvidence::kExchange, Certainty::kCertain, begin, close + 3,
                     text.substr(begin, bar - begin));
  }
}

// Between a cell's beginning and its first call: @DDE(, =-DDE(, =<tab>CALL(. Lines of patches begin with more
// than one sign, but not with this.
bool only_signs(std::string_view text, std::size_t cell, std::size_t call) noexcept {
  const std::string_view signs = text.substr(cell, call - cell);
  return signs.size() == 1 ||
         (signs[0] == '=' && signs.find_first_not_of("+-@ \t", 1) == std::string_view::npos);
}

// =WEBSERVICE("http://…"), =DDE("cmd";"/C calc";"x")
void find_calls(std::string_view text, EvidenceList& out) {
  for (std::size_t open = text.find('('); open != std::string_view::npos; open = text.find('(', open + 1)) {
    std::size_t begin = open;
    while (begin > 0 && open - begin < kMaxFunctionBytes && is_name_byte(text[begin - 1])) --begin;
    const FormulaFunction* function = upload::kFormulaFunctions.find(text.substr(begin, open - begin));
    if (begin == 0 || function == nullptr) continue;
    const std::size_t cell = cell_before(text, begin);
    if (cell == std::string_view::npos) continue;
    const std::size_t first = text.find_first_not_of(' ', open + 1);
    const bool takes_text = first != std::string_view::npos && (text[first] == '"' || text[first] == '\'');
    if (function->use == FormulaUse::kLinks) {
      out.add(FormulaEvidence::kLink, Certainty::kCertain, cell, open + 1, function->text);
    } else if (function->use == FormulaUse::kFetches || (takes_text && only_signs(text, cell, begin))) {
      out.add(FormulaEvidence::kFetching, Certainty::kCertain, cell, open + 1, function->text);
    }
  }
}

class FormulaMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "formula"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  // A spreadsheet shows what people entered, and what is kept of their requests (User-Agent).
  std::uint32_t reads_places() const noexcept override {
    return place_bit(Location::kQuery, false) | place_bit(Location::kBody, false) |
           place_bit(Location::kFile, false) | place_bit(Location::kFile, true) |
           place_bit(Location::kCookie, false) | place_bit(Location::kHeader, false);
  }
  Needs needs() const override {
    return {
        {any_byte("|"), any_literal({"'!"})},
        {any_byte("=+-@"), any_byte("("),
         any_word(upload::kFormulaFunctions,
                  [](const FormulaFunction& row) { return row.text.find('.') == std::string_view::npos; })},
        {any_literal({"register.id"})}};
  }
  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    if ((reads_places() & place_bit(context.location, context.in_name)) == 0) return;
    find_exchange(text, out);
    find_calls(text, out);
  }
};

}  // namespace

std::unique_ptr<Matcher> make_formula_matcher() { return std::make_unique<FormulaMatcher>(); }

}  // namespace wafd::detect
