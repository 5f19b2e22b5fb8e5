// `armature studio [FILE]`: serves the browser studio on this machine only, and opens the browser where there is one.
// With --out the studio and the file are written as one page instead.
// The page is found beside the binary (or installed with it); tools/build_studio.sh makes it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "armature/formats/base64.hpp"
#include "armature/scene/files.hpp"
#include "commands.hpp"
#include "common.hpp"
#include "http_server.hpp"
#include "served_files.hpp"

namespace armature::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDefaultPort = 8017;
constexpr std::size_t kMostBeside = 100000000;  // bytes of meshes inside one page

volatile std::sig_atomic_t asked_to_end = 0;  // by Ctrl-C

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
  std::string mesh_root;
  std::string page;
  std::string out;
  int port = kDefaultPort;
  bool no_browser = false;
};

// Whoever does not know the address that this run printed gets nothing of the person's files.
std::string random_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", random());
  return token;
}

const char* type_of(const fs::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".html") return "text/html";
  if (extension == ".js" || extension == ".mjs") return "text/javascript";
  if (extension == ".css") return "text/css";
  if (extension == ".wasm") return "application/wasm";
  if (extension == ".json") return "application/json";
  if (extension == ".svg") return "image/svg+xml";
  if (extension == ".png") return "image/png";
  if (extension == ".woff2") return "font/woff2";
  return "application/octet-stream";
}

HttpAnswer send(Result<OpenFile> file, const char* type) {
  HttpAnswer answer;
  answer.type = type;
  if (file) {
    answer.file = std::move(*file);
  } else {
    answer.status = 404;
    answer.type = "text/plain";
  }
  return answer;
}

bool has_word(std::string_view query, std::string_view word) {
  for (std::size_t at = 0; at <= query.size();) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    const std::string_view item = query.substr(at, end - at);
    if (item == word || item.substr(0, word.size() + 1) == std::string(word) + "=") return true;
    at = end + 1;
  }
  return false;
}

bool is_builtin(const std::string& name) {
  const std::vector<std::string> builtin = builtin_names();
  return std::find(builtin.begin(), builtin.end(), name) != builtin.end();
}

ServedFiles files_of(const StudioOptions& options) {
  need(open_regular(options.file).status());  // it is read again whenever the page is loaded
  ServedFiles files = find_served_files(options.file, options.mesh_root);
  if (files.missing > 0) {
    fmt::print(stderr, "{} {} not found; those links are drawn as capsules{}.\n", files.missing,
               files.missing == 1 ? "mesh was" : "meshes were",
               options.mesh_root.empty() ? " (--mesh-root names the folder that package:// leads to)" : "");
  }
  if (!files.shadowed.empty()) {
    fmt::print(stderr, "Of several meshes called {} the page shows the first for all.\n", in_quotes(files.shadowed));
  }
  return files;
}

// What the server has: the page for everybody on this machine, and below the token the model with what it names.
class Site {
 public:
  explicit Site(const StudioOptions& options) : page_(find_page(options.page).string()) {
    if (options.file.empty()) return;
    if (is_builtin(options.file)) {
      address_ = "#/pose?model=" + options.file;
      return;
    }
    files_ = files_of(options);
    token_ = random_token();
    address_ = fmt::format("?file={}&token={}", percent_encoded(files_.name), token_);
  }

  const std::string& address() const { return address_; }

  HttpAnswer answer(const HttpRequest& request) const {
    std::string_view path = request.path;
    path.remove_prefix(1);
    if (!token_.empty() && path.substr(0, token_.size() + 1) == token_ + "/") {
      return model_file(path.substr(token_.size() + 1));
    }
    const std::string name(path.empty() ? "index.html" : path);
    HttpAnswer answer = send(open_below((fs::path(page_) / name).string(), std::span(&page_, 1)), type_of(name));
    answer.may_frame = has_word(request.query, "embed");
    return answer;
  }

 private:
  HttpAnswer model_file(std::string_view path) const {
    constexpr std::string_view kBeside = "beside/";
    if (path == "files/" + files_.name) return send(open_regular(files_.path), "application/octet-stream");
    if (path == "beside") {
      Json names = Json::array();
      for (const ServedFile& file : files_.beside) names.push_back(file.name);
      HttpAnswer answer;
      answer.type = "application/json";
      answer.body = names.dump(-1, ' ', false, Json::error_handler_t::replace);
      return answer;
    }
    for (const ServedFile& file : files_.beside) {
      if (path.substr(0, kBeside.size()) != kBeside || path.substr(kBeside.size()) != file.name) continue;
      return send(open_beside(files_.place, file.uri, file.kind), "application/octet-stream");
    }
    return send(Error{}, "");
  }

