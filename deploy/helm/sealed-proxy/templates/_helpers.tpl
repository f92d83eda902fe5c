{{- define "sealed-proxy.selector" -}}
app.kubernetes.io/name: sealed-proxy
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sealed-proxy.metadata" -}}
name: {{ .Release.Name }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "sealed-proxy.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}
