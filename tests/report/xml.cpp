#include "report/xml.hpp"

#include <regex>
#include <vector>

namespace fovea::report {

std::string xml_fault(const std::string& text) {
  static const std::regex open(R"(^([A-Za-z][\w:-]*)((?:\s+[A-Za-z][\w:-]*="[^"<]*")*)\s*(/?)$)");
  static const std::regex entity("&(?:lt|gt|amp|quot|#39);");
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\t') return "a control character";
  if (std::regex_replace(text, entity, "").find('&') != text.npos) return "a bare &";
  std::vector<std::string> inside;
  bool has_root = false;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '<') {
      if (inside.empty() && text[at] != '\n') return "text outside of the root";
      ++at;
      continue;
    }
    const std::size_t end = text.find('>', at);
    if (end == text.npos) return "a tag without its end";
    const std::string tag = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with("/")) {
      if (inside.empty() || inside.back() != tag.substr(1)) return "</" + tag.substr(1) + "> closes nothing";
      inside.pop_back();
      continue;
    }
    std::smatch parts;
    if (!std::regex_match(tag, parts, open)) return "the tag <" + tag + ">";
    if (inside.empty() && has_root) return "two roots";
    has_root = true;
    if (parts[3].length() == 0) inside.push_back(parts[1]);
  }
  return !has_root ? "no root" : inside.empty() ? "" : "<" + inside.back() + "> stays open";
}

}  // namespace fovea::report
