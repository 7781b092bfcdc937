// How much a command says together with its arguments.
#pragma once

#include <cstdint>

#include "detect/analyze/shell/arguments.h"
#include "detect/analyze/shell/command_table.h"

namespace wafd::detect::shell {

// The input that a pipe brings to a command.
enum class Pipe : std::uint8_t { kNone, kBehind, kFed };  // kFed: behind a command that prints something

// 0: an ordinary text may well have it; 1: its name can be another word; 2: name and arguments fit; 3: nobody
// writes that but for a shell.
int weight_of(const Command& command, const Arguments& arguments, Pipe pipe) noexcept;

}  // namespace wafd::detect::shell
