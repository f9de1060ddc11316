#!/bin/sh
# Creates the secrets of compose.yaml in the folder secrets beside it. Existing files stay as they are. Containers mount the files, so every
# user of a container may read them; only this user may enter the folder.
set -eu
cd "$(dirname "$0")"
mkdir -p secrets
chmod 700 secrets
umask 022
random() { head -c "$1" /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'; }
write() { [ -e "secrets/$1" ] || printf '%s\n' "$2" >"secrets/$1"; }

write master-key "$(random 32)"
write operator-token "nf_operator_$(random 24)"
write postgres-password "$(random 24)"
write s3-secret "$(random 24)"
write database-url "postgres://ninefold:$(cat secrets/postgres-password)@postgres:5432/postgres?sslmode=disable"
write s3-config "{\"identities\":[{\"name\":\"ninefold\",\"credentials\":[{\"accessKey\":\"ninefold\",\"secretKey\":\"$(cat secrets/s3-secret)\"}],\"actions\":[\"Admin\",\"Read\",\"Write\",\"List\",\"Tagging\"]}]}"
