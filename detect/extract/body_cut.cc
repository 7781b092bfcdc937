#include "detect/extract/body_cut.h"

#include <algorithm>
#include <array>

#include "detect/core/bytes.h"
#include "detect/decode/base/text_check.h"
#include "detect/extract/body_type.h"

namespace wafd::detect {
namespace {

using namespace std::string_view_literals;

// Of a name in the head that was cut nobody knows the rest.
bool is_whole(std::string_view head) noexcept { return head.ends_with("\r\n\r\n") || head.ends_with("\n\n"); }

struct Signature {
  std::size_t at;
  std::string_view bytes;
};

// Files that people upload, by the formats' own specifications. None begins as JSON, XML or YAML may.
constexpr std::array kFiles = {
    Signature{0, "\x89PNG\r\n\x1a\n"sv},
    Signature{0, "\xff\xd8\xff"sv},  // JPEG
    Signature{0, "GIF87a"sv},
    Signature{0, "GIF89a"sv},
    Signature{0, "RIFF"sv},              // WebP, AVI, WAV
    Signature{4, "ftyp"sv},              // MP4, HEIC, AVIF
    Signature{0, "\x1a\x45\xdf\xa3"sv},  // Matroska, WebM
    Signature{0, "OggS"sv},
    Signature{0, "ID3"sv},
    Signature{0, "fLaC"sv},
    Signature{0, "II*\0"sv},
    Signature{0, "MM\0*"sv},  // TIFF, raw pictures
    Signature{0, "%PDF-"sv},
    Signature{0, "PK\x03\x04"sv},  // ZIP, office documents
    Signature{0, "\x1f\x8b\x08"sv},
    Signature{0, "BZh"sv},
    Signature{0,
              "\xfd"
              "7zXZ\0"sv},
    Signature{0, "7z\xbc\xaf\x27\x1c"sv},
    Signature{0, "\x28\xb5\x2f\xfd"sv},  // Zstandard
    Signature{0, "Rar!\x1a\x07"sv},
};

bool begins_as_file(std::string_view body) noexcept {
  return std::any_of(kFiles.begin(), kFiles.end(), [&](const Signature& file) {
    return body.size() > file.at && body.substr(file.at).starts_with(file.bytes);
  });
}

bool is_file_type(std::string_view content_type) noexcept {
  return declared_type(content_type) == BodyType::kOther && !istarts_with(trim(content_type), "text/");
}

bool is_file(std::string_view body, const RequestHead& head) noexcept {
  bool typed = false;
  for (const HeaderField& field : head.fields) {
    if (iequals(field.name, "Content-Encoding")) return false;
    if (!iequals(field.name, "Content-Type")) continue;
    if (!is_file_type(field.value)) return false;
    typed = true;
  }
  return typed && begins_as_file(body) && looks_binary(body);
}

}  // namespace

CutIn cut_in(const Request& request, const RequestHead& head, const FieldList& fields) noexcept {
  if (!is_whole(request.head) || request.body.empty()) return CutIn::kFields;
  if (is_file(request.body, head)) return CutIn::kFile;
  const char* const end = request.body.data() + request.body.size();
  for (std::size_t i = fields.size(); i > 0; --i) {
    const Field& field = fields[i - 1];
    if (field.location == Location::kFile && field.binary && !field.in_name &&
        field.raw.data() + field.raw.size() == end)
      return CutIn::kFormFile;
  }
  return CutIn::kFields;
}

}  // namespace wafd::detect
