{{- define "catalogue.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 28 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 28 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "catalogue.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "catalogue.labels" -}}
{{ include "catalogue.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "catalogue.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{ .Values.image.repository }}{{ if not (hasPrefix "@" $tag) }}:{{ end }}{{ $tag }}
{{- end }}

{{- /* The security context of every pod: a user without privileges, who can write only to /tmp. */}}
{{- define "catalogue.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "catalogue.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- /*
The variables of the API and the jobs. `user` is the Elasticsearch user; `password` is the key of the user's password
in the Secret.
*/}}
{{- define "catalogue.env" -}}
{{- $values := .root.Values -}}
- { name: NODE_ENV, value: production }
- { name: INDEX_PREFIX, value: {{ $values.indexPrefix | quote }} }
- { name: ELASTICSEARCH_URL, value: {{ join "," $values.elasticsearch.urls | quote }} }
- { name: ELASTICSEARCH_USERNAME, value: {{ .user | quote }} }
- { name: ELASTICSEARCH_PASSWORD_FILE, value: /run/secrets/catalogue/{{ .password }} }
{{- if $values.elasticsearch.ca.secret }}
- { name: ELASTICSEARCH_CA_FILE, value: /run/authority/ca.crt }
{{- end }}
{{- range $name, $value := $values.env }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "catalogue.mounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: secrets, mountPath: /run/secrets/catalogue, readOnly: true }
{{- if .Values.elasticsearch.ca.secret }}
- { name: authority, mountPath: /run/authority, readOnly: true }
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* The volumes of a pod. Only these `keys` of the Secret are mounted. */}}
{{- define "catalogue.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ .root.Values.secrets.name }}
          items:
            {{- range .keys }}
            - { key: {{ . }}, path: {{ . }} }
            {{- end }}
{{- with .root.Values.elasticsearch.ca }}
{{- if .secret }}
- name: authority
  secret: { secretName: {{ .secret }}, items: [{ key: {{ .key }}, path: ca.crt }] }
{{- end }}
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /*
The versions of the Secrets and ConfigMaps that the API reads when it starts; a change restarts the API. Helm looks up
their resourceVersion in the cluster, because the chart does not contain them. Unlike a hash of the content, a
resourceVersion reveals nothing about a password. Without a cluster (`helm template`, Argo CD), Helm finds nothing, so
that only a change of `restartedFor` restarts the API. The certificate authority is left out, because the service
reloads that file by itself.
*/}}
{{- define "catalogue.mounted" -}}
{{- $read := list (list "Secret" .Values.secrets.name) }}
{{- range .Values.extraVolumes }}
{{- with .secret }}{{ $read = append $read (list "Secret" .secretName) }}{{ end }}
{{- with .configMap }}{{ $read = append $read (list "ConfigMap" .name) }}{{ end }}
{{- range (.projected | default dict).sources }}
{{- with .secret }}{{ $read = append $read (list "Secret" .name) }}{{ end }}
{{- with .configMap }}{{ $read = append $read (list "ConfigMap" .name) }}{{ end }}
{{- end }}
{{- end }}
{{- range $read }}
{{- $found := lookup "v1" (first .) $.Release.Namespace (last .) }}
{{- printf "%s/%s %s\n" (first .) (last .) (dig "metadata" "resourceVersion" "" $found) }}
{{- end }}
{{- .Values.restartedFor }}
{{- end }}

{{- define "catalogue.placement" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
