// Lookup in the tables of this folder.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/core/flags.h"

namespace wafd::detect::serialized {

// Kinds of evidence of serialized objects.
enum class SerializedEvidence : std::uint8_t {
  kJavaStream,
  kPhpObject,
  kPhpData,  // of the class that has no code
  kDotnetStream,
  kPickleCall,
  kYamlObject,
  kXmlObject,
  kJsonClass,
  kNodeFunction,
  kRubyObject,
  kRubyGadget,
  kPythonObject,
  kMadeObject,
};

enum class How : std::uint32_t {
  kNone = 0,
  kExact = 1u << 0,  // case counts
  kEdge = 1u << 1,   // behind nothing that base64 is written with
  kFile = 1u << 2,   // also in files: archives hold the others by right
  kState = 1u << 3,  // at the beginning of a long value
};
constexpr bool is_flags(How) noexcept { return true; }

struct SignRow {
  std::string_view text;
  SerializedEvidence kind = SerializedEvidence::kJavaStream;
  How how = How::kNone;
};

}  // namespace wafd::detect::serialized