  std::string page_;
  ServedFiles files_;
  std::string token_;
  std::string address_;
};

int serve(const StudioOptions& options) {
  const Site site(options);
  HttpServer server;
  if (!server.listen(options.port)) {
    need(server.listen(0));
    fmt::print(stderr, "Port {} is taken; using {} instead.\n", options.port, server.port());
  }
  const std::string address = fmt::format("http://127.0.0.1:{}/{}", server.port(), site.address());
  struct sigaction action {};
  action.sa_handler = [](int) { asked_to_end = 1; };
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  fmt::print("The studio is at {}\nCtrl-C ends it.\n", address);
  std::fflush(stdout);
  if (!options.no_browser) open_browser(address);
  server.run([&](const HttpRequest& request) { return site.answer(request); }, asked_to_end);
  fmt::print("\nThe studio has ended.\n");
  return kDone;
}

// A scene of the model alone, with the files that it names inside.
Json scene_of(const StudioOptions& options) {
  if (is_builtin(options.file)) return Json{{"model", options.file}};
  const ServedFiles files = files_of(options);
  Json beside = Json::object();
  const std::string model = need(read_file(files.path));
  std::size_t bytes = model.size();
  for (const ServedFile& file : files.beside) {
    const std::string data = need(read_open_file(need(open_beside(files.place, file.uri, file.kind)), file.name));
    bytes += data.size();
    if (bytes > kMostBeside) {
      throw BadInput{
          fmt::format("{} and its meshes take more than {} MB, too much for one page; `armature studio {}` shows them.",
                      in_quotes(files.name), kMostBeside / 1000000, options.file)};
    }
    beside[file.name] = encode_base64(data);
  }
  return Json{{"model", {{"file_name", files.name}, {"base64", encode_base64(model)}, {"files", beside}}}};
}

int write_page(const StudioOptions& options) {
  constexpr std::string_view kGiven = "id=\"armature-given\">{}";
  std::string extension = fs::path(options.out).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (extension != ".html" && extension != ".htm") {
    throw BadInput{fmt::format("The studio is written as one page: {} should end in .html.", in_quotes(options.out))};
  }
  std::string page = need(read_file((find_page(options.page) / "armature_studio.html").string()));
  const std::size_t at = page.find(kGiven);
  if (at == std::string::npos) throw BadInput{"The built page is of another version; `./run studio` builds it again."};
  if (!options.file.empty()) {
    std::string given = Json{{"scene", scene_of(options)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
    for (std::size_t i = 0; (i = given.find('<', i)) != std::string::npos;) given.replace(i, 1, "\\u003c");
    page.replace(at + kGiven.size() - 2, 2, given);
  }
  write_output(options.out, page);
  fmt::print(stderr, "{} written, {:.1f} MB: it opens in any browser, without a network.\n", options.out,
             static_cast<double>(page.size()) / 1e6);
  return kDone;
}

}  // namespace

void add_studio(CLI::App& app) {
  auto options = std::make_shared<StudioOptions>();
  CLI::App* command = app.add_subcommand("studio", "Serve the browser studio on this machine and open it");
  command->add_option("file", options->file,
                      "What to open: a built-in model, or a file (URDF, SDF, MJCF, BVH, glTF, DH table or our JSON) "
                      "with the meshes and "
                      "buffers that it names");
  command->add_option("--port", options->port, "Port on 127.0.0.1; a free one is taken when it is in use")
      ->transform(within(1, 65535));
  command
      ->add_option("--mesh-root", options->mesh_root,
                   "URDF: the folder that package:// leads to (default: the folder of that name that the file lies in)")
      ->type_name("FOLDER");
  command->add_option("--page", options->page, "Folder of the built page");
  command->add_flag("--no-browser", options->no_browser, "Only serve; open nothing");
  command->add_option("-o,--out", options->out,
                      "Write the studio with the file as one page (.html) instead of serving");
  command->footer(
      "Examples:\n"
      "  armature studio\n"
      "  armature studio panda\n"
      "  armature studio robot.urdf\n"
      "  armature studio robot.urdf -o robot.html\n"
      "  armature studio --port 9000 --no-browser");
  command->callback([options] { options->out.empty() ? serve(*options) : write_page(*options); });
}

void add_demo(CLI::App& app) {
  auto options = std::make_shared<StudioOptions>();
  options->file = "human";
  CLI::App* command = app.add_subcommand("demo", "The studio with the human figure: drag a hand, watch it reach");
  command->add_flag("--no-browser", options->no_browser, "Only serve; open nothing");
  command->footer("Examples:\n  armature demo");
  command->callback([options] { serve(*options); });
}

}  // namespace armature::cli
