#pragma once

#include <functional>
#include <span>

#include "autograd/param.hpp"
#include "core/check.hpp"
#include "training/task.hpp"

namespace fovea::inline FOVEA_REAL {

// Why a step of training came to a number that is not finite. `forward` is called once more, recorded as it
// was, with all that its ops took and made written down; batch and randomness are those of the step. Blamed
// is the op that made such a number out of finite ones and from which it came to where it was found, so not
// an infinity that a mask hides. Beside it stands the nearest parameter that went into it.

/// Throws DivergedError for a `loss` that is not finite.
[[noreturn]] void explain_loss(const std::function<Loss()>& forward, std::span<const NamedParam> params,
                               double loss);

/// Throws DivergedError with what `fault` says and where the first gradient that is not finite was made, if
/// there is one.
[[noreturn]] void explain_gradient(const std::function<Loss()>& forward, std::span<const NamedParam> params,
                                   const DivergedError& fault);

}  // namespace fovea::inline FOVEA_REAL
