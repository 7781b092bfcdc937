// What must stand in a text for the SQL analyser to find anything in it: expressions made of the words that
// its tokenizer knows.
//
// Each is written so that something rare must stand in one piece: the gate looks for such pieces first, and
// reads no text that has none. White space, which may be missing, one octet or many, is therefore spelled out
// where two signs of ordinary text would be all that is left without it.
#pragma once

#include <string>
#include <vector>

namespace wafd::detect::sqli {

std::vector<std::string> hint_texts();

}  // namespace wafd::detect::sqli
