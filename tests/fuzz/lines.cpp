#include "core/check.hpp"
#include "examples/classify/labelled.hpp"
#include "examples/g2p/lexicon.hpp"
#include "fuzz/fuzz.hpp"

namespace fovea::fuzz {

void run(std::string_view bytes) {
  using classify::Case;
  const auto pairs = answer<DataError>([&] { return sequences::parse_pairs(bytes, "file"); });
  if (pairs) {
    std::string text = "\r\n";  // a byte order mark belongs to what stands at the beginning
    for (const sequences::Pair& pair : *pairs) text += pair.source + '\t' + pair.target + "\r\n";
    const auto again = sequences::parse_pairs(text, "file");
    require(again.size() == pairs->size(), "pairs that were written are others");
    for (std::size_t i = 0; i < again.size(); ++i)
      require(again[i].source == (*pairs)[i].source && again[i].target == (*pairs)[i].target,
              "a pair that was written is read as another");
  }
  for (const Case letter_case : {Case::keep, Case::lower}) {
    const auto labelled =
        answer<DataError>([&] { return classify::parse_labelled(bytes, "file", letter_case); });
    require(labelled.has_value() == pairs.has_value(), "what pairs are depends on their names");
  }
  for (const bool stress : {false, true})
    answer<DataError>([&] { return sequences::parse_lexicon(bytes, "file", stress); });
}

}  // namespace fovea::fuzz
