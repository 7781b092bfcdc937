// Looks at this machine for `wafd doctor`. Changes nothing.
#pragma once

#include <string>
#include <vector>

#include "detect/core/error.h"
#include "doctor/examine.h"

namespace wafd::doctor {

// The files of the folder and of folders in it, at most kMaxFiles; the owner of the folder itself. Those that
// hold secrets are marked by their names.
inline constexpr std::size_t kMaxFiles = 10'000;
void look_at_files(Facts& facts);

// `ring_bytes`: of the ring as configured; `ring_file`: where it is, or will be.
DiskFacts look_at_disk(const std::string& folder, const std::string& ring_file, std::uint64_t ring_bytes);

// Whether adjtimex(2) reports a synchronised clock.
std::optional<bool> clock_synchronised();

// By the system's resolver, two seconds a name and server, in all at most kMaxNamesS.
inline constexpr int kMaxNamesS = 20;
void look_at_names(std::vector<NameFacts>& names);

// When certificates in PEM text, or in the file of a path, are of no use any more: a chain with its first
// that ends, authorities with their last (bundles hold many that ended and that nobody asks for).
enum class Certificates { kChain, kAuthorities };
Result<std::int64_t> certificate_end_s(const std::string& pem_or_path,
                                       Certificates of = Certificates::kChain);

LimitFacts look_at_limits(std::uint64_t files_needed);

}  // namespace wafd::doctor
