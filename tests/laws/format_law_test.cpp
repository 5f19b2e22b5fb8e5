// Laws of file formats, run over the registry: every built-in model with a motion goes through every format that can be
// written and read.
#include <doctest/doctest.h>

#include <string>

#include "armature/base/rng.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"

using namespace armature;

namespace {

// Formats that carry the whole linkage: everything comes back, bit for bit.
bool carries_everything(const std::string& format) {
  return format == "json" || format == "glb" || format == "gltf" || format == "csv" || format == "jsonl";
}
// Formats in which what was read back is written byte for byte as before: the others choose anew among equal spellings.
bool has_one_spelling(const std::string& format) {
  return format == "json" || format == "csv" || format == "jsonl" || format == "bvh";
}
bool carries_motion(const std::string& format) { return format == "csv" || format == "jsonl"; }

Document model_with_motion(const BuiltinModel& builtin) {
  ReadOptions options;
  options.file_name = "x.json";
  Result<Document> document = read_document(builtin.json, options);
  REQUIRE(document.ok());
  const Result<Model> model = compile(document->linkage);
  Rng rng(11);
  Clip clip;
  clip.name = document->linkage.name;
  clip.q_size = model->q_size();
  for (int f = 0; f < 3; ++f) clip.append(random_pose(*model, rng));
  document->clips.push_back(clip);
  return std::move(*document);
}

std::string written(const Document& document, const Format& format) {
  Result<std::string> text = write_document(document, format, {});
  REQUIRE_MESSAGE(text.ok(), text.message());
  return std::move(*text);
}

std::string as_json(const Linkage& linkage) {
  Document bare;
  bare.linkage = linkage;
  return written(bare, **format_for_writing("x.json"));
}

}  // namespace

TEST_CASE("format law: what is written is known by its content, reads back, and loses nothing more") {
  for (const BuiltinModel& builtin : builtin_models()) {
    const Document document = model_with_motion(builtin);
    for (const Format& format : formats()) {
      if (format.read == nullptr || format.write == nullptr) continue;
      const std::string name = format.name;
      INFO(document.linkage.name, " as ", name);
      const Result<std::string> text = write_document(document, format, {});
      if (!text.ok()) {  // not every linkage is a chain of Denavit and Hartenberg
        CHECK_MESSAGE(name.rfind("dh", 0) == 0, text.message());
        continue;
      }
      const Result<const Format*> known = detect_format(*text, "");
      REQUIRE(known.ok());
      CHECK((*known)->name == name);
      ReadOptions options;
      options.file_name = document.linkage.name;  // BVH names the figure after its file
      const Result<Document> again = read_document(*text, options);
      REQUIRE_MESSAGE(again.ok(), again.message());
      CHECK(compile(again->linkage).ok());
      const bool same = written(*again, format) == *text;
      CHECK((same || !has_one_spelling(name)));
      if (carries_everything(name)) CHECK(as_json(again->linkage) == as_json(document.linkage));
      if (carries_motion(name)) {
        REQUIRE(again->clips.size() == 1);
        CHECK(again->clips[0].values == document.clips[0].values);
      }
    }
  }
}

TEST_CASE("format law: places survive every pair of motion formats") {
  const char* const motions[] = {"bvh", "glb", "csv", "jsonl"};
  for (const BuiltinModel& builtin : builtin_models()) {
    Document document = model_with_motion(builtin);
    document.linkage.up = "y";  // so that nothing is turned on the way
    const Result<Model> model = compile(document.linkage);
    for (const char* first : motions) {
      for (const char* second : motions) {
        INFO(document.linkage.name, " as ", first, ", then as ", second);
        Document now = document;
        for (const char* name : {first, second}) {
          ReadOptions options;
          options.file_name = std::string("x.") + name;
          options.bvh_positions = "absolute";
          Result<Document> next = read_document(written(now, **format_for_writing(options.file_name)), options);
          REQUIRE_MESSAGE(next.ok(), next.message());
          now = std::move(*next);
        }
        const Result<Model> last = compile(now.linkage);
        REQUIRE(now.clips.size() == 1);
        double worst = 0.0;
        for (int f = 0; f < 3; ++f) {
          State before, after;
          forward(*model, Eigen::Map<const VecX>(document.clips[0].frame(f), model->q_size()), before);
          forward(*last, Eigen::Map<const VecX>(now.clips[0].frame(f), last->q_size()), after);
          for (int i = 0; i < model->link_count(); ++i) {
            const int link = last->link(model->link_name(i));
            REQUIRE(link >= 0);
            const Vec3 gap =
                before.X_WL[static_cast<std::size_t>(i)].position - after.X_WL[static_cast<std::size_t>(link)].position;
            worst = std::max(worst, gap.norm());
          }
        }
        CHECK(worst < 1e-5 * model->size());  // glTF has single precision
      }
    }
  }
}

TEST_CASE("format law: cut short or with wrong bytes a file ends in a sentence that names it, or is read") {
  const Document document = model_with_motion(builtin_models()[0]);
  Rng rng(5);
  int refused = 0;
  for (const Format& format : formats()) {
    if (format.read == nullptr || format.write == nullptr) continue;
    const Result<std::string> text = write_document(document, format, {});
    if (!text.ok()) continue;
    INFO(std::string(format.name));
    ReadOptions options;
    options.file_name = "broken." + std::string(format.name);
    const auto try_reading = [&](const std::string& bytes) {
      const Result<Document> result = read_document(bytes, options);
      if (result.ok()) {
        const Result<Model> model = compile(result->linkage);
        CHECK((model.ok() || !model.message().empty()));
        return;
      }
      ++refused;
      CHECK_MESSAGE(result.message().rfind(options.file_name, 0) == 0, result.message());
      CHECK(result.message().back() != ' ');
    };
    for (std::size_t at = 0; at < text->size(); at += text->size() / 100 + 1) try_reading(text->substr(0, at));
    for (int trial = 0; trial < 100; ++trial) {
      std::string bytes = *text;
      for (int flips = trial % 3; flips >= 0; --flips) {
        const auto at = static_cast<std::size_t>(rng.uniform(0.0, static_cast<double>(bytes.size())));
        bytes[std::min(at, bytes.size() - 1)] = static_cast<char>(static_cast<unsigned char>(rng.uniform(0.0, 256.0)));
      }
      try_reading(bytes);
    }
  }
  CHECK(refused > 500);
}
