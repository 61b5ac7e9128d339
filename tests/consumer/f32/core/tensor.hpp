#pragma once

inline constexpr bool users_own_tensor = true;
