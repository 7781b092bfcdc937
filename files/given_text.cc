#include "files/given_text.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wafd {
namespace {

constexpr std::size_t kMaxPemBytes = 1 << 20;  // a system's bundle of authorities has about 220 KiB
constexpr std::size_t kMaxSecretBytes = 4096;

Result<std::string> content(std::string_view member, const std::string& path, std::size_t max_bytes) {
  // O_NONBLOCK: to open a pipe that nobody writes into would hold up every target.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0)
    return fail(ErrorCode::kInvalid, fmt::format("{}: {} cannot be read: {}", member, path,
                                                 std::generic_category().message(errno)));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(::fdopen(descriptor, "rb"), &std::fclose);
  struct stat about {};
  if (!file || ::fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
    return fail(ErrorCode::kInvalid, fmt::format("{}: {} is not a regular file", member, path));
  std::string out(max_bytes + 1, '\0');
  out.resize(std::fread(out.data(), 1, out.size(), file.get()));
  if (out.empty()) return fail(ErrorCode::kInvalid, fmt::format("{}: {} is empty", member, path));
  if (out.size() > max_bytes)
    return fail(ErrorCode::kInvalid, fmt::format("{}: {} is larger than {} bytes", member, path, max_bytes));
  return out;
}

}  // namespace

Result<std::string> read_pem(std::string_view member, const std::string& given) {
  if (!names_file(given)) return given;
  return read_pem_file(member, file_named_by(given));
}

Result<std::string> read_pem_file(std::string_view member, const std::string& path) {
  return content(member, path, kMaxPemBytes);
}

Result<std::string> read_secret(std::string_view member, const std::string& given) {
  if (!names_file(given)) return given;
  const std::string path = file_named_by(given);
  auto text = content(member, path, kMaxSecretBytes);
  if (!text) return text;
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  if (text->empty()) return fail(ErrorCode::kInvalid, fmt::format("{}: {} is empty", member, path));
  if (text->find_first_of("\r\n") != std::string::npos)
    return fail(ErrorCode::kInvalid, fmt::format("{}: {} has more than one line", member, path));
  return text;
}

}  // namespace wafd
