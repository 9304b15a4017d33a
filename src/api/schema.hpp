// The JSON schema of a described struct: what the OpenAPI document says of bodies is what the reader of model/json.hpp
// really takes.
#pragma once

#include "model/json.hpp"

namespace sickbay::api {

template <class T>
json::object schema_of() {
  using namespace sickbay::detail;
  if constexpr (std::is_same_v<T, json::value>) {
    return {};
  } else if constexpr (std::is_same_v<T, json::object>) {
    return {{"type", "object"}};
  } else if constexpr (std::is_same_v<T, Time>) {
    return {{"type", "string"}, {"format", "date-time"}};
  } else if constexpr (std::is_same_v<T, Duration>) {
    return {{"type", "string"}, {"example", "30m"}};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return {{"type", "string"}};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (DescribedEnum<T>) {
    json::array names;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
        [&](auto d) { names.push_back(json::string(name_of(d.value))); });
    return {{"type", "string"}, {"enum", names}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {{"type", "number"}};
  } else if constexpr (std::is_integral_v<T>) {
    return {{"type", "integer"}};
  } else if constexpr (IsOptional<T>::value) {
    return schema_of<typename T::value_type>();
  } else if constexpr (IsVector<T>::value) {
    return {{"type", "array"}, {"items", schema_of<typename T::value_type>()}};
  } else if constexpr (IsMap<T>::value) {
    return {{"type", "object"}, {"additionalProperties", schema_of<typename T::mapped_type>()}};
  } else {
    json::object properties;
    boost::mp11::mp_for_each<Members<T>>([&](auto member) {
      properties[member.name] = schema_of<std::remove_cvref_t<decltype(std::declval<T&>().*member.pointer)>>();
    });
    return {{"type", "object"}, {"properties", properties}};
  }
}

}  // namespace sickbay::api
