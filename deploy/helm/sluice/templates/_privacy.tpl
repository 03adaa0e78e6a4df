{{- define "sluice.privacyEnv" -}}
{{- if .Values.privacy.keySecret }}
- name: PRIVACY_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.privacy.keySecret }}
      key: {{ .Values.privacy.keyKey }}
{{- end }}
{{- end }}
