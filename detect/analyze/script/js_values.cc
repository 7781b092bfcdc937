// Known values, and operations on them.
#include <algorithm>
#include <array>
#include <bit>

#include "detect/analyze/script/globals.tsv.h"
#include "detect/analyze/script/js_parser.h"
#include "detect/analyze/script/members.tsv.h"
#include "detect/analyze/script/node_modules.tsv.h"
#include "detect/core/bytes.h"

namespace wafd::detect::js {
namespace {

// Properties that a value keeps through a variable, parentheses or an argument.
constexpr Ref kFlowing = Ref::kSink | Ref::kEffect | Ref::kWindow | Ref::kDocument | Ref::kPage |
                         Ref::kLocation | Ref::kObject | Ref::kLanguage | Ref::kEvent | Ref::kRequire |
                         Ref::kProcess | Ref::kNodeModule | Ref::kConstructor | Ref::kText | Ref::kThis |
                         Ref::kHidden | Ref::kFunction | Ref::kSource;
// Properties that a member inherits from its object.
constexpr Ref kInherited = Ref::kPage | Ref::kLocation | Ref::kObject | Ref::kLanguage | Ref::kEvent |
                           Ref::kProcess | Ref::kNodeModule | Ref::kModule | Ref::kConsole | Ref::kNew |
                           Ref::kHost;
constexpr std::size_t kSignsForText = 3;

const GlobalRow* global(std::string_view name) noexcept {
  const GlobalRow* row = kGlobals.find(name);
  return row != nullptr && row->spelling == name ? row : nullptr;
}

// onerror, onload: a name that the page may call.
bool is_handler(std::string_view name) noexcept {
  return name.size() > 4 && name.starts_with("on") && std::all_of(name.begin(), name.end(), is_lower);
}

bool has_letters(std::string_view name) noexcept { return std::any_of(name.begin(), name.end(), is_alnum); }

bool is_address(std::string_view text) noexcept {
  return text.starts_with('/') || text.find("://") != std::string_view::npos ||
         text.starts_with("javascript:");
}

bool is_node_module(std::string_view name) noexcept {
  if (name.starts_with("node:")) name.remove_prefix(5);
  return kNodeModules.has(name);
}

}  // namespace

void Parser::name(const Token& token) {
  Ref is = Ref::kName;
  if (has_letters(token.text)) signs_ = 0;
  if (token.escaped) is |= Ref::kHidden;
  const auto known =
      std::find_if(learned_.begin(), learned_.begin() + static_cast<std::ptrdiff_t>(learned_count_),
                   [&token](const Learned& one) { return one.name == token.text; });
  if (known != learned_.begin() + static_cast<std::ptrdiff_t>(learned_count_)) {
    is |= known->is;
  } else if (const GlobalRow* row = global(token.text)) {
    is |= row->gives;
  }
  if (is_handler(token.text)) is |= Ref::kHandler;
  if (token.text == "undefined") is |= Ref::kLanguage;
  operand(is, token);
}

void Parser::member(std::string_view name, bool escaped) {
  const Ref base = value_.is;
  Ref is = Ref::kMember | (base & kInherited);
  const std::size_t end =
      std::min(static_cast<std::size_t>(name.data() - text_.data()) + name.size(), text_.size());
  top().constant = false;
  if (any(base & Ref::kWindow)) {
    if (const GlobalRow* row = global(name)) is |= row->gives;
  }
  if (any(base & Ref::kDocument)) is |= Ref::kPage;
  if (any(base & Ref::kObject) || (any(base & Ref::kEffect) && any(base & Ref::kNew))) is |= Ref::kEffect;
  const MemberRow* row = kMembers.find(name);
  if (row != nullptr && (row->on == Ref::kNone || any(base & row->on))) {
    is |= row->gives;
    if (any(row->gives & Ref::kForward)) is |= base & kFlowing;
    if (any(row->gives & Ref::kReached) && !any(is & Ref::kModule)) report(Act::kProcess, value_.begin, end);
  }
  if (any(base & Ref::kOnlyWindow) && any(is & Ref::kCommon)) is |= Ref::kEffect;
  // The constructor of a constructor is that of functions.
  if (any(base & is & Ref::kConstructor)) report(Act::kConstructor, value_.begin, end);
  if (escaped || (any(base & Ref::kRegex) && name == "source")) is |= Ref::kHidden;
  if (is_handler(name)) is |= Ref::kHandler;
  value_.is = is;
}

// object[…]
void Parser::indexed(const Frame& index, const Token& token) {
  const Ref base = value_.is;
  expect_ = Expect::kOperator;
  if (any(base & Ref::kRegex) && index.texts != 0) count_sign(value_.begin, kSignsForText);
  const bool hidden = (index.texts >= 2 && index.others == 0) || any(index.values & Ref::kHidden);
  if (hidden && any(base & (Ref::kWindow | Ref::kDocument))) report(Act::kComputed, value_.begin, token.end);
  if (index.texts == 1 && index.others == 0 && index.literal) {
    member(index.text, hidden);
    return;
  }
  Ref is = Ref::kMember | (base & (kInherited | Ref::kSink));
  const bool number = index.others == 1 && index.texts == 0 && index.literal;
  if (number) {
    is |= base & (Ref::kWindow | Ref::kThis);  // frames[0]
  } else {
    is |= Ref::kComputed | (base & (Ref::kWindow | Ref::kThis)) | (hidden ? Ref::kHidden : Ref::kNone);
  }
  top().constant = false;
  value_.is = is;
}

Act Parser::act_of_call(Ref callee, const Frame& arguments) const noexcept {
  const Ref given = arguments.values;
  const bool hides = any(given & Ref::kHidden) || (arguments.texts >= 2 && arguments.others == 0);
  if (any(callee & (Ref::kRequire | Ref::kImport)) && arguments.texts != 0 &&
      (is_node_module(arguments.text) || (hides && any(callee & Ref::kRequire))))
    return Act::kModule;
  if (any(callee & Ref::kNodeModule)) return Act::kModule;
  if (any(callee & Ref::kRequire)) return Act::kRequire;
  // setTimeout(()=>f()): what the function does counts for itself
  if (any(callee & Ref::kSink) && arguments.arrow && arguments.texts == 0 &&
      !any(given & (Ref::kSink | Ref::kSource)))
    return Act::kCommonCall;
  if (any(callee & Ref::kSink)) return Act::kSink;
  if (any(callee & Ref::kHidden) || (arguments.tagged && any(callee & Ref::kForward)) ||
      (any(callee & Ref::kComputed) && any(callee & Ref::kWindow) && !any(callee & Ref::kThis)))
    return Act::kComputed;
  if (any(callee & Ref::kConstructor) &&
      (any(given & Ref::kText) || any(callee & (Ref::kForward | Ref::kCalled))))
    return Act::kConstructor;
  if (any(callee & Ref::kMarkup)) return Act::kMarkup;
  if (any(given & Ref::kSink)) return Act::kHandedOn;
  if (any(given & Ref::kWindow) && !any(given & Ref::kThis) && any(callee & Ref::kLanguage))
    return Act::kComputed;
  if (any(callee & Ref::kLocation) ||
      (any(given & Ref::kLocation) && any(callee & Ref::kLanguage) && any(callee & Ref::kMember)))
    return Act::kNavigation;
  // Without an argument it does nothing: "fetch()" is how people name it.
  if (arguments.texts == 0 && arguments.others == 0 && !arguments.tagged && any(callee & Ref::kName) &&
      !any(callee & (Ref::kNew | Ref::kLibrary)) && any(callee & (Ref::kEffect | Ref::kCommon)))
    return Act::kCommonCall;
  // open('/a') goes somewhere, and no other language has open`a`
  if (any(callee & Ref::kCommon) && (arguments.tagged || is_address(arguments.text))) return Act::kEffect;
  if (any(callee & (Ref::kEffect | Ref::kImport)) ||
      (any(given & Ref::kEffect) && any(callee & Ref::kLanguage)))
    return Act::kEffect;
  if (any(callee & Ref::kDecoder) && (arguments.tagged || arguments.texts != 0 || arguments.others != 0))
    return Act::kReach;
  if (any(callee & Ref::kHost)) return Act::kProcess;
  // Reflect.get(process,'env'), (p=>p.env.x)(process), ['fs'].map(require): handed on. f(process) is how
  // people write of processes.
  const bool made = any(callee & (Ref::kFunction | Ref::kGroup | Ref::kNew));
  if ((any(given & Ref::kProcess) &&
       (made || (any(callee & Ref::kLanguage) && any(callee & Ref::kMember)))) ||
      (any(given & Ref::kRequire) && (made || any(callee & Ref::kMember))))
    return Act::kProcess;
  if (any(callee & Ref::kConsole)) return Act::kConsole;
  if (any(callee & Ref::kFunction) && any(callee & Ref::kGroup)) return Act::kInvoked;
  if (any(callee & (Ref::kCommon | Ref::kPage | Ref::kDocument))) return Act::kCommonCall;
  return Act::kCall;
}

// The value at hand is called.
void Parser::call(const Frame& arguments, std::size_t end) {
  const Ref callee = value_.is;
  const Act act = act_of_call(callee, arguments);
  report(act, value_.begin, end);
  top().constant = top().constant && any(callee & Ref::kNew) && any(callee & Ref::kLanguage);
  value_.is = Ref::kCalled |
              (callee & (Ref::kPage | Ref::kAsync | Ref::kNodeModule | Ref::kSource | Ref::kConstructor));
  if (any(callee & Ref::kLibrary)) value_.is |= Ref::kPage;
  if (any(callee & Ref::kDecoder)) value_.is |= Ref::kSource;
  if (any(callee & Ref::kNew)) value_.is |= callee & (Ref::kEffect | Ref::kNew);
  if (act == Act::kModule) value_.is |= Ref::kNodeModule;
  expect_ = Expect::kOperator;
}

void Parser::assign(const Token& token) {
  const Ref is = value_.is;
  const bool assignable = any(is & (Ref::kName | Ref::kMember | Ref::kPattern)) && !any(is & Ref::kLiteral) &&
                          (token.sign == Sign::kAssign || !any(is & Ref::kPattern));
  if (!assignable) fail();
  Frame& frame = top();
  frame.target = is | Ref::kName;
  if (any(is & Ref::kMember)) frame.target = is;
  // location.hash=…: the page stays
  if (any(is & Ref::kLocation) &&
      trim(text_.substr(value_.begin, token.begin - value_.begin)).ends_with(".hash"))
    frame.target = Ref::kMember;
  frame.target_begin = value_.begin;
  frame.text = {};
  value_ = {};
  expect_ = Expect::kOperand;
}

// The value at hand, or what is made of it, is assigned to the target.
void Parser::assigned(std::size_t end, bool flows) {
  const Frame& frame = top();
  const Ref target = frame.target;
  const Ref is = value_.is;
  const bool plain = !any(target & Ref::kMember);
  Act act = Act::kCall;
  if (flows && any(is & Ref::kSink)) {
    act = Act::kHandedOn;
  } else if (any(target & Ref::kPattern)) {
    if (any(is & Ref::kProcess)) act = Act::kProcess;
    if (any(is & Ref::kWindow) && !any(is & Ref::kThis)) act = Act::kComputed;
  } else if (any(target & Ref::kMarkup)) {
    // Text as it is written here is read as markup itself.
    act = any(is & Ref::kLiteral) && flows ? Act::kCommonCall : Act::kMarkup;
  } else if (any(target & Ref::kLocation)) {
    // location=Berlin: the name of a place, not of a variable; location="Berlin": no address
    const bool word = any(is & Ref::kName) && !any(is & kFlowing);
    const bool address = frame.text.find_first_of("/:#?\\") != std::string_view::npos;
    if (!plain || !(word || (any(is & Ref::kText) && flows && !address))) act = Act::kNavigation;
  } else if (any(target & (Ref::kPage | Ref::kDocument))) {
    act = Act::kPage;
  } else if (any(target & (Ref::kEffect | Ref::kObject)) ||
             (any(target & Ref::kHandler) && any(is & Ref::kFunction))) {
    act = plain && !any(target & Ref::kHandler) ? Act::kCall : Act::kEffect;
  } else if (any(target & Ref::kModule) && any(target & Ref::kReached) && !any(is & Ref::kPattern)) {
    act = Act::kExports;  // module.exports={…}: settings
  }
  report(act, frame.target_begin, end);
  if (plain && flows && any(is & kFlowing)) {
    std::size_t name_end = frame.target_begin;
    while (name_end < text_.size() &&
           (is_alnum(text_[name_end]) || text_[name_end] == '_' || text_[name_end] == '$'))
      ++name_end;
    const Ref made = any(is & Ref::kCalled) ? Ref::kConstructor : Ref::kNone;  // no constructor itself
    learn(text_.substr(frame.target_begin, name_end - frame.target_begin),
          static_cast<Ref>(static_cast<std::uint64_t>(is & kFlowing) & ~static_cast<std::uint64_t>(made)));
  }
}

void Parser::learn(std::string_view name, Ref is) noexcept {
  if (learned_count_ < kMaxLearned && !name.empty()) learned_[learned_count_++] = {name, is};
}

// `flows`: the value goes on as it is, it is not made into another by an operator.
void Parser::value_ends(std::size_t end, bool flows) {
  if (any(value_.is & Ref::kSecret)) report(Act::kPage, value_.begin, end);
  if (any(value_.is & Ref::kMember) && (any(value_.is & (Ref::kLocation | Ref::kDocument | Ref::kSink)) ||
                                        (any(value_.is & Ref::kPage) && any(value_.is & Ref::kMarkup))))
    report(Act::kReach, value_.begin, end);
  if (any(value_.is & Ref::kNew) && !any(value_.is & Ref::kCalled)) {
    call(Frame{}, end);
  }
  Frame& frame = top();
  if (frame.target != Ref::kNone) assigned(end, flows);
  frame.values |= value_.is & (flows ? kFlowing : Ref::kText | Ref::kHidden);
  if (frame.kind == Bracket::kIndex && any(frame.outer.is & (Ref::kProcess | Ref::kRequire)) &&
      any(value_.is & (Ref::kName | Ref::kText | Ref::kMember)))
    report(Act::kProcess, frame.outer.begin, end);
  // {toString:alert}  for(f of[alert])  throw alert
  const bool taken = frame.kind == Bracket::kObject || frame.property ||
                     (frame.kind == Bracket::kHead && text_.substr(statement_begin_).starts_with("for")) ||
                     (in_statements() && text_.substr(statement_begin_).starts_with("throw"));
  if (flows && taken && any(value_.is & Ref::kSink) && !any(value_.is & Ref::kCalled))
    report(Act::kHandedOn, value_.begin, end);
}

// import a,{b} from 'c': up to the name of the module.
void Parser::import_clause(const Token& token) {
  constexpr std::size_t kMaxClauseBytes = 1024;
  if (token.kind == TokenKind::kString) {
    report(is_address(token.text) ? Act::kEffect : Act::kRequire, statement_begin_, token.end);
    if (is_node_module(token.text)) report(Act::kModule, statement_begin_, token.end);
    return operand(Ref::kText | Ref::kLiteral, token);
  }
  const bool part = token.kind == TokenKind::kName || token.sign == Sign::kComma ||
                    token.sign == Sign::kOpenBrace || token.sign == Sign::kCloseBrace || token.text == "*";
  if (part && token.begin - statement_begin_ < kMaxClauseBytes) return;
  fail();
  expect_ = Expect::kEither;
}

void Parser::count_sign(std::size_t at, unsigned count) noexcept {
  if (signs_ == 0) signs_begin_ = at;
  signs_ += count;
  if (signs_ >= kSignsForText) report(Act::kSymbols, std::min(signs_begin_, at), at + 1);
}

void Parser::report(Act act, std::size_t begin, std::size_t end) noexcept {
  const auto index = static_cast<std::size_t>(act);
  if ((pending_ >> index & 1u) != 0) return;
  pending_ |= 1u << index;
  pending_acts_[index] = {begin, end, false};
}

// The statement at hand ended, or an error stands in it.
void Parser::settle(bool sound) noexcept {
  for (; pending_ != 0; pending_ &= pending_ - 1) {
    const auto index = static_cast<std::size_t>(std::countr_zero(pending_));
    ActSpan& best = out_.acts[index];
    if (best.end != 0 && (best.sound || !sound)) continue;
    best = pending_acts_[index];
    best.sound = sound;
  }
}

std::string_view to_words(Act act) noexcept {
  static constexpr std::array<std::string_view, kActs> kWords{
      "calls or assigns something",
      "calls a function of the page",
      "calls a function that it makes",
      "names what leads to the page",
      "loads, sends or listens",
      "reads or changes the document",
      "takes the page elsewhere",
      "calls what runs or shows script",
      "hands on what runs or shows script",
      "makes markup of text",
      "looks up a function by a name that is put together",
      "makes a function of text",
      "is written with signs alone",
      "has a loop without an end",
      "prints",
      "loads a module",
      "loads a module that reaches the system",
      "uses the process",
      "replaces what a module gives out",
  };
  return kWords[static_cast<std::size_t>(act)];
}

}  // namespace wafd::detect::js
