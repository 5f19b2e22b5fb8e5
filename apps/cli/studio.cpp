// `armature studio [FILE]`: serves the browser studio on this machine only, and opens the browser where there is one.
// The page is found beside the binary (or installed with it); tools/build_studio.sh makes it.
#include <fmt/format.h>

#include <cctype>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "commands.hpp"
#include "common.hpp"
// After Eigen: the resolver's header that it includes defines a macro `_res`, which Eigen uses as a name.
#include <httplib.h>

namespace armature::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDefaultPort = 8017;

httplib::Server* running = nullptr;  // what Ctrl-C ends; a signal handler can reach nothing else

void end_server(int) {
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

struct StudioOptions {
  std::string file;
  std::string page;
  int port = kDefaultPort;
  bool no_browser = false;
};

int serve(const StudioOptions& options) {
  const fs::path page = find_page(options.page);
  httplib::Server server;
  // Revalidated on each load: a rebuilt page is never mistaken for the old one.
  server.set_default_headers({{"Cache-Control", "no-cache"}, {"X-Content-Type-StudioOptions", "nosniff"}});
  server.set_file_extension_and_mimetype_mapping("mjs", "text/javascript");
  server.set_file_extension_and_mimetype_mapping("wasm", "application/wasm");
  if (!server.set_mount_point("/", page.string())) throw BadInput{"The page's folder cannot be read."};

  std::string query;
  if (!options.file.empty()) {
    std::ifstream in(options.file, std::ios::binary);
    if (!in) throw BadInput{fmt::format("{} cannot be read; is the name right?", in_quotes(options.file))};
    std::ostringstream text;
    text << in.rdbuf();
    const std::string name = fs::path(options.file).filename().string();
    query = "?file=" + percent_encoded(name);
    server.Get("/files/.*", [bytes = text.str()](const httplib::Request&, httplib::Response& response) {
      response.set_content(bytes, "application/octet-stream");
    });
  }

  int port = options.port;
  if (!server.bind_to_port("127.0.0.1", port)) {
    port = server.bind_to_any_port("127.0.0.1");
    if (port < 0) throw BadInput{"No port could be had on 127.0.0.1."};
    fmt::print(stderr, "Port {} is taken; using {} instead.\n", options.port, port);
  }
  const std::string address = fmt::format("http://127.0.0.1:{}/{}", port, query);
  fmt::print("The studio is at {}\nCtrl-C ends it.\n", address);
  std::fflush(stdout);
  running = &server;
  std::signal(SIGINT, end_server);
  std::signal(SIGTERM, end_server);
  if (!options.no_browser) open_browser(address);
  server.listen_after_bind();
  running = nullptr;
  fmt::print("\nThe studio has ended.\n");
  return kDone;
}

}  // namespace

void add_studio(CLI::App& app) {
  auto options = std::make_shared<StudioOptions>();
  CLI::App* command = app.add_subcommand("studio", "Serve the browser studio on this machine and open it");
  command->add_option("file", options->file, "A model or motion to open: URDF, BVH, glTF, MJCF, DH table or our JSON");
  command->add_option("--port", options->port, "Port on 127.0.0.1; a free one is taken when it is in use")
      ->check(CLI::Range(1, 65535));
  command->add_option("--page", options->page, "Folder of the built page");
  command->add_flag("--no-browser", options->no_browser, "Only serve; open nothing");
  command->footer(
      "Examples:\n"
      "  armature studio\n"
      "  armature studio robot.urdf\n"
      "  armature studio --port 9000 --no-browser");
  command->callback([options] { serve(*options); });
}

}  // namespace armature::cli
