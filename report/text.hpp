#pragma once

#include <string>
#include <string_view>

namespace fovea::report {

/// Text of any origin as it may stand in a page: valid UTF-8, with a visible sign for each control character,
/// and for those that change the direction of what follows.
std::string visible(std::string_view text);

/// A token as a label of its own: as `visible`, with a sign for spaces and for whatever else has no shape
/// (`⟨U+00A0⟩`, `⟨U+FEFF⟩`); a combining mark without a base stands on `◌`. Joiners and variation selectors
/// stay where they change how a neighbour looks.
std::string token(std::string_view text);

/// `text` for XML, between tags and in attributes: `visible`, with entities for < > & and quotes.
std::string escaped(std::string_view text);

/// JSON for an HTML script element: nothing in it ends the element or starts a comment.
std::string in_script(std::string json);

}  // namespace fovea::report
