// `armature studio [FILE]`: serves the browser studio on this machine only, and opens the browser where there is one.
// The page is found beside the binary (or installed with it); tools/build_studio.sh makes it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "commands.hpp"
#include "common.hpp"
#include "files.hpp"
#include "served_files.hpp"
// After Eigen: the resolver's header that it includes defines a macro `_res`, which Eigen uses as a name.
#include <httplib.h>

namespace armature::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDefaultPort = 8017;

// What Ctrl-C ends; a signal handler can reach nothing else.
httplib::Server* running = nullptr;
volatile std::sig_atomic_t asked_to_end = 0;  // a server that has not begun yet cannot be stopped

void end_server(int) {
  asked_to_end = 1;
  if (running != nullptr) running->stop();
}

// The folder with index.html: asked for, beside the binary, in the build tree, or installed.
fs::path find_page(const std::string& wanted) {
  std::error_code ignored;
  const fs::path binary = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<fs::path> places;
  if (!wanted.empty()) {
    places = {wanted};
  } else {
    if (const char* set = std::getenv("ARMATURE_STUDIO_DIR")) places.emplace_back(set);
    places.insert(places.end(), {binary / "studio", binary / "../studio", binary / "../share/armature/studio"});
  }
  for (const fs::path& place : places) {
    if (fs::exists(place / "index.html", ignored)) return fs::weakly_canonical(place, ignored);
  }
  throw BadInput{
      wanted.empty()
          ? "The studio's page is not built yet; `./run studio` builds it, or name its folder with --page."
          : fmt::format("There is no index.html in {}; name the folder that holds the built page.", in_quotes(wanted))};
}

std::string percent_encoded(const std::string& text) {
  std::string out;
  for (const unsigned char c : text) {
    if (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.') {
      out += static_cast<char>(c);
    } else {
      out += fmt::format("%{:02X}", c);
    }
  }
  return out;
}

void open_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  const std::string command = "xdg-open '" + address + "' >/dev/null 2>&1 &";
  if (std::system(command.c_str()) != 0)
    fmt::print(stderr, "No browser could be started; open the address yourself.\n");
}

// The library would pack each text as small as it can, which takes seconds; nothing is gained by that on one machine.
// What comes from a provider it leaves alone.
void send_unpacked(const httplib::Request&, httplib::Response& response) {
  if (response.body.empty()) return;
  const auto bytes = std::make_shared<const std::string>(std::move(response.body));
  const std::string type = response.get_header_value("Content-Type");
  response.body.clear();
  response.headers.erase("Content-Type");
  response.set_content_provider(bytes->size(), type,
                                [bytes](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                  return sink.write(bytes->data() + offset, length);
                                });
}

struct StudioOptions {
  std::string file;
  std::string mesh_root;
  std::string page;
  int port = kDefaultPort;
  bool no_browser = false;
};

void send(const ServedFile& file, httplib::Response& response) {
  const Result<std::string> bytes = read_file(file.path);
  if (bytes) {
    response.set_content(*bytes, "application/octet-stream");
  } else {
    response.status = 404;
  }
}

// Makes the server give what was asked for to the page; returns the part of the address that names it.
std::string offer(const StudioOptions& options, httplib::Server& server) {
  if (options.file.empty()) return "";
  const std::vector<std::string> builtin = builtin_names();
  if (std::find(builtin.begin(), builtin.end(), options.file) != builtin.end()) return "#/pose?model=" + options.file;
  const ServedFiles files = find_served_files(options.file, options.mesh_root);
  if (files.missing > 0) {
    fmt::print(stderr, "{} {} not found; those links are drawn as capsules{}.\n", files.missing,
               files.missing == 1 ? "mesh was" : "meshes were",
               options.mesh_root.empty() ? " (--mesh-root names the folder that package:// leads to)" : "");
  }
  server.Get("/files/.*",
             [file = files.main](const httplib::Request&, httplib::Response& response) { send(file, response); });
  Json names = Json::array();
  for (const ServedFile& file : files.beside) names.push_back(file.name);
  server.Get("/beside", [text = names.dump()](const httplib::Request& request, httplib::Response& response) {
    response.set_content(text, "application/json");
    send_unpacked(request, response);
  });
  server.Get("/beside/(.+)", [list = files.beside](const httplib::Request& request, httplib::Response& response) {
    const std::string name = request.matches[1];
    const auto file = std::find_if(list.begin(), list.end(), [&](const ServedFile& f) { return f.name == name; });
    if (file == list.end()) {
      response.status = 404;
    } else {
      send(*file, response);
    }
  });
  return "?file=" + percent_encoded(files.main.name);
}

int serve(const StudioOptions& options) {
  const fs::path page = find_page(options.page);
  httplib::Server server;
  // Revalidated on each load: a rebuilt page is never mistaken for the old one. Isolated from other pages, browsers
  // give this one a clock of 5 us instead of 100, so the time of a solve can be shown.
  server.set_default_headers({{"Cache-Control", "no-cache"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Cross-Origin-Opener-Policy", "same-origin"},
                              {"Cross-Origin-Embedder-Policy", "require-corp"}});
  server.set_file_extension_and_mimetype_mapping("mjs", "text/javascript");
  server.set_file_extension_and_mimetype_mapping("wasm", "application/wasm");
  server.set_file_request_handler(send_unpacked);
  if (!server.set_mount_point("/", page.string())) throw BadInput{"The page's folder cannot be read."};

  const std::string query = offer(options, server);

  int port = options.port;
  if (!server.bind_to_port("127.0.0.1", port)) {
    port = server.bind_to_any_port("127.0.0.1");
    if (port < 0) throw BadInput{"No port could be had on 127.0.0.1."};
    fmt::print(stderr, "Port {} is taken; using {} instead.\n", options.port, port);
  }
  const std::string address = fmt::format("http://127.0.0.1:{}/{}", port, query);
  running = &server;
  std::signal(SIGINT, end_server);
  std::signal(SIGTERM, end_server);
  fmt::print("The studio is at {}\nCtrl-C ends it.\n", address);
  std::fflush(stdout);
  if (!options.no_browser) open_browser(address);
  if (asked_to_end == 0) server.listen_after_bind();
  running = nullptr;
  fmt::print("\nThe studio has ended.\n");
  return kDone;
}

}  // namespace

void add_studio(CLI::App& app) {
  auto options = std::make_shared<StudioOptions>();
  CLI::App* command = app.add_subcommand("studio", "Serve the browser studio on this machine and open it");
  command->add_option(
      "file", options->file,
      "What to open: a built-in model, or a file (URDF, BVH, glTF, MJCF, DH table or our JSON) with the meshes and "
      "buffers that it names");
  command->add_option("--port", options->port, "Port on 127.0.0.1; a free one is taken when it is in use")
      ->check(CLI::Range(1, 65535));
  command
      ->add_option("--mesh-root", options->mesh_root,
                   "URDF: the folder that package:// leads to (default: looked for above the file)")
      ->type_name("FOLDER");
  command->add_option("--page", options->page, "Folder of the built page");
  command->add_flag("--no-browser", options->no_browser, "Only serve; open nothing");
  command->footer(
      "Examples:\n"
      "  armature studio\n"
      "  armature studio panda\n"
      "  armature studio robot.urdf\n"
      "  armature studio --port 9000 --no-browser");
  command->callback([options] { serve(*options); });
}

}  // namespace armature::cli
