#include "detect/analyze/template/expression_reader.h"

#include <algorithm>

#include "detect/analyze/base/variable_question.h"
#include "detect/analyze/template/names.tsv.h"
#include "detect/core/bytes.h"

namespace wafd::detect::templates {
namespace {

bool is_operand(const Token& token) noexcept {
  return token.kind == TokenKind::kNumber || token.kind == TokenKind::kString;
}
// As Flask and Django name their settings.
bool all_upper(std::string_view name) noexcept {
  return name.size() > 1 && std::none_of(name.begin(), name.end(), is_lower) && is_upper(name[0]);
}

class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, std::size_t begin, std::size_t end,
                   std::span<const Stretch> groups) noexcept
      : text_(text), lexer_(text, begin, end, groups), token_(lexer_.next()), next_(lexer_.next()) {}

  Expression run() {
    for (; token_.kind != TokenKind::kEnd; step()) read();
    finish();
    return out_;
  }

 private:
  void step() noexcept {
    before_ = last_;
    last_ = token_;
    last_use_ = use_;
    use_ = NameUse::kNone;
    token_ = next_;
    next_ = lexer_.next();
    ++count_;
  }
  std::string_view word(const Token& token) const noexcept {
    return text_.substr(token.begin, token.end - token.begin);
  }
  // Of a string, without its quotes.
  std::string_view content(const Token& token) const noexcept {
    std::string_view inner = word(token).substr(1);
    if (inner.ends_with(token.sign)) inner.remove_suffix(1);
    return inner;
  }
  bool is_sign(const Token& token, char sign) const noexcept {
    return token.kind == TokenKind::kSign && token.sign == sign && token.end == token.begin + 1;
  }
  static bool opens(const Token& token, char sign) noexcept {
    return (token.kind == TokenKind::kOpen || token.kind == TokenKind::kGroup) && token.sign == sign;
  }

  void reach() {
    if (!out_.reaches) out_.name = word(token_);
    out_.reaches = true;
  }
  void run_by(std::string_view name) {
    if (!out_.runs && !out_.reaches) out_.name = name;
    if (!out_.runs && (count_ == 0 || (count_ == 1 && is_sign(last_, '='))) &&
        !meets(use_, NameUse::kNotOfPhp))
      out_.runs_first = true;
    out_.runs = true;
  }

  void read() {
    switch (token_.kind) {
      case TokenKind::kName:
        return read_name();
      case TokenKind::kString:
        return read_string();
      case TokenKind::kNumber:
        ++operands_;
        return;
      case TokenKind::kSign:
        return read_sign();
      case TokenKind::kOpen:
        return read_open();
      case TokenKind::kDot:
        // A field of the data (Go's .Values) or what a variable holds.
        if (last_.kind == TokenKind::kEnd || last_.kind == TokenKind::kSign || token_.spaced)
          constants_ = constants_ && is_prints_;
        if (count_ == 1 && token_.sign == ':') out_.scoped = true;
        if (last_.kind == TokenKind::kString && next_.kind == TokenKind::kName && !token_.spaced)
          out_.literal_call = true;
        if (smarty_object_ && token_.sign == '-') reach();
        ++operands_;
        return;
      case TokenKind::kGroup:
        grouped_ = true;
        if (opens(token_, '(') || opens(token_, '[')) read_call();
        return;
      case TokenKind::kClose:
        if (depth_ > 0) --depth_;
        if (depth_ == 0 && token_.sign == ']' && names_ == 0 && operands_ > 0 && is_sign(next_, '|'))
          out_.literal_call = true;
        // Behind a condition in parentheses scripts have a statement, Smarty nothing.
        if (depth_ == 0 && next_.kind == TokenKind::kName && !is_operator(next_)) smarty_ = false;
        return;
      case TokenKind::kEnd:
        return;
    }
  }
  bool is_operator(const Token& token) const noexcept {
    const NameRow* row = token.kind == TokenKind::kName ? kNames.find(word(token)) : nullptr;
    return row != nullptr && meets(row->use, NameUse::kOperator);
  }

  void read_open() {
    ++depth_;
    read_call();
  }

