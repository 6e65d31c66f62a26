// The part of the CUDA runtime, the driver and NVRTC that CuPy uses, on the host's CPU.
//
// Built as libcuda.so.1, and behind an empty libnvrtc, this driver lets unchanged CuPy run on a
// machine without a GPU: CuPy's own Python, memory pools, streams and kernel sources, with the
// machine's C++ compiler in place of NVRTC. The driver is for tests, and slow. A function of CUDA
// that it lacks is a missing symbol.
//
// The driver is as late as CUDA allows: a stream's work runs when something waits for the stream,
// so that a missing wait shows. HOST_CUDA_MEMORY bounds the bytes of a device (default 4 GiB),
// HOST_CUDA_DEVICES is the number of devices (default 1), HOST_CUDA_BACKWARDS runs the threads of a
// launch from the last to the first, and after HOST_CUDA_LOST_AFTER launches every call fails, as
// after a fault on a device. With HOST_CUDA_REPORT a process writes to that file at its end the
// calls, and the time of the work that a GPU would do beside the host; with HOST_CUDA_STEPS also
// the basic blocks that the longest thread of every launch ran, and all threads.

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nvrtc.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "threads.h"

namespace {

long long setting(const char* name, long long otherwise) {
  const char* text = getenv(name);
  return text && *text ? atoll(text) : otherwise;
}

const long long memory = setting("HOST_CUDA_MEMORY", 4ll << 30);
const int devices = setting("HOST_CUDA_DEVICES", 1);
const long long lost_after = setting("HOST_CUDA_LOST_AFTER", -1);
const bool backwards = setting("HOST_CUDA_BACKWARDS", 0);

bool counts_steps() {  // a process may set HOST_CUDA_STEPS itself, before it uses the device
  static const bool asked_for = setting("HOST_CUDA_STEPS", 0);
  return asked_for;
}

std::recursive_mutex everything;  // calls come from several threads of Python
#define ONE_AT_A_TIME std::lock_guard<std::recursive_mutex> here(everything)

struct Steps {
  long long longest = 0, most = 0, all = 0;  // of each launch's longest thread, the longest, all
};

struct Kernel {
  long long launches = 0;
  Steps steps;
};

struct Asked {
  long long launches = 0, copies = 0, copied_bytes = 0, waits = 0, refused = 0;
  long long sent = 0, fetched = 0;  // the copies that leave the host, and that come back
  double seconds = 0;
  std::map<std::string, Kernel> kernels;

