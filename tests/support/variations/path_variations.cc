// Paths, files and addresses: spellings of the same file, scheme or address.
#include "tests/support/variations/text_tools.h"
#include "tests/support/variations/variations.h"

namespace wafd::variations {
namespace {

constexpr Types kPath = bit(AttackType::kPathTraversal);
constexpr Types kFiles = kPath | bit(AttackType::kFileInclusion);
constexpr Types kInclusion = bit(AttackType::kFileInclusion);
constexpr Types kSsrf = bit(AttackType::kSsrf);
constexpr Types kUpload = bit(AttackType::kFileUpload);
constexpr Types kCrlf = bit(AttackType::kCrlfInjection);

bool dots(std::string_view in, std::string_view with, std::string& out) {
  return replace_all(in, "../", with, out);
}
bool dot_segments(std::string_view in, std::string& out) { return dots(in, ".././", out); }
bool two_slashes(std::string_view in, std::string& out) { return dots(in, "..//", out); }
bool backslashes(std::string_view in, std::string& out) { return dots(in, "..\\", out); }
bool nested(std::string_view in, std::string& out) { return dots(in, "....//", out); }
bool deeper(std::string_view in, std::string& out) {
  const std::size_t at = in.find("../");
  if (at == std::string_view::npos) return false;
  out = in;
  out.insert(at, "../../");
  return true;
}
bool folder_before(std::string_view in, std::string& out) {
  if (!in.starts_with("../")) return false;
  out = "images/" + std::string("../") + std::string(in);
  return true;
}
bool passwd_dot(std::string_view in, std::string& out) {
  return replace_all(in, "/etc/passwd", "/etc/./passwd", out);
}
bool passwd_slashes(std::string_view in, std::string& out) {
  return replace_all(in, "/etc/passwd", "//etc///passwd", out);
}
bool passwd_around(std::string_view in, std::string& out) {
  return replace_all(in, "/etc/passwd", "/etc/init.d/../passwd", out);
}
bool other_file(std::string_view in, std::string& out) {
  return replace_all(in, "/etc/passwd", "/etc/shadow", out);
}
bool shadow_file(std::string_view in, std::string& out) {
  return replace_all(in, "/etc/passwd", "/etc/shadow", out);
}
bool environ_file(std::string_view in, std::string& out) {
  return replace_all(in, "/etc/passwd", "/proc/self/environ", out);
}
bool nul_suffix(std::string_view in, std::string& out) {
  if (in.find('\0') != std::string_view::npos || in.find("../") == std::string_view::npos) return false;
  out = std::string(in) + std::string(1, '\0') + ".png";
  return true;
}

bool scheme_case(std::string_view in, std::string& out) {
  const std::size_t at = in.find("://");
  if (at == std::string_view::npos || at == 0) return false;
  std::size_t begin = at;
  while (begin > 0 && is_alpha(in[begin - 1])) --begin;
  out = in;
  out.replace(begin, at - begin, alternate_case(in.substr(begin, at - begin), true));
  return begin < at;
}
bool filter_read(std::string_view in, std::string& out) {
  return replace_all(in, "php://filter/convert.", "php://filter/read=convert.", out) ||
         replace_all(in, "php://filter/read=convert.", "php://filter/convert.", out);
}

bool metadata_as(std::string_view in, std::string_view with, std::string& out) {
  return replace_all(in, "169.254.169.254", with, out);
}
bool metadata_number(std::string_view in, std::string& out) { return metadata_as(in, "2852039166", out); }
bool metadata_hex(std::string_view in, std::string& out) { return metadata_as(in, "0xA9FEA9FE", out); }
bool metadata_octal(std::string_view in, std::string& out) {
  return metadata_as(in, "0251.0376.0251.0376", out);
}
bool metadata_short(std::string_view in, std::string& out) { return metadata_as(in, "169.254.43518", out); }
bool metadata_mapped(std::string_view in, std::string& out) {
  return metadata_as(in, "[::ffff:169.254.169.254]", out);
}
bool metadata_mapped_hex(std::string_view in, std::string& out) {
  return metadata_as(in, "[::ffff:a9fe:a9fe]", out);
}
bool loopback_as(std::string_view in, std::string_view with, std::string& out) {
  return replace_all(in, "://127.0.0.1", "://" + std::string(with), out) ||
         replace_all(in, "://localhost", "://" + std::string(with), out);
}
bool loopback_short(std::string_view in, std::string& out) { return loopback_as(in, "127.1", out); }
bool loopback_number(std::string_view in, std::string& out) { return loopback_as(in, "2130706433", out); }
bool loopback_hex(std::string_view in, std::string& out) { return loopback_as(in, "0x7f000001", out); }
bool loopback_octal(std::string_view in, std::string& out) { return loopback_as(in, "0177.0.0.01", out); }
bool loopback_six(std::string_view in, std::string& out) { return loopback_as(in, "[::1]", out); }
bool loopback_zero(std::string_view in, std::string& out) { return loopback_as(in, "0.0.0.0", out); }
bool user_before(std::string_view in, std::string& out) {
  return in.find('@') == std::string_view::npos && in.starts_with("http") &&
         replace_all(in, "://", "://shop.example@", out);
}

bool extension(std::string_view in, std::string_view with, std::string& out) {
  const std::size_t at = ifind(in, ".php");
  if (at == std::string_view::npos || at + 4 != in.size()) return false;
  out = std::string(in.substr(0, at)) + std::string(with);
  return true;
}
bool extension_case(std::string_view in, std::string& out) { return extension(in, ".pHp", out); }
bool extension_other(std::string_view in, std::string& out) { return extension(in, ".phtml", out); }
bool extension_five(std::string_view in, std::string& out) { return extension(in, ".php5", out); }
bool extension_dot(std::string_view in, std::string& out) { return extension(in, ".php.", out); }
bool extension_phar(std::string_view in, std::string& out) { return extension(in, ".phar", out); }
bool extension_jsp(std::string_view in, std::string& out) { return extension(in, ".jsp", out); }

bool only_lf(std::string_view in, std::string& out) { return replace_all(in, "\r\n", "\n", out); }
bool only_cr(std::string_view in, std::string& out) { return replace_all(in, "\r\n", "\r", out); }

constexpr const char* kUp = "paths that climb";
constexpr const char* kPasswd = "the same file, or one as telling";
constexpr const char* kAddress = "URLs: every client reads these as the same address";
constexpr Variation kVariations[] = {
    {"path .././", kUp, kFiles, dot_segments},
    {"path ..//", kUp, kFiles, two_slashes},
    {"path ..\\", "Windows, and servers that turn backslashes round", kFiles, backslashes},
    {"path ....//", "applications that take ../ out once", kPath, nested},
    {"path deeper", kUp, kFiles, deeper},
    {"path folder before", kUp, kFiles, folder_before},
    {"path /etc/./passwd", kPasswd, kFiles, passwd_dot},
    {"path //etc///passwd", kPasswd, kFiles, passwd_slashes},
    {"path /etc/init.d/../passwd", kPasswd, kFiles, passwd_around},
    {"path /etc/shadow", kPasswd, kFiles, other_file},
    {"path /etc/shadow", kPasswd, kFiles, shadow_file},
    {"path /proc/self/environ", kPasswd, kFiles, environ_file},
    {"path NUL and suffix", "applications in C, PHP before 5.3.4", kFiles, nul_suffix},
    {"url scheme in mixed case", "URLs: schemes have no case", kInclusion | kSsrf, scheme_case},
    {"url filter with or without read=", "PHP's php://filter", kInclusion, filter_read},
    {"url 2852039166", kAddress, kSsrf, metadata_number},
    {"url 0xA9FEA9FE", kAddress, kSsrf, metadata_hex},
    {"url 0251.0376.0251.0376", kAddress, kSsrf, metadata_octal},
    {"url 169.254.43518", kAddress, kSsrf, metadata_short},
    {"url [::ffff:169.254.169.254]", kAddress, kSsrf, metadata_mapped},
    {"url [::ffff:a9fe:a9fe]", kAddress, kSsrf, metadata_mapped_hex},
    {"url 127.1", kAddress, kSsrf, loopback_short},
    {"url 2130706433", kAddress, kSsrf, loopback_number},
    {"url 0x7f000001", kAddress, kSsrf, loopback_hex},
    {"url 0177.0.0.01", kAddress, kSsrf, loopback_octal},
    {"url [::1]", kAddress, kSsrf, loopback_six},
    {"url 0.0.0.0", kAddress, kSsrf, loopback_zero},
    {"url user before", "URLs: user information changes no address", kSsrf, user_before},
    {"file .pHp", "servers on file systems without case, handlers without case", kUpload, extension_case},
    {"file .phtml", "PHP's handlers as distributions set them", kUpload, extension_other},
    {"file .php5", "PHP's handlers as distributions set them", kUpload, extension_five},
    {"file .php.", "Windows leaves the dot out", kUpload, extension_dot},
    {"file .phar", "PHP's handlers as distributions set them", kUpload, extension_phar},
    {"file .jsp", "servlet containers", kUpload, extension_jsp},
    {"line end LF", "servers that end lines at LF", kCrlf, only_lf},
    {"line end CR", "servers that end lines at CR", kCrlf, only_cr},
};

}  // namespace

std::span<const Variation> path_variations() { return kVariations; }

}  // namespace wafd::variations