  void read_call() {
    // 'abc'[x], ''[request.args.x]: of a constant
    if (opens(token_, '[') && !token_.spaced && last_.kind == TokenKind::kString) out_.literal_call = true;
    const bool call =
        opens(token_, '(') && !token_.spaced &&
        (last_.kind == TokenKind::kName || (last_.kind == TokenKind::kClose && last_.sign != '}'));
    if (call && !meets(last_use_, NameUse::kCondition | NameUse::kOperator)) out_.calls = true;
    if (opens(token_, '(') && last_.kind == TokenKind::kName &&
        !meets(last_use_, NameUse::kCondition | NameUse::kOperator))
      out_.acts = true;
  }

  void read_sign() {
    if (token_.sign == ';') {
      smarty_ = false;
      // &lt; is a reference of HTML.
      separated_ = separated_ || last_.kind != TokenKind::kName || !is_sign(before_, '&');
    }
    if (token_.sign == ';' || (is_sign(token_, '=') && count_ > 0)) out_.acts = true;
    if (token_.sign == '#' || token_.sign == '@' || token_.sign == '\\') constants_ = false;
    if (std::string_view("+-*/%~<>=!&|").find(token_.sign) == std::string_view::npos) return;
    const bool left = is_operand(last_) || (last_.kind == TokenKind::kClose && last_.sign != '}') ||
                      meets(last_use_, NameUse::kConstant);
    const bool right = is_operand(next_) || opens(next_, '(') || opens(next_, '[') ||
                       next_.kind == TokenKind::kSign || next_.kind == TokenKind::kName;
    if (!left || !right || is_sign(token_, '=') || is_sign(token_, '!')) return;
    // A filter is no operator; dates, ranges and fractions have the other two.
    if (is_sign(token_, '|')) return;
    operates_ = true;
    if (!is_sign(token_, '-') && !is_sign(token_, '/')) product_ = true;
  }

  void read_string() {
    ++operands_;
    const std::string_view inner = content(token_);
    if (token_.sign == '`' && last_.kind != TokenKind::kName) out_.acts = true;
    // '__cla' + 'ss__': a name in pieces.
    const bool joined = is_sign(last_, '+') || is_sign(last_, '~') || is_sign(next_, '+') ||
                        is_sign(next_, '~') || is_sign(next_, '%') || next_.kind == TokenKind::kString;
    if (is_internal(inner) || (joined && inner.starts_with("__") != inner.ends_with("__")) ||
        (joined && inner == "__"))
      reach();
    const NameRow* known = kNames.find(inner);
    const NameUse use = known != nullptr ? known->use : NameUse::kNone;
    const bool argument = last_.kind == TokenKind::kOpen || is_sign(last_, ',') ||
                          (last_.kind == TokenKind::kName && token_.spaced) ||
                          last_.kind == TokenKind::kString;
    if (argument && meets(use, NameUse::kReach | NameUse::kReachOwner) && !meets(use, NameUse::kOperator))
      reach();
    // ['class'] of a value; in a list of strings it follows no value.
    if (inner == "class" && opens(last_, '[') && before_.kind != TokenKind::kEnd &&
        before_.kind != TokenKind::kSign && before_.kind != TokenKind::kOpen)
      reach();
    // config['SECRET']
    if (opens(last_, '[') && before_.kind == TokenKind::kName && (all_upper(inner) || joined)) {
      const NameRow* owner = kNames.find(word(before_));
      if (owner != nullptr && meets(owner->use, NameUse::kObject)) use_object(word(before_));
    }
    if (filter_argument_ && meets(use, NameUse::kRuns | NameUse::kRunsAlone)) run_by(inner);
    if (takes_ && is_outside(inner)) out_.outside = true;
    takes_ = false;
    if (attribute_ && is_sign(last_, '=') && is_outside(inner)) out_.file_function = true;
    if (attribute_ && is_sign(last_, '=') && evaluates_) {
      run_by(inner);
      out_.evaluates = true;
    }
    filter_argument_ = false;
  }

  // Where the name at hand stands.
  struct NamePlace {
    bool first = false;     // of the expression's names
    bool member = false;    // behind a full stop
    bool called = false;    // before a parenthesis
    bool filtered = false;  // behind a bar
  };

