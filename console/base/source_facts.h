// Facts about a source address from databases; empty where none is given or the address is not in it.
#pragma once

#include <cstdint>
#include <string>

namespace wafd::console {

struct SourceFacts {
  std::string country;  // ISO 3166 code
  std::string province;
  std::string city;
  std::uint32_t as_number = 0;  // autonomous system (RFC 4271) that announces its network
  std::string as_name;
};

}  // namespace wafd::console