  ~Asked() {
    const char* path = getenv("HOST_CUDA_REPORT");
    if (!path || !launches) return;
    std::ofstream file(path);
    file << launches << " launches\n" << copies << " copies\n" << copied_bytes
         << " bytes copied\n" << sent << " copies to a device\n" << fetched
         << " copies to the host\n" << waits << " waits\n" << refused << " allocations refused\n"
         << seconds << " seconds of work\n";
    for (auto& [name, kernel] : kernels) {
      file << kernel.launches << " launches of " << name;
      if (counts_steps())
        file << ": " << kernel.steps.longest << " steps of the longest threads, at most "
             << kernel.steps.most << ", " << kernel.steps.all << " of all";
      file << "\n";
    }
  }
};

Asked asked;
bool lost() { return lost_after >= 0 && asked.launches >= lost_after; }
const int fault = 719;  // cudaErrorLaunchFailure, CUDA_ERROR_LAUNCH_FAILED

thread_local int current_device = 0;

// ---- memory

struct Block {
  size_t bytes;
  int device;  // -1: pinned memory of the host
};

std::map<char*, Block> blocks;
std::map<int, long long> in_use;
std::map<char*, size_t> small_pinned;
const size_t SMALL = 1 << 16;

const std::pair<char* const, Block>* block_of(const void* address) {
  auto at = static_cast<char*>(const_cast<void*>(address));
  auto after = blocks.upper_bound(at);
  if (after == blocks.begin()) return nullptr;
  auto& found = *std::prev(after);
  return at < found.first + found.second.bytes ? &found : nullptr;
}

bool allocate(void** address, size_t bytes, int device) {
  if (device >= 0 && in_use[device] + (long long)bytes > memory) return false;
  if (posix_memalign(address, 512, bytes ? bytes : 1)) return false;
  memset(*address, 0xA5, bytes);
  blocks[static_cast<char*>(*address)] = {bytes, device};
  in_use[device] += bytes;
  if (device < 0 && bytes <= SMALL) small_pinned[static_cast<char*>(*address)] = bytes;
  return true;
}

bool release(void* address) {
  auto found = blocks.find(static_cast<char*>(address));
  if (found == blocks.end()) return false;
  in_use[found->second.device] -= found->second.bytes;
  blocks.erase(found);
  small_pinned.erase(static_cast<char*>(address));
  free(address);
  return true;
}

// ---- streams and events: their work waits for its turn

struct Work {
  std::deque<std::function<void()>> waiting;
  unsigned long long given = 0, done = 0;
  unsigned flags = 0;
};

struct Event {
  std::shared_ptr<Work> stream;
  unsigned long long mark = 0;
  std::chrono::steady_clock::time_point time;
};

std::shared_ptr<Work> standard = std::make_shared<Work>();
std::map<void*, std::shared_ptr<Work>> streams;

std::shared_ptr<Work> work_of(void* stream) {
  if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return standard;
  return streams.at(stream);
}

void work_until(Work& stream, unsigned long long mark) {
  if (stream.done >= mark) return;
  auto begun = std::chrono::steady_clock::now();
  while (stream.done < mark) {
    auto next = std::move(stream.waiting.front());
    stream.waiting.pop_front();
    ++stream.done;
    next();
  }
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  asked.seconds += took.count();
}

void finish(Work& stream) { work_until(stream, stream.given); }

void finish_all() {
  finish(*standard);
  for (auto& [_, stream] : streams) finish(*stream);
}

// The default stream and the streams without `cudaStreamNonBlocking` wait for one another.
void give(void* stream, std::function<void()> work) {
  auto to = work_of(stream);
  if (to == standard) {
    for (auto& [_, other] : streams)
      if (!(other->flags & cudaStreamNonBlocking)) finish(*other);
  } else if (!(to->flags & cudaStreamNonBlocking)) {
    finish(*standard);
  }
  to->waiting.push_back(std::move(work));
  ++to->given;
}

// Data that came back to the host, from which the same calls are answered again without any work:
// their time is then the host's alone.
enum Mode { WORK, RECORD, REPLAY } mode = WORK;
std::vector<std::string> came_back;
size_t given_again = 0;

// Data that kernels wrote to pinned memory of the host comes back when the host waits for them.
void waited_for_kernels() {
  ++asked.waits;
  for (auto& [address, bytes] : small_pinned) {
    if (mode == RECORD) came_back.emplace_back(address, bytes);
    if (mode == REPLAY) memcpy(address, came_back[given_again++].data(), bytes);
  }
}

// A copy reads or writes memory of the host that is not pinned before it returns.
cudaError_t copy(void* to, const void* from, size_t bytes, void* stream, bool now) {
  auto target = block_of(to), source = block_of(from);
  ++asked.copies;
  asked.copied_bytes += bytes;
  asked.waits += now;
  bool from_device = source && source->second.device >= 0;
  bool to_device = target && target->second.device >= 0;
  bool comes_back = from_device && !to_device;
  asked.sent += to_device && !from_device;
  asked.fetched += comes_back;
  if (mode == REPLAY) {
    if (!comes_back) return cudaSuccess;
    if (given_again == came_back.size() || came_back[given_again].size() != bytes)
      return cudaErrorInvalidValue;
    memcpy(to, came_back[given_again++].data(), bytes);
    return cudaSuccess;
  }
  if (!source) {
    auto kept = std::make_shared<std::string>(static_cast<const char*>(from), bytes);
    give(stream, [=] { memcpy(to, kept->data(), bytes); });
  } else {
    give(stream, [=] { memcpy(to, from, bytes); });
  }
  if (now || !target) finish(*work_of(stream));
  if (comes_back && mode == RECORD) {
    finish(*work_of(stream));
    came_back.emplace_back(static_cast<const char*>(to), bytes);
  }
  return cudaSuccess;
}

// ---- modules and kernels

long long steps;  // of the running thread
Steps launched;   // of the running launch

struct HostLaunch {  // as in include/device.h
  dim3 grid, block;
  void** parameters;
  bool backwards;
};

struct HostKernel {  // as in device.h
  const char* name;
  int parameters;
  const size_t* sizes;
  void (*launch)(const HostLaunch&);
};

const std::string MAGIC = "HOSTCUDA";

int load(void** module, const void* image) {
  auto bytes = static_cast<const char*>(image);
  if (memcmp(bytes, MAGIC.data(), MAGIC.size())) return CUDA_ERROR_INVALID_IMAGE;
  size_t size;
  memcpy(&size, bytes + MAGIC.size(), sizeof size);
  char name[] = "/tmp/host_cuda_XXXXXX";
  int file = mkstemp(name);
  bool written = write(file, bytes + MAGIC.size() + sizeof size, size) == (ssize_t)size;
  close(file);
  *module = written ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!*module) fprintf(stderr, "host CUDA: %s\n", written ? dlerror() : "a full disk");
  unlink(name);
  if (!*module) return CUDA_ERROR_INVALID_IMAGE;
  std::string_view code(bytes + MAGIC.size() + sizeof size, size);
  *static_cast<bool*>(dlsym(*module, "host_waits")) = code.find("host_cuda_wait") != code.npos;
  return CUDA_SUCCESS;
}

