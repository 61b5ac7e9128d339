#include "parity/fixture.hpp"

#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "compare.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

using nlohmann::json;

Array array_of(const json& node) {
  const auto lengths = node.at("shape").get<std::vector<std::size_t>>();
  Array array{Shape(lengths.begin(), lengths.end()), node.at("data").get<std::vector<double>>()};
  check<Error>(array.data.size() == volume(array.shape), "fixture", array.data.size(), " numbers for ",
               array.shape);
  return array;
}

Case case_of(const std::string& name, const json& node) {
  Case result;
  result.name = name;
  const json none = json::object();
  const auto part = [&](const char* key) -> const json& { return node.contains(key) ? node.at(key) : none; };
  for (const auto& [key, value] : part("inputs").items()) result.inputs[key] = array_of(value);
  for (const auto& [key, value] : part("gradients").items()) result.gradients[key] = array_of(value);
  for (const auto& [key, value] : part("outputs").items()) {
    result.outputs[key] = array_of(value.at("value"));
    if (value.contains("cotangent")) result.cotangents[key] = array_of(value.at("cotangent"));
  }
  for (const auto& [key, value] : part("settings").items()) {
    const double one = value.is_boolean() ? value.get<bool>() : value.is_number() ? value.get<double>() : 0;
    result.settings[key] = value.is_array() ? value.get<std::vector<double>>() : std::vector{one};
  }
  return result;
}

template <class Map>
const auto& found(const Map& map, const std::string& key, const std::string& name) {
  const auto at = map.find(key);
  check<Error>(at != map.end(), "fixture", "the case \"", name, "\" has no \"", key, "\"");
  return at->second;
}

void compare(Case& one, const Outputs& actual) {
  std::vector<Variable> outputs, wrt;
  std::vector<Tensor> cotangents;
  REQUIRE(actual.named.size() == one.outputs.size());
  for (const auto& [key, expected] : one.outputs) {
    INFO("output " << key);
    const Variable& y = found(actual.named, key, one.name);
    CHECK_THAT(y.value(), close_to(expected.tensor(), parity_tolerance));
    if (!y.tracked()) continue;
    outputs.push_back(y);
    cotangents.push_back(found(one.cotangents, key, one.name).tensor());
  }
  for (const auto& [key, expected] : one.gradients) wrt.push_back(one[key]);
  const std::vector<Tensor> gradients_here = gradients(outputs, cotangents, wrt);
  std::size_t i = 0;
  for (const auto& [key, expected] : one.gradients) {
    INFO("gradient of " << key);
    CHECK_THAT(gradients_here[i++], close_to(expected.tensor(), parity_tolerance));
  }
}

}  // namespace

Tensor Array::tensor() const {
  Tensor result = uninitialized(shape);
  std::transform(data.begin(), data.end(), result.data(), [](double x) { return static_cast<Real>(x); });
  return result;
}

std::string Case::subject() const { return name.substr(0, name.find(':')); }

const Array& Case::input(const std::string& input_name) const { return found(inputs, input_name, name); }

const Variable& Case::operator[](const std::string& input_name) {
  const auto at = leaves_.find(input_name);
  if (at != leaves_.end()) return at->second;
  return leaves_[input_name] = Variable::leaf(input(input_name).tensor());
}

Ids Case::ids(const std::string& input_name) const {
  const Array& array = input(input_name);
  return Ids(array.shape, std::vector<std::int64_t>(array.data.begin(), array.data.end()));
}

Keep Case::keep(const std::string& input_name) const {
  const Array& array = input(input_name);
  return Keep(array.shape, std::vector<unsigned char>(array.data.begin(), array.data.end()));
}

const std::vector<double>& Case::list(const std::string& setting) const {
  return found(settings, setting, name);
}

double Case::number(const std::string& setting, double otherwise) const {
  return settings.count(setting) ? number(setting) : otherwise;
}

std::vector<std::size_t> Case::counts(const std::string& setting) const {
  const std::vector<double>& numbers_of = list(setting);
  return {numbers_of.begin(), numbers_of.end()};
}

std::vector<Case> read_fixture(const std::string& file) {
  const std::string path = std::string(FOVEA_SOURCE_DIR) + "/tests/parity/fixtures/" + file + ".json";
  std::ifstream stream(path);
  check<Error>(stream.good(), "fixture", path, " cannot be read");
  std::vector<Case> cases;
  const json file_node = json::parse(stream);
  for (const auto& [name, node] : file_node.items()) cases.push_back(case_of(name, node));
  return cases;
}

std::set<std::string> subjects(const std::vector<Case>& cases) {
  std::set<std::string> names;
  for (const Case& one : cases) names.insert(one.subject());
  return names;
}

void check_parity(std::vector<Case> cases, const Recipes& recipes) {
  std::set<std::string> known;
  for (const auto& [subject, recipe] : recipes) known.insert(subject);
  REQUIRE(difference(subjects(cases), known, "is in the fixture and has no recipe in the test beside it",
                     "has a recipe and is not in the fixture: run tests/parity/make_fixtures.py") == "");
  for (Case& one : cases) {
    INFO(one.name);
    compare(one, recipes.at(one.subject())(one));
  }
}

}  // namespace fovea::inline FOVEA_REAL
