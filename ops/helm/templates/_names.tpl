{{- define "meduyak.labels" -}}
app.kubernetes.io/name: meduyak
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "meduyak.secret" -}}
{{ .Values.secret.existing | default .Release.Name }}
{{- end }}

{{- define "meduyak.container" -}}
image: {{ printf "%s:%s" (required "Set image.repository" .Values.image.repository) (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - configMapRef: { name: {{ .Release.Name }} }
  - secretRef: { name: {{ include "meduyak.secret" . }} }
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: files, mountPath: /config, readOnly: true }
{{- end }}

{{- define "meduyak.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  # The user "node" of the image.
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: tmp
    emptyDir: {}
  - name: files
    configMap: { name: {{ .Release.Name }}-files }
{{- end }}
