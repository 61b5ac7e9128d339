#include "autograd/op_table.hpp"

#include "autograd/op_rows.hpp"

namespace fovea::inline FOVEA_REAL {

const std::vector<OpRow>& op_table() {
  static const std::vector<OpRow> table = [] {
    std::vector<OpRow> rows;
    for (const auto& part :
         {elementwise_rows(), product_rows(), layout_rows(), normaliser_rows(), attention_rows(),
          linear_attention_rows(), recurrent_rows(), class_loss_rows(), regression_rows()}) {
      rows.insert(rows.end(), part.begin(), part.end());
    }
    return rows;
  }();
  return table;
}

}  // namespace fovea::inline FOVEA_REAL