  void read_name() {
    const std::string_view name = word(token_);
    const NameRow* row = kNames.find(name);
    use_ = row != nullptr ? row->use : NameUse::kNone;
    NamePlace place;
    place.first = names_++ == 0;
    read_first(name, place.first);
    place.member = last_.kind == TokenKind::kDot;
    place.called = opens(next_, '(') || (next_.kind == TokenKind::kString && next_.sign == '`');
    place.filtered = is_sign(last_, '|') || (is_sign(last_, '@') && is_sign(before_, '|'));
    read_operation(name, place);
    if (place.first) begin_statement(name);
    read_taken(name, place);
    read_smarty(name, place);
    read_filter(name, place);
    if (place.first && count_ == 0 && place.called && meets(use_, NameUse::kMakes)) out_.literal_call = true;
    // 6?lower_abc: a built-in of Freemarker, not a choice
    if (is_sign(last_, '?') && is_operand(before_) && !token_.spaced &&
        (next_.kind == TokenKind::kEnd || opens(next_, '(') || is_sign(next_, '?')))
      out_.literal_call = true;
    read_uses(name, place.member, place.called, place.filtered);
    if (place.member && last_use_ == NameUse::kNone && is_operand(before_) &&
        before_.kind == TokenKind::kString && opens(next_, '('))
      out_.literal_call = true;
    read_object(name, place.member, place.called);
  }

  // Whether the name is a test, a filter, or no constant.
  void read_operation(std::string_view name, NamePlace place) {
    // 7 is odd, 'a' starts with 'a', 1 if 1 else 2
    const bool tests = !place.first || is_operand(last_) ? meets(use_, NameUse::kTest | NameUse::kCondition)
                                                         : iequals(name, "not") && is_operand(next_);
    const bool tested = meets(last_use_, NameUse::kTest) && last_.kind == TokenKind::kName;
    if (tests && (is_operand(last_) || is_operand(next_) || opens(next_, '['))) compares_ = true;
    if (place.filtered && !place.member && !meets(use_, NameUse::kConstant)) {
      filters_ = true;
    } else if (!meets(use_, NameUse::kConstant | NameUse::kOperator) && !tests && !tested &&
               !(place.first &&
                 (meets(use_, NameUse::kCondition) || (meets(use_, NameUse::kPrints) && takes_operand())))) {
      constants_ = constants_ && place.called && !place.member;
    }
  }

  // The first name says which statement it is.
  void begin_statement(std::string_view name) {
    is_prints_ = meets(use_, NameUse::kPrints) && next_.spaced && takes_operand();
    smarty_ = meets(use_, NameUse::kStatement) && (next_.spaced || opens(next_, '('));
    file_function_ = meets(use_, NameUse::kFileFunction) && next_.spaced;
    condition_ = meets(use_, NameUse::kCondition);
    tests_ = condition_ && count_ == 0;
    if (iequals(name, "import") && next_.kind == TokenKind::kName && next_.spaced) out_.imports = true;
    out_.invokes = meets(use_, NameUse::kInvokes) && next_.spaced &&
                   (next_.kind == TokenKind::kDot || is_sign(next_, '$'));
  }

  // Files and templates that the name takes in, and what dumps or begins a block.
  void read_taken(std::string_view name, NamePlace place) {
    takes_ = meets(use_, NameUse::kTakes) && !place.member && (place.first || place.called);
    // INSERT /etc/passwd: Template Toolkit's names of files need no quotes.
    if (takes_ && place.first && next_.spaced && (is_sign(next_, '/') || next_.kind == TokenKind::kDot) &&
        is_outside(text_.substr(next_.begin, text_.find(' ', next_.begin) - next_.begin)))
      out_.outside = true;
    // extends request.args.x: a template that the request names
    if (place.first && meets(use_, NameUse::kTakes) && next_.kind == TokenKind::kName && next_.spaced &&
        iequals(word(next_), "request"))
      reach();
    if (place.first && meets(use_, NameUse::kDumps) && next_.kind == TokenKind::kEnd) out_.dumps = true;
    if (place.first && meets(use_, NameUse::kCodeBlock) && next_.kind == TokenKind::kEnd)
      out_.dumps = is_upper(name[0]);
    evaluates_ = place.first ? file_function_ && meets(use_, NameUse::kEvaluates) : evaluates_;
    if (place.member && meets(use_, NameUse::kNamespace) && before_.kind == TokenKind::kName &&
        word(before_) == "System" && is_upper(name[0]) && next_.kind == TokenKind::kDot)
      run_by(name);
    // {{#with "s" as |x|}}: a block over a constant
    if (place.first && meets(use_, NameUse::kBlock) && is_sign(last_, '#') &&
        next_.kind == TokenKind::kString)
      out_.literal_call = true;
  }

