{{- define "sluice.labels" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .app }}
{{- end }}

{{- define "sluice.allLabels" -}}
{{ include "sluice.labels" . }}
app.kubernetes.io/version: {{ include "sluice.version" . | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* Version of a component. Its wait-for runs in the same version, because it knows the contracts. */}}
{{- define "sluice.tag" -}}
{{ get .root.Values.image.tags .app | default .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{/* Labels of a pod: its own do not change what selects it. */}}
{{- define "sluice.podLabels" -}}
{{ merge (include "sluice.allLabels" . | fromYaml) .root.Values.podLabels | toYaml }}
{{- end }}

{{/* The tag without a digest, as a label: letters, digits, `.`, `_` and `-`, at most 63. */}}
{{- define "sluice.version" -}}
{{ include "sluice.tag" . | splitList "@" | first | trunc 63 | trimAll "-_." }}
{{- end }}

{{/* The operator's image at the component's version. The operator's own digest goes with it if the versions are the same. */}}
{{- define "sluice.waitForImage" -}}
{{- $operator := include "sluice.tag" (dict "root" .root "app" "operator") }}
{{- $own := include "sluice.tag" . | splitList "@" | first }}
{{- .root.Values.image.repository }}/operator:{{ ternary $operator $own (eq ($operator | splitList "@" | first) $own) }}
{{- end }}

{{- define "sluice.image" -}}
{{ .root.Values.image.repository }}/{{ .app }}:{{ include "sluice.tag" . }}
{{- end }}

{{/* Addresses of /metrics of every process of these apps: each name is a headless service. */}}
{{- define "sluice.metricsUrls" -}}
{{- $root := .root }}
{{- $urls := list }}
{{- range .apps }}
{{- $urls = append $urls (printf "http://%s-%s-pods:9000/metrics" $root.Release.Name .) }}
{{- end }}
{{- join "," $urls }}
{{- end }}

{{/* Names of the consumers that are not switched off, as a JSON list. */}}
{{- define "sluice.consumers" -}}
{{- $names := list }}
{{- range $app, $consumer := .Values.consumers }}
{{- if $consumer }}{{ $names = append $names $app }}{{ end }}
{{- end }}
{{- toJson $names }}
{{- end }}
