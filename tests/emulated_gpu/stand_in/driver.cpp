// SPDX-License-Identifier: BSD-3-Clause
// The functions of NVIDIA's driver that btfperm calls without CuPy; each GPU is reported as in use
constexpr int gpus = 2, for_cuda = 13000;

extern "C" {
int cuInit(unsigned flags) { return flags != 0; }
int cuDriverGetVersion(int* version) { return *version = for_cuda, 0; }
int cuDeviceGetCount(int* count) { return *count = gpus, 0; }
int cuDevicePrimaryCtxGetState(int number, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return number >= gpus;
}
}