int launch(HostKernel* kernel, dim3 grid, dim3 block, void* stream, void** parameters) {
  auto& counted = asked.kernels[kernel->name];
  ++asked.launches;
  ++counted.launches;
  if (lost()) return fault;
  if (mode == REPLAY) return CUDA_SUCCESS;
  if (!grid.x || !grid.y || !grid.z || block.x * block.y * block.z > 1024)
    return CUDA_ERROR_INVALID_VALUE;
  size_t bytes = 0;
  for (int k = 0; k < kernel->parameters; ++k) bytes += (kernel->sizes[k] + 15) / 16 * 16;
  auto kept = std::make_shared<std::vector<char>>(bytes);
  auto where = std::make_shared<std::vector<void*>>();
  char* at = kept->data();
  for (int k = 0; k < kernel->parameters; ++k) {
    memcpy(at, parameters[k], kernel->sizes[k]);
    where->push_back(at);
    at += (kernel->sizes[k] + 15) / 16 * 16;
  }
  give(stream, [=, &counted] {
    (void)kept;
    launched = {};
    kernel->launch({grid, block, where->data(), backwards});
    counted.steps.longest += launched.most;
    counted.steps.most = std::max(counted.steps.most, launched.most);
    counted.steps.all += launched.all;
  });
  return CUDA_SUCCESS;
}

// ---- the compiler

struct Program {
  std::string source, log, image;
  std::vector<std::string> expressions, names;
};

