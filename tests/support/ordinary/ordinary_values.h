// Ordinary parameter values, as awkward as life is: names, addresses, sentences in many languages and
// scripts, product titles, dates, telemetry, tokens. Made from word lists (words.cc) and patterns
// (patterns.cc) of our own by a seed, so that every run has the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::ordinary {

// A list of words or of patterns: one a line. In a pattern ‹name› is a word of that list (or of another
// pattern), ‹#3› three digits, ‹x8› eight hex digits, ‹a5› five letters, ‹b24› 24 bytes as base64, ‹u› a
// UUID, ‹1-99› a number; ↵ is a line end, ⇥ a tab.
struct List {
  const char* name;
  const char* lines;
};
std::span<const List> word_lists();
// A kind of values, and how many of a thousand are of it.
struct ValueKind {
  const char* name;
  unsigned per_mille;
  const char* patterns;
};
std::span<const ValueKind> kinds();
std::span<const ValueKind> document_kinds();  // documents.cc

struct Value {
  const char* kind;
  std::string text;
};
// `count` different values; the kinds in their shares.
std::vector<Value> ordinary_values(std::size_t count, std::uint64_t seed);
std::vector<Value> ordinary_documents(std::size_t count, std::uint64_t seed);

}  // namespace wafd::ordinary
