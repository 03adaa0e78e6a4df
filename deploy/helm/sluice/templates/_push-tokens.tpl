{{- define "sluice.pushTokenEnv" -}}
{{- if .Values.pushTokens.keysSecret }}
- name: PUSH_TOKEN_KEYS
  valueFrom:
    secretKeyRef:
      name: {{ .Values.pushTokens.keysSecret }}
      key: {{ .Values.pushTokens.keysKey }}
{{- end }}
{{- with .Values.pushTokens.activeKey }}
- name: PUSH_TOKEN_ACTIVE_KEY
  value: {{ . | quote }}
{{- end }}
{{- end }}
