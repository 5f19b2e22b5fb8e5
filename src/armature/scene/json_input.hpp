// What this layer reads: JSON text (comments are passed over), or an object of another language as a tree without text.
// Held together with its name and its tree, so that every value can say where it stands.
#pragma once

#include <memory>
#include <string>

#include "armature/formats/json_fields.hpp"

namespace armature::inline v0_2 {

using Value = JsonRef;

class JsonInput {
 public:
  /// `name` begins the messages: a file, "Standard input", "--goals".
  static Result<JsonInput> parse(std::string text, std::string name, int first_line = 1) {
    auto held = std::make_unique<Held>();
    held->text = std::move(text);
    held->source = {held->text, std::move(name), first_line};
    Result<JsonTree> tree = JsonTree::parse(held->source, true);
    if (!tree) return tree.error();
    held->tree = std::move(*tree);
    JsonInput input;
    input.held_ = std::move(held);
    return input;
  }
  /// What JsonTreeBuilder built; its values are named by their path in messages.
  static JsonInput from_tree(JsonTree tree) {
    auto held = std::make_unique<Held>();
    held->tree = std::move(tree);
    JsonInput input;
    input.held_ = std::move(held);
    return input;
  }
  Value root() const { return held_->tree.root(); }
  const Source& source() const { return held_->source; }

 private:
  struct Held {  // values point at the tree, the tree's places into the text: neither moves
    std::string text;
    Source source;
    JsonTree tree;
  };
  std::unique_ptr<const Held> held_;
};

}  // namespace armature::inline v0_2
