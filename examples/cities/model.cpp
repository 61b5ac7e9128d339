#include "examples/cities/model.hpp"

#include <cmath>

#include "core/parallel.hpp"
#include "examples/cities/start_values.hpp"

namespace fovea::inline FOVEA_REAL::cities {
namespace {

Variable as_batch(const Variable& vectors) {
  return reshape(vectors, {1, vectors.shape()[0], vectors.shape()[1]});
}

std::vector<Matcher> make_attentions(const std::string& attention, HybridKind hybrid, const Sizes& sizes,
                                     Rng& rng) {
  const Layout layout(sizes);
  const auto additive = [&] {
    return paired_additive(AdditiveScore(layout.query_width(), layout.key_width(), sizes.hidden(), rng),
                           sizes, rng);
  };
  std::vector<Matcher> result;
  if (attention == "additive") {
    result.push_back(additive());
  } else if (attention == "hybrid" && hybrid == HybridKind::by_dims) {
    // Queries and keys differ in width here, so it picks the additive score.
    const Hybrid chosen(hybrid, layout.query_width(), layout.key_width(), sizes.hidden(), rng);
    result.push_back(paired_additive(std::get<AdditiveScore>(chosen.scores.at(0)), sizes, rng));
  } else if (attention == "hybrid") {
    result.push_back(projected_dot(ScaledDotScore{}, sizes, rng));
    result.push_back(additive());
  } else {
    result.push_back(projected_dot(make_score(attention, sizes.common, sizes.common, 0, rng), sizes, rng));
  }
  return result;
}

}  // namespace

Layout::Layout(const Sizes& sizes)
    : waves(sizes.name),
      point(waves + 2 * 4 * sizes.frequencies),
      country(point + 3),
      extras(country + sizes.country) {}

Variable Matcher::queries(const Variable& vectors) const {
  return as_batch(query ? (*query)(vectors) : vectors);
}
Variable Matcher::keys(const Variable& vectors) const { return as_batch(key ? (*key)(vectors) : vectors); }

CitiesModel::CitiesModel(const std::string& attention, HybridKind hybrid, const Sizes& sizes,
                         std::size_t countries, const Rng& rng) {
  Rng table = rng.split("ngrams"), places = rng.split("frequencies"), codes = rng.split("country");
  Rng scores = rng.split("attentions");
  ngrams = EmbeddingBag(sizes.rows, sizes.name, Bag::sum, table, table_deviation(attention));
  country =
      Embedding(countries + 1, sizes.country, codes, Real(1) / std::sqrt(static_cast<Real>(sizes.country)));
  frequencies.value = wave_frequencies(sizes.frequencies, places);
  attentions = make_attentions(attention, hybrid, sizes, scores);
}

Variable CitiesModel::joined(const Variable& names, const Inputs& inputs) const {
  const Variable place(place_features(frequencies.value, frequencies.value.shape()[0] / 4, inputs.at));
  const Variable code = mul(country(inputs.country), Variable(inputs.has_country));
  return concat({names, place, code, Variable(inputs.extra)}, 1);
}

Variable CitiesModel::encode(const Inputs& inputs) const {
  return joined(l2_normalize(ngrams(inputs.ngrams, inputs.offsets)), inputs);
}

std::pair<Variable, Variable> CitiesModel::encode(const Inputs& queries, const Inputs& keys) const {
  Ids ids = queries.ngrams;
  ids.values.insert(ids.values.end(), keys.ngrams.values.begin(), keys.ngrams.values.end());
  ids.shape = {ids.values.size()};
  std::vector<std::size_t> offsets = queries.offsets;
  for (std::size_t i = 1; i < keys.offsets.size(); ++i)
    offsets.push_back(queries.ngrams.values.size() + keys.offsets[i]);
  const Variable names = l2_normalize(ngrams(ids, offsets));
  const std::size_t first_key = queries.size();
  return {joined(slice(names, 0, 0, first_key), queries),
          joined(slice(names, 0, first_key, first_key + keys.size()), keys)};
}

Tensor place_features(const Tensor& frequencies, std::size_t per_scale,
                      std::span<const std::optional<Point>> at) {
  const std::size_t waves = frequencies.shape()[0], width = 2 * waves + 3;
  const Real height = Real(1) / std::sqrt(static_cast<Real>(per_scale));
  Tensor features = zeros({at.size(), width});
  parallel_for(at.size(), rows_per_range(16 * width), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!at[i]) continue;
      Real* row = features.data() + i * width;
      const Real x = static_cast<Real>((*at[i])[0]), y = static_cast<Real>((*at[i])[1]),
                 z = static_cast<Real>((*at[i])[2]);
      const Real* w = frequencies.data();
      for (std::size_t f = 0; f < waves; ++f, w += 3) {
        const Real phase = w[0] * x + w[1] * y + w[2] * z;
        row[f] = height * std::cos(phase);
        row[waves + f] = height * std::sin(phase);
      }
      row[2 * waves] = x;
      row[2 * waves + 1] = y;
      row[2 * waves + 2] = z;
    }
  });
  return features;
}

}  // namespace fovea::inline FOVEA_REAL::cities