  // $smarty.template_object and what else it gives.
  void read_smarty(std::string_view name, NamePlace place) {
    smarty_object_ =
        smarty_object_ ? smarty_object_ && place.member : iequals(name, "smarty") && is_sign(last_, '$');
    if (smarty_object_ && place.member && before_.kind == TokenKind::kName &&
        iequals(word(before_), "smarty") && meets(use_, NameUse::kSecret))
      reach();
  }

  // Filters that are given the name of a function.
  void read_filter(std::string_view name, NamePlace place) {
    // map(x|last) of Twig: the function has a name that the template computes. map(v => …) and
    // map(attribute=…) name none.
    if (takes_function_ && opens(last_, '(') && !is_sign(next_, '=')) run_by(name);
    filter_argument_ = place.filtered && opens(next_, '(');
    takes_function_ = filter_argument_ && meets(use_, NameUse::kTakesFunction);
    // |array_map:'system' of Smarty
    if (place.filtered && is_sign(next_, ':') && meets(use_, NameUse::kTakesFunction))
      filter_argument_ = out_.modified = true;
    attribute_ = file_function_ && meets(use_, NameUse::kAttribute);
  }

  // The kind of the whole by its first word: a statement, an action, a function of Go's libraries.
  void read_first(std::string_view name, bool first) {
    const bool member = last_.kind == TokenKind::kDot;
    if (meets(use_, NameUse::kHostClass) && is_upper(name[0]) && !member) out_.host = true;
    if (meets(use_, NameUse::kHost) && !member && next_.kind != TokenKind::kString) out_.host = true;
    if (first && count_ == 0 && next_.kind == TokenKind::kString && next_.spaced &&
        meets(use_, NameUse::kAsks))
      out_.asks = true;
    // .Exec "id": a method of Go with an argument
    if (member && count_ == 1 && (is_operand(next_) && next_.spaced)) out_.calls = out_.asks = true;
    if (!first) return;
    const bool operand =
        is_operand(next_) || next_.kind == TokenKind::kDot || is_sign(next_, '$') ||
        meets(kNames.find(word(next_)) != nullptr ? kNames.find(word(next_))->use : NameUse::kNone,
              NameUse::kConstant);
    if (count_ == 0 && meets(use_, NameUse::kTag)) out_.tagged = true;
    if (count_ == 0 && meets(use_, NameUse::kAction) && next_.spaced && operand) out_.action = true;
    // {{#each x}}, {{/each}}; {{#if: x}} is of MediaWiki
    if (count_ == 1 && is_sign(last_, '#') && !last_.spaced && next_.spaced &&
        next_.kind != TokenKind::kEnd && !is_sign(next_, ':'))
      out_.action = true;
  }

  // Of Go's functions, which have their arguments behind them without parentheses: len "a", not len == 1
  bool takes_operand() const noexcept {
    return is_operand(next_) || next_.kind == TokenKind::kDot || is_sign(next_, '$') || opens(next_, '(') ||
           next_.kind == TokenKind::kName;
  }

  void read_uses(std::string_view name, bool member, bool called, bool filtered) {
    const bool owned = next_.kind == TokenKind::kDot || opens(next_, '[') || is_sign(next_, '|');
    // <__title__>: a parameter of a macro, reached through by nothing
    const bool marked = is_sign(last_, '<') && is_sign(next_, '>');
    if ((is_internal(name) && !marked) || meets(use_, NameUse::kReach)) reach();
    if (meets(use_, NameUse::kReachOwner) && owned) reach();
    if (meets(use_, NameUse::kReachMember) && member && called) reach();
    if (meets(use_, NameUse::kBuiltin) && is_sign(last_, '?')) reach();
    if (meets(use_, NameUse::kFilter) && filtered && (called || next_.kind == TokenKind::kString)) reach();
    if (name == "class" && member && (next_.kind == TokenKind::kDot || opens(next_, '['))) reach();
    if (meets(use_, NameUse::kReveals) && called && !member) reach();
    if (meets(use_, NameUse::kImplicit)) {
      out_.implicit = true;
      out_.name = name;
    }
    // Ruby's system 'id': a quote right behind the word would end a string that it stands in. Twig and Go
    // take in other templates with include "name".
    const bool command = next_.kind == TokenKind::kString && next_.spaced && !meets(use_, NameUse::kTakes);
    const bool alone = meets(use_, NameUse::kRunsAlone) && !member;
    const bool asks = called && asks_for_variable(text_, name, next_.begin);
    if ((meets(use_, NameUse::kRuns) || alone) && (called || command) && !asks) run_by(name);
    if (filtered && (meets(use_, NameUse::kRuns) || alone) &&
        (next_.kind == TokenKind::kEnd || is_sign(next_, ':'))) {
      out_.modified = true;
      if (meets(use_, NameUse::kRuns)) run_by(name);
    }
    read_classes(name, called);
  }

