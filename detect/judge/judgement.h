// The rows by which evidence becomes a finding: judgements/*.tsv and rules/*.tsv, one of each for a matcher.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/analyze/base/evidence.h"
#include "detect/core/flags.h"
#include "detect/core/verdict.h"

namespace wafd::detect {

// Where evidence stands; a piece of evidence has all that are true of it.
enum class Where : std::uint32_t {
  kAnywhere = 0,
  kPath = 1u << 0,
  kQuery = 1u << 1,
  kHeader = 1u << 2,
  kCookie = 1u << 3,
  kField = 1u << 4,    // a value of the body that has a name: form, JSON, XML, multipart without a file name
  kBody = 1u << 5,     // a body that is one text
  kFile = 1u << 6,     // content of an uploaded file
  kName = 1u << 7,     // of a parameter, cookie, header, file
  kMedia = 1u << 8,    // content of an upload that says it is an image, sound, video, document
  kSecret = 1u << 9,   // a field named as a password or a token: any bytes are ordinary there
  kSearch = 1u << 10,  // the whole value of what people search for
  kQuoted = 1u << 11,  // inside of a block that a document quotes as code (document.h)
  kDocument = 1u << 12,  // in a document's own text, outside of such blocks
  kLong = 1u << 13,      // in a text of more than kLongBytes
  kCommands = 1u << 14,  // of JSON or YAML: what records or keeps commands (scripts.test, created_by)
  kScript = 1u << 15,  // in a file of commands: it names its interpreter, or is a Dockerfile (document.h); of
                       // YAML: what jobs run
  kMounts = 1u << 16,  // of JSON or YAML: where settings name files of the machine that they are for
  kSource = 1u << 17,  // in a body that is a module of Python from end to end (document.h)
  kMember = 1u << 18,  // a value of JSON or YAML
  kLiteral = 1u << 19,  // quoted, and not by elements whose markup browsers read (<pre>)
};
constexpr bool is_flags(Where) noexcept { return true; }
inline constexpr std::size_t kLongBytes = 1024;

// From which sensitivity on a finding denies.
enum class Denial : std::uint8_t {
  kLow,
  kBalanced,
  kStrict,
  kNever,   // it is recorded
  kIgnore,  // it is no finding
};

// Evidence of that kind with at least that certainty, at one of these places. The first row that applies
// decides; evidence for which none applies is no finding.
struct Judgement {
  std::string_view evidence;  // name of the kind; "*": any
  Certainty certainty;
  Where where;  // kAnywhere: at every place
  Denial denial;
  std::string_view rule;      // key of the rule
  std::string_view sentence;  // why, for people; {} stands for what was found
};

// Number and key by which events, exceptions and the console name it. They never change once released:
// append.
struct JudgedRule {
  std::uint32_t number;
  std::string_view key;  // the rule's id is made of it
  AttackType type;
  Risk risk;
  std::string_view name;  // for people
};

}  // namespace wafd::detect