std::string directory() {
  Dl_info info;
  dladdr(reinterpret_cast<void*>(&directory), &info);
  return std::filesystem::path(info.dli_fname).parent_path();
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string quoted(const std::string& text) {
  return "'" + std::regex_replace(text, std::regex("'"), "'\\''") + "'";
}

// The source as C++, with a description of every kernel at its end.
std::string host_source(Program& program) {
  std::regex dynamic(R"(extern\s+__shared__\s+(\w+)\s+(\w+)\s*\[\s*\]\s*;)");
  std::string source = std::regex_replace(
      program.source, dynamic, "$1* $2 = reinterpret_cast<$1*>(host_cuda_dynamic);");
  source = std::regex_replace(source, std::regex(R"(\b__shared__\b)"), "static");
  auto made = [](const std::string& name, const std::string& function) {
    return "extern \"C\" HostKernel host_kernel_" + name + " = HostKernelOf<(" + function +
           ")>::made(\"" + name + "\");\n";
  };
  std::regex kernel(
      R"(extern\s+"C"\s+__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\()");
  std::string kernels;
  for (std::sregex_iterator found(source.begin(), source.end(), kernel), end; found != end; ++found)
    kernels += made((*found)[1].str(), (*found)[1].str());
  for (auto& expression : program.expressions) {
    program.names.push_back("expression_" + std::to_string(program.names.size()));
    kernels += made(program.names.back(), expression);
  }
  return "#include \"device.h\"\n#line 1\n" + source + "\n" + kernels;
}

bool compile(Program& program, int count, const char** options) {
  char name[] = "/tmp/host_nvrtc_XXXXXX";
  std::filesystem::path folder = mkdtemp(name);
  std::ofstream(folder / "source.cpp") << host_source(program);
  std::string command = HOST_CUDA_COMPILER
      " -std=c++17 -O1 -w -fPIC -shared -fpermissive -fno-strict-aliasing -fwrapv"
      " -fno-gnu-unique -fvisibility-inlines-hidden -Wl,-Bsymbolic -I " +
      quoted(directory() + "/include");
  command += counts_steps() ? " -DHOST_STEPS=1 -fsanitize-coverage=trace-pc" : " -DHOST_STEPS=0";
  for (int k = 0; k < count; ++k)
    if (!strncmp(options[k], "-I", 2) || !strncmp(options[k], "-D", 2))
      command += " " + quoted(options[k]);
  command = "cd " + quoted(folder) + " && " + command + " source.cpp -o module.so 2>log";
  bool done = system(command.c_str()) == 0;
  program.log = read(folder / "log");
  std::string module = read(folder / "module.so");
  size_t size = module.size();
  program.image = MAGIC + std::string(reinterpret_cast<char*>(&size), sizeof size) + module;
  std::filesystem::remove_all(folder);
  return done;
}

Program& program_of(nvrtcProgram program) { return *reinterpret_cast<Program*>(program); }

cudaError_t checked(bool good, cudaError_t error = cudaErrorInvalidValue) {
  if (lost()) return cudaError_t(fault);
  return good ? cudaSuccess : error;
}

}  // namespace

