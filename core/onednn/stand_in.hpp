#pragma once

namespace fovea::onednn {

/// For tests, on CPUs that have no bf16: while one is alive bf16 is there, and its products are made by the
/// library in f32, of the operands as they are. All but the instructions themselves runs then.
class StandIn {
 public:
  StandIn();
  ~StandIn();
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;
};

}  // namespace fovea::onednn
