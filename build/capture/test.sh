#!/bin/bash
# Tests public/capture.py with a real PyTorch, on the CPU. PYTHON names the python3 to use.
set -euo pipefail
cd "$(dirname "$0")"

# with_torch: prints the first Python that has PyTorch.
with_torch() {
	local python
	for python in ${PYTHON:-python3 /usr/bin/python3}; do
		if "$python" -c 'import torch' 2>/dev/null; then
			echo "$python"
			return
		fi
	done
	return 1
}

if ! python="$(with_torch)"; then
	if [ -n "${PYTHON:-}" ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		echo "This test needs PyTorch 1.13 or newer, which ${PYTHON:-python3} does not have: install it (Debian: apt-get install python3-torch), or name a Python that has it: make test-capture PYTHON=..."
		exit 1
	fi
	echo 'Installing python3-torch, 130 MB, 600 on disk ...'
	log="$(mktemp)"
	{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3-torch; } >"$log" 2>&1 \
		|| { tail -n 5 "$log"; rm "$log"; echo 'python3-torch cannot be installed; this test needs PyTorch 1.13 or newer'; exit 1; }
	rm "$log"
	python="$(with_torch)" || { echo 'python3-torch is installed, and /usr/bin/python3 cannot import torch'; exit 1; }
fi
"$python" -c 'import sys, torch; print("Python %d.%d, PyTorch %s, Kineto: %s" % (*sys.version_info[:2], torch.__version__, torch.autograd.kineto_available()))'
exec "$python" -m unittest test_capture
