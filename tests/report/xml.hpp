#pragma once

#include <string>

namespace fovea::report {

/// What keeps `text` from being well-formed XML (one root, tags that match, attributes in quotes, known
/// entities, no control characters); empty when nothing does. Knows what SVG files have: neither comments nor
/// CDATA.
std::string xml_fault(const std::string& text);

}  // namespace fovea::report