extern "C" {

// Work (0), record the data that comes back from now on (1), or give it again without work (2).
void host_cuda_mode(int wanted) {
  mode = Mode(wanted);
  given_again = 0;
  if (mode == RECORD) came_back.clear();
}

// The numbers of launches, copies and waits so far.
void host_cuda_asked(long long* counts) {
  counts[0] = asked.launches;
  counts[1] = asked.copies;
  counts[2] = asked.waits;
}

// The name of a kernel that was launched so far, and its launches and steps; null after the last
// kernel.
const char* host_cuda_kernel(unsigned number, long long* counts) {
  if (number >= asked.kernels.size()) return nullptr;
  auto& [name, kernel] = *std::next(asked.kernels.begin(), number);
  counts[0] = kernel.launches;
  counts[1] = kernel.steps.longest;
  counts[2] = kernel.steps.most;
  counts[3] = kernel.steps.all;
  return name.c_str();
}

// A library's launch, counted by its name: the work begins when the stream comes to it. Returns
// whether the device takes the launch.
bool host_cuda_launch(const char* name, void* stream, std::function<void()> work) {
  ONE_AT_A_TIME;
  ++asked.launches;
  ++asked.kernels[name].launches;
  if (lost()) return false;
  if (mode != REPLAY) give(stream, std::move(work));
  return true;
}

// ---- for device.h

char host_cuda_dynamic[1 << 17];

unsigned char* host_cuda_shuffle() {
  static unsigned char values[8 * 1024];
  return values;
}

// If steps are counted, every basic block of a kernel begins with a call of this function.
void __sanitizer_cov_trace_pc() { ++steps; }

void host_cuda_begins() { steps = 0; }

void host_cuda_ends() {
  launched.most = std::max(launched.most, steps);
  launched.all += steps;
}

void host_cuda_wait(bool whole_block) {
  long long own = steps;
  fibers::wait(whole_block);
  steps = own;
}

void host_cuda_block(unsigned count, void (*thread)(unsigned, void*), void* context) {
  fibers::run_block(count, backwards, [=](unsigned number) {
    thread(number, context);
    return true;
  });
}

// ---- the runtime

const char* cudaGetErrorName(cudaError_t error) {
  if (error == cudaErrorMemoryAllocation) return "cudaErrorMemoryAllocation";
  return error == fault ? "cudaErrorLaunchFailure" : "cudaErrorInvalidValue";
}

const char* cudaGetErrorString(cudaError_t error) {
  if (error == cudaErrorMemoryAllocation) return "out of memory";
  return error == fault ? "unspecified launch failure" : "invalid argument";
}

cudaError_t cudaGetLastError() { return cudaSuccess; }

cudaError_t cudaDriverGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = devices;
  return devices ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaGetDevice(int* device) { return *device = current_device, cudaSuccess; }

cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= devices) return cudaErrorInvalidDevice;
  current_device = device;
  return checked(true);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrComputeCapabilityMajor ? 9 : 0;
  return checked(true);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  memset(properties, 0, sizeof *properties);
  strcpy(properties->name, "the host's CPU as a CUDA device");
  properties->warpSize = 32;
  properties->major = 9;
  properties->totalGlobalMem = memory;
  properties->multiProcessorCount = 1;
  properties->maxThreadsPerBlock = 1024;
  return checked(true);
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int size, int device) {
  snprintf(id, size, "0000:%02x:00.0", device);
  return cudaSuccess;
}

// A thread has the stack of the host's thread that runs it.
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return checked(true); }

cudaError_t cudaDeviceSynchronize() {
  ONE_AT_A_TIME;
  ++asked.waits;
  finish_all();
  return checked(true);
}

cudaError_t cudaMalloc(void** address, size_t bytes) {
  ONE_AT_A_TIME;
  if (lost()) return checked(false);
  bool done = allocate(address, bytes, current_device);
  asked.refused += !done;
  return checked(done, cudaErrorMemoryAllocation);
}

cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned) {
  ONE_AT_A_TIME;
  return checked(allocate(address, bytes, -1), cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void* address) {
  ONE_AT_A_TIME;
  finish_all();
  return checked(!address || release(address));
}

cudaError_t cudaFreeHost(void* address) { return cudaFree(address); }

cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
  ONE_AT_A_TIME;
  *total = memory;
  *available = memory - in_use[current_device];
  return checked(true);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  ONE_AT_A_TIME;
  auto found = block_of(address);
  memset(attributes, 0, sizeof *attributes);
  attributes->type = !found                     ? cudaMemoryTypeUnregistered
                     : found->second.device < 0 ? cudaMemoryTypeHost
                                                : cudaMemoryTypeDevice;
  attributes->device = found ? std::max(found->second.device, 0) : -2;
  attributes->devicePointer = attributes->hostPointer = const_cast<void*>(address);
  return checked(true);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  ONE_AT_A_TIME;
  return lost() ? checked(false) : copy(to, from, bytes, nullptr, true);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  ONE_AT_A_TIME;
  return lost() ? checked(false) : copy(to, from, bytes, stream, false);
}

