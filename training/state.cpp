#include "training/state.hpp"

namespace fovea {

void StateWriter::operator()(const std::string& name, const std::string& value) {
  entries_->add_text("state/" + name, value);
}
void StateWriter::operator()(const std::string& name, const std::vector<std::string>& value) {
  entries_->add("state/" + name, value);
}
void StateWriter::operator()(const std::string& name, std::uint64_t value) {
  entries_->add_number("state/" + name, value);
}
void StateWriter::operator()(const std::string& name, double value) {
  entries_->add_real("state/" + name, value);
}
void StateWriter::operator()(const std::string& name, const std::vector<std::uint64_t>& value) {
  entries_->add("state/" + name, value);
}
void StateWriter::operator()(const std::string& name, const std::vector<double>& value) {
  entries_->add("state/" + name, value);
}

const std::string& StateReader::take(const std::string& name) {
  return *taken_.insert("state/" + name).first;
}

void StateReader::operator()(const std::string& name, std::string& value) {
  value = entries_->text(take(name));
}
void StateReader::operator()(const std::string& name, std::vector<std::string>& value) {
  value = entries_->values<std::string>(take(name));
}
void StateReader::operator()(const std::string& name, std::uint64_t& value) {
  value = entries_->number(take(name));
}
void StateReader::operator()(const std::string& name, double& value) { value = entries_->real(take(name)); }
void StateReader::operator()(const std::string& name, std::vector<std::uint64_t>& value) {
  value = entries_->values<std::uint64_t>(take(name));
}
void StateReader::operator()(const std::string& name, std::vector<double>& value) {
  value = entries_->values<double>(take(name));
}

void StateReader::finish() const {
  for (const Entry& entry : entries_->all()) {
    const bool unknown = entry.name.starts_with("state/") && !taken_.contains(entry.name);
    check<CheckpointError>(!unknown, "checkpoint", entry.name, " is not known to this task");
  }
}

}  // namespace fovea
