#!/bin/sh
# Lays out two installs of one inference service, as pip leaves them, with libraries made by the C compiler:
#   before/  a dependency of a dependency was built for CUDA
#   after/   every part is built for the pool's backend
# usage: build.sh DIR
# SPDX-License-Identifier: Apache-2.0
set -eu
out=${1:?usage: build.sh DIR}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# PATH SONAME CODE [NEEDED]...: a library that needs others by name; CODE is assembler, empty for none
library() {
    path=$1 soname=$2 code=$3
    shift 3
    mkdir -p "$(dirname "$path")"
    needs=
    for n in "$@"; do
        [ -e "$tmp/$n" ] || echo 'int needed;' | cc -shared -nostdlib -Wl,-soname,"$n" -o "$tmp/$n" -x c -
        needs="$needs $tmp/$n"
    done
    printf '%s\n' "$code" >"$tmp/code.s"
    # shellcheck disable=SC2086
    cc -shared -nostdlib -Wl,--no-as-needed -Wl,-soname,"$soname" -o "$path" "$tmp/code.s" $needs
}

# A container of NVIDIA's with machine code for sm_80 and sm_90 (64 bytes of header and 16 of code each)
entry() { echo ".short 2, 0x101; .int 64; .quad 16; .int 0, 64; .short 0, 0; .int $1, 0, 0; .quad 0x11, 0, 0, 0, 0"; }
nvidia=".section .nv_fatbin, \"a\"
.balign 8
.int 0xba55ed50; .short 1, 16; .quad 160
$(entry 80)
$(entry 90)"

# A bundle of clang's with one code object of AMD's, an ELF header of machine 224 with the flags of gfx942
amd='.section .hip_fatbin, "a"
.balign 4096
bundle: .ascii "__CLANG_OFFLOAD_BUNDLE__"; .quad 1
.quad 4096, object_end - object, 31; .ascii "hipv4-amdgcn-amd-amdhsa--gfx942"
.balign 4096
object: .byte 0x7f; .ascii "ELF"; .byte 2, 1, 1, 64, 4, 0, 0, 0, 0, 0, 0, 0
.short 3, 224; .int 1; .quad 0, 0, 0; .int 0x54c; .short 64, 56, 0, 64, 0, 0
object_end:'

# SITE NAME VERSION [REQUIRES]...: what pip notes of a package
package() {
    info="$1/$(echo "$2" | tr - _)-$3.dist-info"
    mkdir -p "$info"
    {
        printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' "$2" "$3"
        site=$1 name=$2
        shift 3
        for r in "$@"; do printf 'Requires-Dist: %s\n' "$r"; done
    } >"$info/METADATA"
    (cd "$site" && find "$(echo "$name" | tr - _)" -type f 2>/dev/null | sed 's/$/,,/') >"$info/RECORD" || true
}

for when in before after; do
    site=$out/$when
    rm -rf "$site"
    library "$site/torch/lib/libtorch_hip.so" libtorch_hip.so "$amd" libamdhip64.so.6 librocblas.so.4
    mkdir -p "$site/tokenline"
    echo 'from fastops import ops' >"$site/tokenline/__init__.py"
    if [ $when = before ]; then
        library "$site/fastops/_ops.so" _ops.so "$nvidia" libcudart.so.12 libcublas.so.12
        package "$site" fastops 1.2 nvidia-cuda-runtime-cu12
    else
        library "$site/fastops/_ops.so" _ops.so "$amd" libamdhip64.so.6
        package "$site" fastops 1.3+rocm6.2
    fi
    package "$site" torch 2.5.1+rocm6.2
    package "$site" tokenline 0.9 'fastops>=1.2'
    package "$site" serve 3.1 torch 'tokenline<1'
    : >"$site/serve-3.1.dist-info/REQUESTED"
done