cudaError_t cudaMemset(void* at, int value, size_t bytes) {
  return cudaMemsetAsync(at, value, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void* at, int value, size_t bytes, cudaStream_t stream) {
  ONE_AT_A_TIME;
  if (lost()) return checked(false);
  give(stream, [=] { memset(at, value, bytes); });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  ONE_AT_A_TIME;
  auto made = std::make_shared<Work>();
  made->flags = flags;
  *stream = reinterpret_cast<cudaStream_t>(made.get());
  streams[*stream] = made;
  return checked(true);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  ONE_AT_A_TIME;
  finish(*work_of(stream));
  streams.erase(stream);
  return checked(true);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  ONE_AT_A_TIME;
  finish(*work_of(stream));
  waited_for_kernels();
  return checked(true);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return checked(true);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  ONE_AT_A_TIME;
  Event awaited = *reinterpret_cast<Event*>(event);
  if (awaited.stream) give(stream, [=] { work_until(*awaited.stream, awaited.mark); });
  return checked(true);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = reinterpret_cast<cudaEvent_t>(new Event);
  return checked(true);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<Event*>(event);
  return checked(true);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  ONE_AT_A_TIME;
  auto& recorded = *reinterpret_cast<Event*>(event);
  recorded = {work_of(stream), work_of(stream)->given, std::chrono::steady_clock::now()};
  return checked(true);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  ONE_AT_A_TIME;
  ++asked.waits;
  auto& awaited = *reinterpret_cast<Event*>(event);
  if (awaited.stream) work_until(*awaited.stream, awaited.mark);
  return checked(true);
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
  auto time = reinterpret_cast<Event*>(end)->time - reinterpret_cast<Event*>(begin)->time;
  *ms = std::chrono::duration<float, std::milli>(time).count();
  return checked(true);
}

// ---- the driver

CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = error == fault ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_INVALID_VALUE";
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == fault ? "unspecified launch failure" : "invalid argument";
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = reinterpret_cast<CUcontext>(0x1000 + current_device);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) { return *device = current_device, CUDA_SUCCESS; }

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  ONE_AT_A_TIME;
  return CUresult(lost() ? fault : load(reinterpret_cast<void**>(module), image));
}

CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }  // its launches may still wait

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  void* found = dlsym(module, (std::string("host_kernel_") + name).c_str());
  *function = static_cast<CUfunction>(found);
  return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned, CUstream stream, void** parameters,
                        void**) {
  ONE_AT_A_TIME;
  auto kernel = reinterpret_cast<HostKernel*>(function);
  return CUresult(launch(kernel, dim3(gx, gy, gz), dim3(bx, by, bz), stream, parameters));
}

// ---- the compiler

const char* nvrtcGetErrorString(nvrtcResult result) {
  return result == NVRTC_SUCCESS ? "NVRTC_SUCCESS" : "NVRTC_ERROR_COMPILATION";
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = CUDART_VERSION / 1000;
  *minor = CUDART_VERSION % 1000 / 10;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char*, int,
                               const char* const*, const char* const*) {
  *program = reinterpret_cast<nvrtcProgram>(new Program{source});
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete &program_of(*program);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
  program_of(program).expressions.push_back(expression);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
  auto& made = program_of(program);
  for (size_t k = 0; k < made.expressions.size(); ++k)
    if (made.expressions[k] == expression) *name = made.names[k].c_str();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  bool done = compile(program_of(program), count, const_cast<const char**>(options));
  return done ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size) {
  *size = program_of(program).image.size();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* image) {
  auto& made = program_of(program).image;
  memcpy(image, made.data(), made.size());
  return NVRTC_SUCCESS;
}

// CuPy reads this text only to tell compilers apart, for its cache.
std::string version() {
  size_t header = std::hash<std::string>()(read(directory() + "/include/device.h"));
  return "// host " + std::to_string(header) + (counts_steps() ? ", steps counted" : "");
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram, size_t* size) {
  *size = version().size();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram, char* text) {
  memcpy(text, version().data(), version().size());
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size) {
  *size = program_of(program).log.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  strcpy(log, program_of(program).log.c_str());
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) { return *count = 1, NVRTC_SUCCESS; }
nvrtcResult nvrtcGetSupportedArchs(int* archs) { return *archs = 90, NVRTC_SUCCESS; }
}
