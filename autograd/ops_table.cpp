#include <algorithm>

#include "autograd/ops.hpp"
#include "autograd/record.hpp"
#include "core/move.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

void check_table(const Op& op, const Variable& table) {
  check(table.rank() == 2, op, "the table has shape ", table.shape(), "; expected [rows, width]");
}

}  // namespace

static const Op gather_op{"gather"};

Variable gather(const Variable& table, const Ids& ids, std::optional<std::int64_t> padding) {
  check_table(gather_op, table);
  auto rows = std::make_shared<const std::vector<std::size_t>>(rows_of(ids, table.shape()[0], gather_op));
  Shape result = ids.shape;
  result.push_back(table.shape()[1]);
  const auto to_table = [rows, padding, shape = table.shape()](const Tensor& dy) {
    Tensor dtable = zeros(shape);
    numbers::scatter_add_rows(dtable, *rows, dy);
    if (padding && 0 <= *padding && static_cast<std::size_t>(*padding) < shape[0]) {
      std::fill_n(dtable.data() + static_cast<std::size_t>(*padding) * shape[1], shape[1], Real(0));
    }
    return dtable;
  };
  return record(gather_op, numbers::reshape(numbers::gather_rows(table.value(), *rows), result),
                Wrt{table, to_table});
}

static const Op embedding_bag_op{"embedding_bag"};

Variable embedding_bag(const Variable& table, const Ids& ids, const std::vector<std::size_t>& offsets,
                       Bag kind) {
  check_table(embedding_bag_op, table);
  check(!offsets.empty() && offsets.front() == 0 && offsets.back() == ids.values.size(), embedding_bag_op,
        "offsets must lead from 0 to the number of ids, ", ids.values.size());
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    check(offsets[b] <= offsets[b + 1], embedding_bag_op, "offset ", b + 1,
          " is smaller than the one before");
  }
  auto rows =
      std::make_shared<const std::vector<std::size_t>>(rows_of(ids, table.shape()[0], embedding_bag_op));
  const auto to_table = [rows, offsets, kind, shape = table.shape()](const Tensor& dy) {
    Tensor dtable = zeros(shape);
    (kind == Bag::mean ? numbers::scatter_bag_mean : numbers::scatter_bag_sum)(dtable, *rows, offsets, dy);
    return dtable;
  };
  Tensor bags = (kind == Bag::mean ? numbers::bag_mean : numbers::bag_sum)(table.value(), *rows, offsets);
  return record(embedding_bag_op, std::move(bags), Wrt{table, to_table});
}

}  // namespace fovea::inline FOVEA_REAL
