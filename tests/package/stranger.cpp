// A stranger's first program.
#include <armature/base/version.hpp>
#include <armature/formats/builtin_models.hpp>
#include <cstdio>
#include <string>

int main() {
  std::printf("armature %s, %zu built-in models\n", std::string(armature::version()).c_str(),
              armature::builtin_models().size());
  return armature::version().empty() ? 1 : 0;
}
