{{/* Settings of Kafka for a component: its own `kafka.sasl` and `kafka.tls` go before those of the release. */}}
{{- define "sluice.kafka" -}}
{{- merge (deepCopy (get (.own | default dict) "kafka" | default dict)) .root.Values.kafka | toYaml }}
{{- end }}

{{/* Settings of ClickHouse for a component: its own `clickhouse` goes before that of the release. */}}
{{- define "sluice.clickhouse" -}}
{{- $values := merge (deepCopy (get (.own | default dict) "clickhouse" | default dict)) .root.Values.clickhouse }}
{{- if and $values.tls.clientSecret (not $values.tls.caSecret) }}
{{- fail "clickhouse.tls.clientSecret requires clickhouse.tls.caSecret: the authorities that signed the server's certificate" }}
{{- end }}
{{- $values | toYaml }}
{{- end }}

{{/* Variables for the connections to Kafka and ClickHouse; secrets are files under /secrets. */}}
{{- define "sluice.kafkaEnv" -}}
{{- $kafka := include "sluice.kafka" . | fromYaml }}
{{- with .root }}
- name: LOG_LEVEL
  value: {{ .Values.logLevel | quote }}
{{- with .Values.tracing.endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ . | quote }}
{{- if $.root.Values.tracing.headersSecret }}
- name: OTEL_EXPORTER_OTLP_HEADERS_FILE
  value: /secrets/tracing/{{ $.root.Values.tracing.headersKey }}
{{- end }}
{{- end }}
- name: KAFKA_BROKERS
  value: {{ join "," (required "kafka.brokers must name a broker" $kafka.brokers) | quote }}
{{- with $kafka.tls }}
{{- if .enabled }}
- name: KAFKA_TLS
  value: 'true'
{{- if .caSecret }}
- name: KAFKA_TLS_CA_FILE
  value: /secrets/kafka-ca/{{ .caKey }}
{{- end }}
{{- if .clientSecret }}
- name: KAFKA_TLS_CERT_FILE
  value: /secrets/kafka-client/{{ .certKey }}
- name: KAFKA_TLS_KEY_FILE
  value: /secrets/kafka-client/{{ .keyKey }}
{{- end }}
{{- end }}
{{- end }}
{{- with $kafka.sasl }}
{{- if .mechanism }}
- name: KAFKA_SASL_MECHANISM
  value: {{ .mechanism | quote }}
- name: KAFKA_SASL_USERNAME
  value: {{ required "kafka.sasl.mechanism requires kafka.sasl.username" .username | quote }}
- name: KAFKA_SASL_PASSWORD_FILE
  value: /secrets/kafka-sasl/{{ .passwordKey }}
{{- end }}
{{- end }}
{{- with $kafka.topicPrefix }}
- name: TOPIC_PREFIX
  value: {{ . | quote }}
{{- end }}
{{- with $kafka.topics }}
- name: TOPIC_PARTITIONS
  value: {{ .partitions | quote }}
- name: TOPIC_REPLICATION_FACTOR
  value: {{ .replicationFactor | quote }}
- name: TOPIC_MIN_INSYNC_REPLICAS
  value: {{ .minInsyncReplicas | toString | quote }}
- name: TOPIC_RETENTION_HOURS
  value: {{ .retentionHours | toString | quote }}
- name: DEAD_LETTER_RETENTION_HOURS
  value: {{ .deadLetterRetentionHours | toString | quote }}
- name: TOPIC_OVERRIDES
  value: {{ .overrides | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "sluice.durability" -}}
{{- with .Values.clickhouse }}{{ .durability | default (ternary "quorum" "fsync" (ne .cluster "")) }}{{ end }}
{{- end }}

{{- define "sluice.clickhouseEnv" -}}
{{- with include "sluice.clickhouse" . | fromYaml }}
- name: CLICKHOUSE_URL
  value: {{ required "clickhouse.url must be set" .url | quote }}
- name: CLICKHOUSE_DATABASE
  value: {{ .database | quote }}
- name: CLICKHOUSE_USER
  value: {{ .user | quote }}
{{- if .passwordSecret }}
- name: CLICKHOUSE_PASSWORD_FILE
  value: /secrets/clickhouse/{{ .passwordKey }}
{{- end }}
{{- if .tls.caSecret }}
- name: CLICKHOUSE_TLS_CA_FILE
  value: /secrets/clickhouse-ca/{{ .tls.caKey }}
{{- end }}
{{- if .tls.clientSecret }}
- name: CLICKHOUSE_TLS_CERT_FILE
  value: /secrets/clickhouse-client/{{ .tls.certKey }}
- name: CLICKHOUSE_TLS_KEY_FILE
  value: /secrets/clickhouse-client/{{ .tls.keyKey }}
{{- end }}
- name: CLICKHOUSE_CLUSTER
  value: {{ .cluster | quote }}
{{- with .shards }}
- name: CLICKHOUSE_SHARDS
  value: {{ . | quote }}
{{- end }}
{{- with .shardsCluster }}
- name: CLICKHOUSE_SHARDS_CLUSTER
  value: {{ . | quote }}
{{- end }}
- name: CLICKHOUSE_DURABILITY
  value: {{ include "sluice.durability" $.root | quote }}
{{- end }}
{{- end }}

{{/* Maps folders under /secrets to names of secrets. */}}
{{- define "sluice.kafkaSecrets" -}}
{{- if .root.Values.tracing.endpoint }}
{{- with .root.Values.tracing.headersSecret }}
tracing: {{ . }}
{{- end }}
{{- end }}
{{- with include "sluice.kafka" . | fromYaml }}
{{- if .tls.enabled }}
{{- with .tls.caSecret }}
kafka-ca: {{ . }}
{{- end }}
{{- with .tls.clientSecret }}
kafka-client: {{ . }}
{{- end }}
{{- end }}
{{- if .sasl.mechanism }}
kafka-sasl: {{ required "kafka.sasl.mechanism requires kafka.sasl.passwordSecret" .sasl.passwordSecret }}
{{- end }}
{{- end }}
{{- end }}

{{- define "sluice.clickhouseSecrets" -}}
{{- with include "sluice.clickhouse" . | fromYaml }}
{{- with .passwordSecret }}
clickhouse: {{ . }}
{{- end }}
{{- with .tls.caSecret }}
clickhouse-ca: {{ . }}
{{- end }}
{{- with .tls.clientSecret }}
clickhouse-client: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "sluice.secretMounts" -}}
{{- range $folder, $secret := fromYaml . }}
- name: {{ $folder }}
  mountPath: /secrets/{{ $folder }}
  readOnly: true
{{- end }}
{{- end }}

{{- define "sluice.secretVolumes" -}}
{{- range $folder, $secret := fromYaml . }}
- name: {{ $folder }}
  secret: { secretName: {{ $secret }}, defaultMode: 0440 }
{{- end }}
{{- end }}

{{- define "sluice.moreEnv" -}}
{{/* Numbers of a values file are floats; without int64 their text would be 1.00663296e+08. */}}
{{- range $key, $value := . }}
- name: {{ $key }}
  {{- if and (kindIs "float64" $value) (eq (floor $value) $value) }}
  value: {{ $value | int64 | quote }}
  {{- else }}
  value: {{ $value | toString | quote }}
  {{- end }}
{{- end }}
{{- end }}
