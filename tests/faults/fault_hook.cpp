// Loaded before a program (LD_PRELOAD), makes one of its calls fail: ARMATURE_FAULT=KIND:N is the N-th call of a kind
// since main() began, KIND:N+ that one and all after it. Kinds: alloc (malloc and its relatives), create (a file made
// for writing), write, chmod, sync, close (of files that were written to), rename. Half of a failed write is written
// first, as a full disk does it. ARMATURE_FAULT_COUNT=FILE appends how many calls of each kind a run made, so that the
// tests know which N there are.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

enum Kind { kAlloc, kCreate, kWrite, kChmod, kSync, kClose, kRename, kKinds };
constexpr const char* kNames[kKinds] = {"alloc", "create", "write", "chmod", "sync", "close", "rename"};

std::atomic<long> calls[kKinds];
bool armed = false;  // main() runs
int fault_kind = -1;
long fault_at = 0;
bool fault_stays = false;
bool fault_kills = false;
char written[1024];  // descriptors made for writing

bool fails(Kind kind) {
  if (!armed) return false;
  const long call = ++calls[kind];
  const bool now = kind == fault_kind && (call == fault_at || (fault_stays && call > fault_at));
  if (now && fault_kills) ::kill(::getpid(), SIGKILL);
  return now;
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

void report() {
  armed = false;
  const char* path = std::getenv("ARMATURE_FAULT_COUNT");
  if (path == nullptr) return;
  const int file = next<int (*)(const char*, int, ...)>("open")(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  for (int kind = 0; kind < kKinds; ++kind) dprintf(file, "%s %ld\n", kNames[kind], calls[kind].load());
}

int (*real_main)(int, char**, char**);

int hooked_main(int argc, char** argv, char** environment) {
  std::atexit(report);
  if (const char* fault = std::getenv("ARMATURE_FAULT")) {
    if (std::strncmp(fault, "kill-", 5) == 0) {
      fault_kills = true;
      fault += 5;
    }
    for (int kind = 0; kind < kKinds; ++kind) {
      const std::size_t length = std::strlen(kNames[kind]);
      if (std::strncmp(fault, kNames[kind], length) != 0 || fault[length] != ':') continue;
      fault_kind = kind;
      fault_at = std::atol(fault + length + 1);
      fault_stays = fault[std::strlen(fault) - 1] == '+';
    }
    if (fault_kind < 0) std::abort();
  }
  armed = true;
  return real_main(argc, argv, environment);
}

int failed(int number) {
  errno = number;
  return -1;
}

int opened(int file, int flags) {
  if (file >= 0 && file < static_cast<int>(sizeof written)) written[file] = (flags & (O_WRONLY | O_RDWR)) != 0 ? 1 : 0;
  return file;
}

bool is_output(int file) { return file > 2 && file < static_cast<int>(sizeof written) && written[file] != 0; }

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  using Start = int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = main;
  return next<Start>("__libc_start_main")(hooked_main, argc, argv, init, fini, rtld_fini, stack_end);
}

void* malloc(std::size_t size) {
  if (!fails(kAlloc)) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}
void* calloc(std::size_t count, std::size_t size) {
  if (!fails(kAlloc)) return __libc_calloc(count, size);
  errno = ENOMEM;
  return nullptr;
}
void* realloc(void* old, std::size_t size) {
  if (!fails(kAlloc)) return __libc_realloc(old, size);
  errno = ENOMEM;
  return nullptr;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (!fails(kAlloc)) return __libc_memalign(alignment, size);
  errno = ENOMEM;
  return nullptr;
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  if (fails(kAlloc)) return ENOMEM;
  *result = __libc_memalign(alignment, size);
  return *result == nullptr ? ENOMEM : 0;
}

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  if ((flags & O_CREAT) != 0 && fails(kCreate)) return failed(EACCES);
  return opened(next<int (*)(const char*, int, ...)>("open")(path, flags, mode), flags);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  if ((flags & O_CREAT) != 0 && fails(kCreate)) return failed(EACCES);
  return opened(next<int (*)(int, const char*, int, ...)>("openat")(folder, path, flags, mode), flags);
}
int mkostemp(char* path, int flags) {
  if (fails(kCreate)) return failed(EACCES);
  return opened(next<int (*)(char*, int)>("mkostemp")(path, flags), O_RDWR);
}
ssize_t write(int file, const void* bytes, std::size_t size) {
  const auto real = next<ssize_t (*)(int, const void*, std::size_t)>("write");
  if (!is_output(file) || !fails(kWrite)) return real(file, bytes, size);
  if (size > 1) (void)!real(file, bytes, size / 2);
  return failed(ENOSPC);
}
int fchmod(int file, mode_t mode) {
  if (is_output(file) && fails(kChmod)) return failed(EPERM);
  return next<int (*)(int, mode_t)>("fchmod")(file, mode);
}
int fsync(int file) {
  if (is_output(file) && fails(kSync)) return failed(EIO);
  return next<int (*)(int)>("fsync")(file);
}
int close(int file) {
  const bool output = is_output(file);
  if (output) written[file] = 0;
  const int result = next<int (*)(int)>("close")(file);
  return output && fails(kClose) ? failed(EIO) : result;
}
int rename(const char* from, const char* to) {
  if (fails(kRename)) return failed(EIO);
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}

}  // extern "C"
