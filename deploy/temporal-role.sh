#!/bin/sh
# The postgres image runs this once, when it makes the cluster: Temporal creates and owns its two
# databases, and can read none of trustcheck's.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$POSTGRES_TEMPORAL_PASSWORD" -U "$POSTGRES_USER" -d postgres <<'SQL'
CREATE ROLE temporal LOGIN CREATEDB PASSWORD :'password';
SQL
