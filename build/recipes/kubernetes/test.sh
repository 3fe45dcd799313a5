#!/bin/bash
# Checks the manifests and runs them without a cluster: test.sh BINARY
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
binary="$(realpath "${1:?name the spillway binary}")"

(cd "$here/check" && go run . "$binary" "$here/sweep.yaml" "$here/merge.yaml")
if command -v kubeconform >/dev/null; then
	kubeconform -strict -summary "$here/sweep.yaml" "$here/merge.yaml"
else
	echo 'kubeconform is not here (github.com/yannh/kubeconform; it fetches its schemas): only the types of the API were asked'
fi
