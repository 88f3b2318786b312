#!/bin/sh
# Makes kernel_image.h from kernels.c: a shared object for baseline x86-64, linked like the code generator's output.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -std=c11 -Os -fPIC -fno-asynchronous-unwind-tables -fcf-protection=none -I../../.. -c kernels.c -o "$work/kernels.o"
ld.lld-19 -shared -nostdlib -e kernel_table -z norelro -z noexecstack --build-id=none --hash-style=gnu -s \
  "$work/kernels.o" -o "$work/kernels.so"
{
  echo '// Made by make_kernel_image.sh from kernels.c: do not edit.'
  echo '#pragma once'
  echo '#include <cstdint>'
  echo
  echo '// clang-format off'
  echo 'inline constexpr uint8_t kKernelImage[] = {'
  od -An -v -tu1 "$work/kernels.so" | sed 's/  */,/g; s/^,//; s/$/,/'
  echo '};'
} >kernel_image.h