  // Classes whose methods open files and start processes: Ruby's File.read, .NET's Process.Start.
  void read_classes(std::string_view name, bool called) {
    if (last_.kind != TokenKind::kDot || before_.kind != TokenKind::kName || smarty_) return;
    const std::string_view owner = word(before_);
    const bool command = called || (next_.kind == TokenKind::kString && next_.spaced) || opens(next_, '[');
    const bool files =
        owner == "File" || owner == "IO" || owner == "Dir" || owner == "Kernel" || owner == "Open3";
    constexpr std::string_view kMethods[] = {"read",  "open",    "readlines", "entries", "glob",
                                             "popen", "binread", "capture2",  "capture3"};
    if (command && files && std::find(std::begin(kMethods), std::end(kMethods), name) != std::end(kMethods))
      run_by(name);
    if (called && owner == "Process" && name == "Start") run_by(name);
  }

  // config.SECRET_KEY, config.items(), config|string, config or 1; a lower-case member is anybody's, and
  // && and || stand in pages of scripts.
  void read_object(std::string_view name, bool member, bool called) {
    const NameUse owner = member ? owner_ : NameUse::kNone;
    owner_ = NameUse::kNone;
    const bool leads =
        (meets(use_, NameUse::kLeads) && (called || !iequals(name, "items"))) || name.starts_with("from_");
    if (leads && (meets(owner, NameUse::kObject | NameUse::kServer) ||
                  (meets(owner, NameUse::kScope) && name == "process")))
      reach();
    if (meets(owner, NameUse::kServer) && meets(use_, NameUse::kServer)) owner_ = use_;  // app.request.server
    if (meets(owner, NameUse::kObject) && (called || all_upper(name) || meets(use_, NameUse::kObject)))
      use_object(name);
    if ((meets(owner, NameUse::kServer) && (called || meets(use_, NameUse::kGiven))) ||
        (meets(owner, NameUse::kScope) && name == "constructor"))
      out_.owned = true;
    constexpr NameUse kGiven = NameUse::kObject | NameUse::kScope | NameUse::kServer | NameUse::kReachOwner;
    if (member || !meets(use_, kGiven)) return;
    // this|dump, @root of Handlebars
    if (meets(use_, NameUse::kScope | NameUse::kServer) &&
        (is_sign(next_, '|') || (is_sign(last_, '@') && count_ == 1)))
      out_.owned = true;
    owner_ = use_;
    ++objects_;
    shown_ = use_;
    if (!meets(use_, NameUse::kObject)) return;
    if (is_value_of_expression()) use_object(name);
    const bool given = is_sign(last_, '=') || is_operator(last_) || meets(last_use_, NameUse::kPrints);
    if (given && next_.kind == TokenKind::kEnd) out_.assigned = true;
  }
  // The name is an operand of what the expression makes: config|string, [config], 'a'~config, 0 or config,
  // config if x. Not alone, not the owner of a member, not an argument of a function.
  bool is_value_of_expression() const noexcept {
    const auto is_any = [](const Token& token, std::string_view signs) {
      return token.kind == TokenKind::kSign && token.end == token.begin + 1 &&
             signs.find(token.sign) != std::string_view::npos;
    };
    const auto is_conditional = [this](const Token& token) {
      return token.kind == TokenKind::kName && (iequals(word(token), "if") || iequals(word(token), "else"));
    };
    if (is_any(next_, "|~+%") || is_operator(next_) || is_conditional(next_)) return true;
    const bool ends = next_.kind == TokenKind::kEnd || next_.kind == TokenKind::kClose || is_sign(next_, ',');
    if (!ends || tests_) return false;
    const bool made = opens(last_, '(') ? before_.kind != TokenKind::kName
                                        : opens(last_, '[') && (before_.kind == TokenKind::kEnd ||
                                                                before_.kind == TokenKind::kSign ||
                                                                before_.kind == TokenKind::kOpen);
    const bool listed = !out_.calls && (is_sign(last_, ',') || is_sign(next_, ','));
    const bool paired = depth_ > 0 && !out_.calls && is_sign(last_, ':');
    const bool operated = count_ > 1 && (is_any(last_, "~%+") || is_conditional(last_) || is_joining(last_));
    return made || listed || paired || operated;
  }
  bool is_joining(const Token& token) const noexcept {
    return token.kind == TokenKind::kName && (iequals(word(token), "and") || iequals(word(token), "or"));
  }
  void use_object(std::string_view name) {
    out_.object = true;
    if (out_.name.empty()) out_.name = name;
  }

