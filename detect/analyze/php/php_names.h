// What names mean to PHP: functions by what they do, request variables, configuration directives. Source: the
// PHP manual (function reference, reserved variables, list of php.ini directives).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "detect/core/word_map.h"

namespace wafd::detect {

enum PhpFunction : std::uint32_t {
  kPhpRuns = 1u << 0,      // runs what it is given: a command, code, a callback
  kPhpDecodes = 1u << 1,   // what disguised code is decoded with
  kPhpOwn = 1u << 2,       // a name that neither prose nor other languages have
  kPhpOrdinary = 1u << 3,  // an ordinary word too
};

// Flags of a function's name without case; functions of the extensions are known by the family of their
// names.
std::uint32_t php_function(std::string_view name) noexcept;

// Classes whose objects call what they are named, or open what they are given (SPL, Reflection, FFI, SOAP,
// SimpleXML, Imagick).
bool php_class(std::string_view name) noexcept;
std::span<const std::string_view> php_class_names() noexcept;

bool php_request_variable(std::string_view name) noexcept;  // without '$'

// 0: no directive, 1: one whose name other programs' settings have too, 2: PHP's alone.
int php_directive(std::string_view name) noexcept;

// For hints: names of functions that are no family's and no ordinary words; sections of directives;
// directives without a section.
std::span<const std::string_view> php_own_names() noexcept;
std::span<const std::string_view> php_directive_sections() noexcept;
std::span<const std::string_view> php_directive_names() noexcept;
// Directives that other programs have too; with a dot at the end a section of them.
std::span<const std::string_view> php_shared_directives() noexcept;

}  // namespace wafd::detect
