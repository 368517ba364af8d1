#include "src/records/packed_records.hpp"

#include <bit>

namespace redbench {
namespace {

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Gives `json` the value of its parts and values, which it goes through. What it was before lends its memory:
/// of two records with the same members only numbers and texts are copied.
template <class Part, class Value>
void make(Json& json, Part& part, Value& value) {
  const auto [key, type, count] = *part++;
  if (json.type() != type) json = type;
  switch (type) {
    case Json::value_t::boolean:
      json.get_ref<bool&>() = count != 0;
      break;
    case Json::value_t::number_integer:
      json.get_ref<std::int64_t&>() = std::int64_t(*value++);
      break;
    case Json::value_t::number_unsigned:
      json.get_ref<std::uint64_t&>() = *value++;
      break;
    case Json::value_t::number_float:
      json.get_ref<double&>() = std::bit_cast<double>(*value++);
      break;
    case Json::value_t::string:
      json.get_ref<std::string&>() = *std::bit_cast<const std::string*>(*value++);
      break;
    case Json::value_t::array: {
      auto& entries = json.get_ref<Json::array_t&>();
      entries.resize(count);
      for (Json& entry : entries) make(entry, part, value);
      break;
    }
    case Json::value_t::object: {
      auto& members = json.get_ref<Json::object_t&>();
      members.reserve(count);
      for (std::size_t i = 0; i < count; ++i) {
        if (i < members.size() && !(members.begin()[std::ptrdiff_t(i)].first == part->key))
          members.erase(members.begin() + std::ptrdiff_t(i), members.end());
        if (i == members.size()) members.emplace_back(part->key, nullptr);
        make(members.begin()[std::ptrdiff_t(i)].second, part, value);
      }
      members.erase(members.begin() + count, members.end());
      break;
    }
    default:
      break;
  }
}

}  // namespace

PackedRecords::PackedRecords(const std::vector<Record>& records) {
  for (const Record& record : records) push_back(record);
}

void PackedRecords::push_back(const Record& record) {
  const std::size_t first = memory_->values.size();
  Shape shape;
  shape.reserve(256);
  add(shape, SharedKey(), record);
  places_.push_back({&*memory_->shapes.insert(std::move(shape)).first, first});
}

void PackedRecords::unpack(std::size_t i, Record& record) const {
  auto part = places_[i].shape->begin();
  auto value = std::as_const(memory_->values).begin() + std::ptrdiff_t(places_[i].first);
  make(record, part, value);
}

PackedRecords PackedRecords::chosen(const std::vector<std::size_t>& places) const {
  PackedRecords records;
  records.memory_ = memory_;
  for (const std::size_t i : places) records.places_.push_back(places_[i]);
  return records;
}

std::size_t PackedRecords::ShapeHash::operator()(const Shape& shape) const {
  std::uint64_t hash = shape.size();
  for (const auto& [key, type, count] : shape) {
    const std::string& name = key;  // the one copy of its text
    hash = (hash ^ std::bit_cast<std::uintptr_t>(&name) ^ (std::uint64_t(count) << 8) ^ std::uint64_t(type)) *
           0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

void PackedRecords::add(Shape& shape, SharedKey key, const Json& value) {
  auto& values = memory_->values;
  std::uint32_t count = 0;
  if (value.is_structured()) count = std::uint32_t(value.size());
  if (value.is_boolean()) count = value.get<bool>();
  shape.push_back({key, value.type(), count});
  switch (value.type()) {
    case Json::value_t::number_integer:
      values.push_back(std::uint64_t(value.get<std::int64_t>()));
      break;
    case Json::value_t::number_unsigned:
      values.push_back(value.get<std::uint64_t>());
      break;
    case Json::value_t::number_float:
      values.push_back(bits_of(value.get<double>()));
      break;
    case Json::value_t::string:
      values.push_back(
          std::bit_cast<std::uintptr_t>(&*memory_->texts.insert(value.get_ref<const std::string&>()).first));
      break;
    case Json::value_t::array:
      for (const Json& entry : value) add(shape, SharedKey(), entry);
      break;
    case Json::value_t::object:
      for (const auto& [name, member] : value.get_ref<const Json::object_t&>()) add(shape, name, member);
      break;
    default:
      break;
  }
}

}  // namespace redbench
