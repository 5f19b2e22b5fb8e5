// `armature bodies MODEL`: what its links occupy, which pairs of them can touch, and why the others are not asked.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/scene/exact.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

struct BodiesFlags {
  std::string model, out;
  ReadOptions read;
  BodyOptions bodies;
  bool json = false;
};

std::string shape_text(const Shape& shape) {
  const auto mm = [](double x) { return pretty_number(1e3 * x, 4); };
  if (const auto* box = std::get_if<Box>(&shape)) {
    return fmt::format("box {} x {} x {} mm", mm(box->size[0]), mm(box->size[1]), mm(box->size[2]));
  }
  if (const auto* ball = std::get_if<Sphere>(&shape)) return fmt::format("sphere of radius {} mm", mm(ball->radius));
  if (const auto* c = std::get_if<Capsule>(&shape)) {
    return fmt::format("capsule of radius {}, length {} mm", mm(c->radius), mm(c->length));
  }
  if (const auto* c = std::get_if<Cylinder>(&shape)) {
    return fmt::format("cylinder of radius {}, length {} mm", mm(c->radius), mm(c->length));
  }
  return "";
}

std::string reason_text(const LinkPair& pair) {
  switch (pair.reason) {
    case PairReason::checked:
      return fmt::format("touch in {}% of the poses", pretty_number(100.0 * pair.rate, 3));
    case PairReason::ignored:
      return pair.word.empty() ? "ignored by the file" : fmt::format("ignored by the file: {}", pair.word);
    case PairReason::never:
      return "never touch, proved";
    case PairReason::always:
      return fmt::format("touch in {}% of the poses: not asked", pretty_number(100.0 * pair.rate, 3));
    case PairReason::adjacent:
      break;
  }
  return "neighbours";
}

std::string percent(double part) { return pretty_number(100.0 * part, 3) + " %"; }

void print_text(const Model& model, const Bodies& bodies, const FalseAlarms& alarms) {
  std::map<PairReason, int> count;
  for (const LinkPair& pair : bodies.links) ++count[pair.reason];
  fmt::print("{}: {} bod{}, {} of {} pairs of links can touch\n\n", bold(model.name()), bodies.list.size(),
             bodies.list.size() == 1 ? "y" : "ies", count[PairReason::checked], bodies.links.size());
  if (alarms.poses > 0) {
    fmt::print(
        "In {} random poses the bodies touch in {} and the shapes in {}: {} are false alarms (--exact asks the "
        "shapes)\n\n",
        alarms.poses, percent(alarms.bodies), percent(alarms.shapes),
        percent(alarms.bodies - alarms.shapes + alarms.missed));
    if (alarms.missed > 0.0)
      fmt::print("In {} only the shapes touch: the bodies do not hold them\n\n", percent(alarms.missed));
  }
  Table table({"link", "body", "from"});
  for (const Body& body : bodies.list) table.add({body.link, shape_text(body.shape), body.source});
  fmt::print("{}\n", table.text(2));
  Table pairs({"link", "link", "pair"});
  for (const LinkPair& pair : bodies.links) {
    pairs.add({model.link_name(pair.a), model.link_name(pair.b), reason_text(pair)});
  }
  fmt::print("{}", pairs.text(2));
}

// The model with its bodies and the pairs that need not be asked, so that they need not be found again.
void write_model(const BodiesFlags& flags, const Document& from, const Model& model, const Bodies& bodies) {
  Document document = from;
  document.linkage.bodies = bodies.list;
  document.linkage.ignored_pairs.clear();
  for (const LinkPair& pair : bodies.links) {
    if (pair.reason == PairReason::checked || pair.reason == PairReason::adjacent) continue;
    document.linkage.ignored_pairs.push_back(
        {model.link_name(pair.a), model.link_name(pair.b), pair.word.empty() ? reason_name(pair.reason) : pair.word});
  }
  std::vector<std::string> notes;
  WriteOptions options;
  options.notes = &notes;
  write_output(flags.out, need(write_document(document, *need(format_for_writing(flags.out)), options)));
  add_notes(notes);
}

}  // namespace

void add_bodies(CLI::App& app) {
  auto flags = std::make_shared<BodiesFlags>();
  flags->bodies.prove = true;
  flags->bodies.samples = 3000;
  CLI::App* command = app.add_subcommand("bodies", "What the links occupy, and which of them can touch");
  add_model_argument(*command, flags->model);
  command->add_option("--source", flags->bodies.source,
                      "Where bodies come from: file, collision, visual or bones (default: the first that exists)");
  command->add_option("--samples", flags->bodies.samples, "Random poses that tell how often a pair touches")
      ->transform(within(0, 1000000));
  command->add_option("--most-per-link", flags->bodies.most_per_link, "Most capsules or boxes around one mesh")
      ->transform(within(1, 16));
  command->add_flag("!--no-prove", flags->bodies.prove, "Do not try to prove which pairs never touch");
  command->add_option("-o,--output", flags->out, "Write the model with its bodies and ignored pairs (.json)");
  add_json_flag(*command, flags->json);
  add_read_options(*command, flags->read);
  command->footer(
      "Bodies are capsules, spheres and boxes that hold the links' shapes. A pair is not asked when its links are\n"
      "neighbours, when an SRDF says so, when it touches in nearly every pose (the fit's fault), or when it is proved\n"
      "never to touch. A false alarm is a pose in which bodies touch and the shapes in them do not.\n\n"
      "Examples:\n"
      "  armature bodies panda\n"
      "  armature bodies ur5.urdf --mesh-root meshes --srdf ur5.srdf -o ur5.json");
  command->callback([flags] {
    const LoadedModel loaded = need(open_model(flags->model, flags->read));
    flags->bodies.load_mesh = meshes_of(loaded);
    const Bodies bodies = need(compile_bodies(loaded.model, flags->bodies));
    add_notes(loaded.document.notes);
    add_notes(bodies.notes);
    const FalseAlarms alarms = need(count_false_alarms(loaded.model, bodies, flags->bodies, flags->bodies.samples));
    if (!flags->out.empty()) write_model(*flags, loaded.document, loaded.model, bodies);
    if (flags->json) {
      JsonText text;
      text.begin_object();
      write_bodies(text, loaded.model, bodies);
      if (alarms.poses > 0) {
        text.key("false_alarms").begin_object().member("poses", alarms.poses).member("bodies_touch", alarms.bodies);
        text.member("shapes_touch", alarms.shapes).member("missed", alarms.missed).end();
      }
      print_answer(Json::parse(text.end().text()));
    } else {
      print_text(loaded.model, bodies, alarms);
    }
  });
}

}  // namespace armature::cli
