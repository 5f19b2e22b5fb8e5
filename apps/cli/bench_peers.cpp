// Loads the peers of `armature bench ik` from beside the program.
#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "bench_peer.hpp"

namespace armature::cli {
namespace {

constexpr const char* kPeerModules[] = {"kdl", "dart"};

std::filesystem::path program_folder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path(".") : program.parent_path();
}

}  // namespace

LoadedPeers load_peers(const PeerChain& chain) {
  LoadedPeers loaded;
  for (const char* name : kPeerModules) {
    const std::filesystem::path file = program_folder() / ("armature_peer_" + std::string(name) + ".so");
    void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays: its code outlives this function
    void* const entry = module != nullptr ? dlsym(module, "armature_add_peers") : nullptr;
    if (entry == nullptr) {
      loaded.missing.emplace_back(name);
      continue;
    }
    reinterpret_cast<AddPeers>(entry)(chain, loaded.peers);
  }
  return loaded;
}

}  // namespace armature::cli
