{{/* Every pod runs as an unprivileged user who can write only to volumes. */}}
{{- define "sluice.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext: {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "sluice.containerSecurity" -}}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Live means that the app makes progress, ready that it can do its work now. */}}
{{- define "sluice.probes" -}}
startupProbe:
  httpGet: { path: /health/live, port: management }
  periodSeconds: 2
  # Five minutes: on a node that is overloaded a start takes minutes, and a restart would only begin it again.
  failureThreshold: 150
livenessProbe:
  httpGet: { path: /health/live, port: management }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /health/ready, port: management }
  periodSeconds: 3
  timeoutSeconds: 3
  failureThreshold: 3
{{- end }}

{{- define "sluice.account" -}}
{{- with include "sluice.serviceAccount" . }}
serviceAccountName: {{ . }}
{{- end }}
{{- end }}

{{- define "sluice.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary .Release.Name "" .Values.serviceAccount.create) }}
{{- end }}

{{- define "sluice.placement" -}}
{{- include "sluice.nodes" . }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "sluice.nodes" -}}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Placement that spreads the pods of a component. By affinity: soft topologySpreadConstraints do nothing on nodes that
lack one of the labels, such as the zone. */}}
{{- define "sluice.spread" -}}
{{- include "sluice.nodes" .own }}
{{- $others := dict "matchLabels" (include "sluice.labels" . | fromYaml) }}
{{- $terms := list }}
{{- range .root.Values.spreadOver }}
{{- $terms = append $terms (dict "weight" 100 "podAffinityTerm" (dict "topologyKey" . "labelSelector" $others)) }}
{{- end }}
{{- $affinity := .own.affinity | default dict | deepCopy }}
{{- with $terms }}
{{- $affinity = merge $affinity (dict "podAntiAffinity" (dict "preferredDuringSchedulingIgnoredDuringExecution" .)) }}
{{- end }}
{{- with $affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* A budget counts only pods that are ready, so that a drain is not held up by pods that wait for ClickHouse. */}}
{{- define "sluice.disruption" -}}
{{- /* Values are merged with the defaults, so that minAvailable finds maxUnavailable next to it. */}}
{{- ternary (omit .budget "maxUnavailable") .budget (hasKey .budget "minAvailable") | toYaml }}
unhealthyPodEvictionPolicy: AlwaysAllow
selector:
  matchLabels: {{- include "sluice.labels" .on | nindent 4 }}
{{- end }}

{{/* Holds a pod back while its version would break the upgrade order (docs/decisions/0043-upgrade-order.md). */}}
{{- define "sluice.waitFor" -}}
{{- if and .root.Values.upgradeOrder.enabled (include "sluice.consumers" .root | fromJsonArray) }}
{{- $consumers := include "sluice.metricsUrls" (dict "root" .root "apps" (include "sluice.consumers" .root | fromJsonArray)) }}
initContainers:
  - name: wait-for-{{ .what }}
    image: {{ include "sluice.waitForImage" . }}
    {{- include "sluice.containerSecurity" .root | nindent 4 }}
    args:
      - wait-for
      - {{ .what }}
      - --consumer
      {{- range splitList "," $consumers }}
      - {{ . }}
      {{- end }}
      {{- if eq .what "gateways" }}
      - --gateway
      - {{ include "sluice.metricsUrls" (dict "root" .root "apps" (list "gateway")) }}
      {{- end }}
    env:
      {{- include "sluice.kafkaEnv" . | nindent 6 }}
      {{- include "sluice.extraEnv" . | nindent 6 }}
    resources: {{- toYaml .root.Values.upgradeOrder.resources | nindent 6 }}
    volumeMounts:
      - name: tmp
        mountPath: /tmp
      {{- include "sluice.secretMounts" (include "sluice.kafkaSecrets" .) | nindent 6 }}
      {{- include "sluice.extraMounts" . | nindent 6 }}
{{- end }}
{{- end }}

{{/* Environment, mounts and volumes of your own: those of all pods, then those of the component. */}}
{{- define "sluice.extraEnv" -}}
{{- with concat .root.Values.extraEnv (.own.extraEnv | default list) }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{- define "sluice.extraMounts" -}}
{{- with concat .root.Values.extraVolumeMounts (.own.extraVolumeMounts | default list) }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{- define "sluice.extraVolumes" -}}
{{- with concat .root.Values.extraVolumes (.own.extraVolumes | default list) }}
{{- toYaml . }}
{{- end }}
{{- end }}
