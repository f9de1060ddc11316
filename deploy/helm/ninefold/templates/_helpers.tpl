{{- define "ninefold.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "ninefold.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: node
{{- end }}

{{- define "ninefold.labels" -}}
{{ include "ninefold.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "ninefold.secret" -}}
{{ .Values.existingSecret | default (include "ninefold.name" .) }}
{{- end }}

{{- define "ninefold.host" -}}
{{ (urlParse .Values.url).hostname }}
{{- end }}

{{- /* The template of the pods, which a Deployment or a StatefulSet has. */}}
{{- define "ninefold.pod" -}}
{{- $kind := .Values.database.kind }}
{{- $cluster := printf "%s-db" (include "ninefold.name" .) }}
metadata:
  labels: {{- include "ninefold.labels" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  # The embedded PostgreSQL writes a checkpoint before it ends.
  terminationGracePeriodSeconds: {{ eq $kind "embedded" | ternary 600 30 }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    # PostgreSQL refuses a data folder that its group may write, so the permissions of existing files must stay.
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  containers:
    - name: ninefold
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      ports:
        - { name: http, containerPort: 9009 }
      env:
        - { name: NINEFOLD_URL, value: {{ required "url is required, such as https://backend.example.com" .Values.url | quote }} }
        - { name: NINEFOLD_MASTER_KEY_FILE, value: /run/secrets/ninefold/master-key }
        - { name: NINEFOLD_OPERATOR_TOKEN_FILE, value: /run/secrets/ninefold/operator-token }
        {{- with .Values.domain }}
        - { name: NINEFOLD_DOMAIN, value: {{ quote . }} }
        {{- end }}
        {{- if .Values.ingress.enabled }}
        - { name: NINEFOLD_TRUST_PROXY, value: {{ .Values.ingress.trustProxy | quote }} }
        {{- end }}
        {{- if eq $kind "cluster" }}
        # CloudNativePG writes the superuser's name and password into this secret, and the authority of its certificate into the other.
        - name: POSTGRES_USER
          valueFrom: { secretKeyRef: { name: {{ $cluster }}-superuser, key: username } }
        - name: POSTGRES_PASSWORD
          valueFrom: { secretKeyRef: { name: {{ $cluster }}-superuser, key: password } }
        - { name: NINEFOLD_DATABASE_URL, value: "postgres://$(POSTGRES_USER):$(POSTGRES_PASSWORD)@{{ $cluster }}-rw:5432/postgres?sslmode=verify-full" }
        - { name: NODE_EXTRA_CA_CERTS, value: /run/secrets/database/ca.crt }
        {{- else if eq $kind "url" }}
        - { name: NINEFOLD_DATABASE_URL_FILE, value: /run/secrets/database/url }
        {{- else if ne $kind "embedded" }}
        {{- fail "database.kind must be cluster, url or embedded" }}
        {{- end }}
        {{- if ne $kind "embedded" }}
        - { name: NINEFOLD_CONNECTIONS, value: {{ .Values.nodeConnections | quote }} }
        {{- end }}
        {{- with .Values.storage }}
        {{- if .url }}
        - { name: NINEFOLD_STORAGE_URL, value: {{ quote .url }} }
        - { name: NINEFOLD_STORAGE_KEY_FILE, value: /run/secrets/storage/access-key }
        - { name: NINEFOLD_STORAGE_SECRET_FILE, value: /run/secrets/storage/secret-key }
        {{- else if ne $kind "embedded" }}
        {{- fail "storage.url is required, because the nodes do not share a folder" }}
        {{- end }}
        {{- end }}
        {{- if .Values.broker.existingSecret }}
        - { name: NINEFOLD_BROKER_URL_FILE, value: /run/secrets/broker/url }
        {{- end }}
        {{- range $name, $value := .Values.env }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      # A start waits for PostgreSQL, and after a crash for its recovery.
      startupProbe:
        httpGet: { path: /live, port: http }
        periodSeconds: 2
        failureThreshold: 300
      livenessProbe:
        httpGet: { path: /live, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        httpGet: { path: /ready, port: http }
        periodSeconds: 2
        timeoutSeconds: 3
        failureThreshold: 2
      resources: {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - { name: home, mountPath: /var/lib/ninefold }
        - { name: tmp, mountPath: /tmp }
        - { name: secrets, mountPath: /run/secrets/ninefold, readOnly: true }
        {{- if ne $kind "embedded" }}
        - { name: database, mountPath: /run/secrets/database, readOnly: true }
        {{- else }}
        - { name: memory, mountPath: /dev/shm }
        {{- end }}
        {{- if .Values.storage.url }}
        - { name: storage, mountPath: /run/secrets/storage, readOnly: true }
        {{- end }}
        {{- if .Values.broker.existingSecret }}
        - { name: broker, mountPath: /run/secrets/broker, readOnly: true }
        {{- end }}
  volumes:
    - { name: tmp, emptyDir: {} }
    - { name: secrets, secret: { secretName: {{ include "ninefold.secret" . }}, defaultMode: 0440 } }
    {{- if eq $kind "embedded" }}
    # Shared memory of PostgreSQL's parallel queries.
    - { name: memory, emptyDir: { medium: Memory, sizeLimit: 256Mi } }
    {{- else }}
    - { name: home, emptyDir: {} }
    {{- if eq $kind "cluster" }}
    - { name: database, secret: { secretName: {{ $cluster }}-ca, defaultMode: 0440, items: [{ key: ca.crt, path: ca.crt }] } }
    {{- else }}
    - { name: database, secret: { secretName: {{ required "database.existingSecret is required" .Values.database.existingSecret }}, defaultMode: 0440 } }
    {{- end }}
    {{- end }}
    {{- if .Values.storage.url }}
    - { name: storage, secret: { secretName: {{ required "storage.existingSecret is required" .Values.storage.existingSecret }}, defaultMode: 0440 } }
    {{- end }}
    {{- with .Values.broker.existingSecret }}
    - { name: broker, secret: { secretName: {{ . }}, defaultMode: 0440 } }
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if ne $kind "embedded" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector: { matchLabels: {{ include "ninefold.selector" . | fromYaml | toJson }} }
  {{- end }}
{{- end }}