  void finish() {
    const bool nothing_else = constants_ && !grouped_;
    out_.computes = nothing_else && operands_ > 0 && (operates_ || (is_prints_ && names_ == 1));
    out_.product = product_ || is_prints_;
    out_.condition = condition_ && nothing_else && count_ > 1;
    out_.statements = separated_ && out_.calls;
    out_.smarty = smarty_ && !grouped_;
    out_.shows_object = objects_ == 1 && count_ == 1;
    out_.engine_object = out_.shows_object && meets(shown_, NameUse::kObject | NameUse::kReachOwner);
    out_.constant = nothing_else && !smarty_;
    out_.filters = nothing_else && filters_ && operands_ > 0;
    out_.compares = nothing_else && compares_ && operands_ > 0;
  }

  std::string_view text_;
  ExpressionLexer lexer_;
  Expression out_;
  Token before_, last_, token_, next_;
  NameUse use_ = NameUse::kNone;
  NameUse last_use_ = NameUse::kNone;
  NameUse owner_ = NameUse::kNone;  // of the object whose member comes
  NameUse shown_ = NameUse::kNone;  // of the last such object
  std::size_t count_ = 0;           // of tokens before this one
  std::size_t names_ = 0;
  std::size_t operands_ = 0;
  std::size_t objects_ = 0;
  std::size_t depth_ = 0;  // of brackets
  bool constants_ = true;  // nothing but constants and calls of functions
  bool operates_ = false;
  bool compares_ = false;  // by words
  bool filters_ = false;
  bool product_ = false;
  bool grouped_ = false;
  bool is_prints_ = false;
  bool takes_ = false;
  bool smarty_ = false;
  bool condition_ = false;
  bool tests_ = false;  // begins with the word of a condition
  bool file_function_ = false;
  bool attribute_ = false;
  bool evaluates_ = false;  // the function of Smarty does what an attribute says
  bool filter_argument_ = false;
  bool takes_function_ = false;  // the filter does
  bool separated_ = false;       // by a semicolon
  bool smarty_object_ = false;   // in $smarty.x
};

}  // namespace

bool is_internal(std::string_view name) noexcept {
  if (name.size() < 6 || name.size() > 64 || !name.starts_with("__") || !name.ends_with("__")) return false;
  return name != "__name__" && name != "__main__" &&
         std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

bool is_outside(std::string_view file) noexcept {
  // file:/etc/passwd: Smarty's resource of the file system
  if (file.starts_with("file:/")) return true;
  if (file.starts_with("../") || file.starts_with("..\\") || file.find("://") != std::string_view::npos)
    return true;
  if (!file.starts_with('/')) return false;
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return name.find("htm") == std::string_view::npos && name.find("twig") == std::string_view::npos &&
         name.find("ftl") == std::string_view::npos && name.find("vm") == std::string_view::npos &&
         name.find("tpl") == std::string_view::npos;
}

Expression read_expression(std::string_view text, std::size_t begin, std::size_t end,
                           std::span<const Stretch> groups) {
  return ExpressionReader(text, begin, end, groups).run();
}

}  // namespace wafd::detect::templates
