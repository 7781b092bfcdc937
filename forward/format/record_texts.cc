#include "forward/format/record_texts.h"

#include "detect/core/record_cut.h"
#include "forward/ring/record_reader.h"

namespace wafd::forward {

bool RecordTexts::load(std::string_view record_json) {
  texts_ = json_ = {};
  RecordValues values;
  if (!scan_record(record_json, values)) return false;
  decoded_.clear();
  decoded_.reserve(record_json.size());  // decoding never makes longer, so views into it stay
  for (std::size_t i = 0; i < kRecordMembers; ++i) {
    std::string_view text = values[i];
    if (kMembers[i].type == MemberType::kString || kMembers[i].type == MemberType::kIntegerList)
      text = text.substr(1, text.size() - 2);
    json_[i] = text;
    if (text.find('\\') != std::string_view::npos) {
      const std::size_t begin = decoded_.size();
      append_unescaped_json(text, decoded_);
      text = std::string_view(decoded_).substr(begin);
    }
    texts_[i] = text;
  }
  return true;
}

}  // namespace wafd::forward
