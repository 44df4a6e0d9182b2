/**
 * The facts of each image of docker-compose.yml, from its Dockerfile and entry point. The tests
 * cannot run containers.
 */
export interface ImageFacts {
  /** The source of these facts. */
  readonly source: string;
  /** Ports it listens on with the settings of docker-compose.yml. */
  readonly listens: readonly number[];
  /** Users that its /etc/passwd names, and their ids. */
  readonly users: readonly string[];
  /** Programs that a health check, an entry point or a command may call. */
  readonly programs: readonly string[];
  /** Variables that it reads; undefined when docker-compose.yml sets none. */
  readonly reads?: RegExp;
  /** Variables without which it does not start correctly. */
  readonly needs?: readonly string[];
}

const busybox = ['/bin/sh', 'nc', 'wget', '/bin/mkdir'];

export const images: Readonly<Record<string, ImageFacts>> = {
  postgres: {
    source: 'https://github.com/docker-library/postgres (18/bookworm/Dockerfile)',
    listens: [5432],
    users: ['postgres'],
    programs: ['pg_isready', '/bin/sh'],
    // deploy/temporal-role.sh reads the last one.
    reads: /^POSTGRES_(USER|PASSWORD|DB|INITDB_ARGS|TEMPORAL_PASSWORD)$/,
    needs: ['POSTGRES_PASSWORD'],
  },
  'temporalio/admin-tools': {
    source:
      'https://github.com/temporalio/temporal (v1.31.2, docker/targets/admin-tools.Dockerfile)',
    listens: [],
    users: ['temporal'],
    programs: [...busybox, 'temporal-sql-tool'],
    reads: /^SQL_(PLUGIN|HOST|PORT|USER|PASSWORD)$/,
    needs: ['SQL_PLUGIN', 'SQL_HOST', 'SQL_USER', 'SQL_PASSWORD'],
  },
  'temporalio/server': {
    source:
      'https://github.com/temporalio/temporal (v1.31.2, docker/scripts/sh/entrypoint.sh, ' +
      'common/config/config_template_embedded.yaml)',
    listens: [7233],
    users: ['temporal'],
    programs: busybox,
    reads: /^(BIND_ON_IP|DB|DB_PORT|POSTGRES_(SEEDS|USER|PWD)|TEMPORAL_TLS_[A-Z0-9_]+)$/,
    needs: ['BIND_ON_IP', 'DB', 'POSTGRES_SEEDS', 'POSTGRES_USER', 'POSTGRES_PWD'],
  },
  'temporalio/ui': {
    source: 'https://github.com/temporalio/ui-server (Dockerfile, docker/config_template.yaml)',
    listens: [8080],
    users: ['temporal'],
    programs: busybox,
    reads:
      /^TEMPORAL_(ADDRESS|CODEC_ENDPOINT|TLS_(CA|CERT|KEY|SERVER_NAME|ENABLE_HOST_VERIFICATION))$/,
    needs: ['TEMPORAL_ADDRESS'],
  },
  'versity/versitygw': {
    source: 'https://github.com/versity/versitygw (v1.8.0, Dockerfile, docker-entrypoint.sh)',
    listens: [7070],
    users: ['root'],
    programs: busybox,
    reads: /^ROOT_(ACCESS|SECRET)_KEY$/,
    needs: ['ROOT_ACCESS_KEY', 'ROOT_SECRET_KEY'],
  },
  'axllent/mailpit': {
    source: 'https://github.com/axllent/mailpit (v1.29, Dockerfile)',
    listens: [1025, 8025],
    // The image needs no user name: it runs as a number.
    users: ['65534'],
    programs: ['/mailpit'],
  },
  caddy: {
    source: 'https://github.com/caddyserver/caddy-docker (2.11/alpine/Dockerfile)',
    listens: [8080, 8443, 8234],
    users: ['root', '65534'],
    programs: [...busybox, 'caddy'],
    // Placeholders of deploy/Caddyfile.
    reads: /^(BASE_URL|S3_PUBLIC_ENDPOINT|CADDY_TLS)$/,
  },
  'otel/opentelemetry-collector-contrib': {
    source: 'https://github.com/open-telemetry/opentelemetry-collector-releases (Dockerfile)',
    listens: [4318],
    users: ['10001'],
    // Built from scratch: no shell and no program for a health check.
    programs: [],
    reads: /^COLLECTOR_CONFIG$/,
  },
  'prom/prometheus': {
    source: 'https://github.com/prometheus/prometheus (v3.5.0, Dockerfile)',
    listens: [9090],
    users: ['nobody'],
    programs: busybox,
  },
  'grafana/grafana': {
    source: 'https://github.com/grafana/grafana (v12.1.0, Dockerfile)',
    listens: [3000],
    users: ['472'],
    programs: busybox,
    reads: /^GF_[A-Z]+_[A-Z_]+$/,
  },
};
