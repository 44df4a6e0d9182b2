import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Settings that API and workers share. */
export const platformConfig = z.object({
  PROFILE: z
    .enum(['development', 'production'])
    .default('production')
    .describe(
      '`production` or `development`. In development the service shows mail and text ' +
        'messages in an outbox if no provider is set, and can accept evidence of the ' +
        'simulators.',
    ),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .describe(
      'Public URL of the service. Links and tokens contain it. Slashes at its end are ignored.',
    ),
  DATA_DIR: z
    .string()
    .min(1)
    .describe(
      'Directory of the key files (`keys/`). Without `S3_ENDPOINT` it also holds the ' +
        'stored objects (`objects/`).',
    ),
  KEYS_PASSPHRASE: z
    .string()
    .min(16)
    .optional()
    .describe(
      'Passphrase that decrypts the key files, at least 16 characters. Required in ' +
        'production. Without it, a process in development reads `keys/passphrase.secret`.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe(
      'Lowest level that the process logs: `fatal`, `error`, `warn`, `info` or `debug`. ' +
        '`silent` turns the log off.',
    ),
  METRICS_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe(
      'Address on which a process serves its metrics, and a worker also its health. Set ' +
        '`0.0.0.0` for a collector on another machine.',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe(
      'URL of a collector that receives traces by OTLP over HTTP. Without it, the process ' +
        'records no traces.',
    ),
});

/** Settings of the connection to the Temporal server. */
export const temporalConfig = z.object({
  TEMPORAL_ADDRESS: z
    .string()
    .min(1)
    .default('127.0.0.1:7233')
    .describe('Host and port of the Temporal server.'),
  TEMPORAL_NAMESPACE: z
    .string()
    .min(1)
    .default('default')
    .describe(
      'Temporal namespace of the workflows. Encrypted payloads are bound to it: another ' +
        'namespace cannot decrypt them.',
    ),
  TEMPORAL_TLS_CA: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Path of a PEM file with the CA of the Temporal server. Set all three ' +
        '`TEMPORAL_TLS_…` settings or none. Without them, the connection is not encrypted.',
    ),
  TEMPORAL_TLS_CERT: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Path of a PEM file with the client certificate for the Temporal server. The ' +
        'process reads the file at the start: restart it after a renewal.',
    ),
  TEMPORAL_TLS_KEY: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Path of a PEM file with the private key of the client certificate for the Temporal server.',
    ),
});

/** Roots of the simulators, for development only: each is a file and its hash. */
export const devTrustConfig = z.object({
  DEV_ATTESTATION_ROOTS: z
    .string()
    .optional()
    .describe(
      'Path of a PEM file with the attestation roots of simulated phones. A process in ' +
        'production does not start with it. Without it, simulated phones are rejected.',
    ),
  DEV_ATTESTATION_ROOTS_SHA256: z
    .string()
    .optional()
    .describe(
      'SHA-256 of the file in `DEV_ATTESTATION_ROOTS`, in hexadecimal. The process does ' +
        'not start if the hash differs.',
    ),
  DEV_CSCA: z
    .string()
    .optional()
    .describe(
      'Path of a PEM file with the country certificate of simulated passports. A process ' +
        'in production does not start with it. Without it, simulated passports are ' +
        'rejected.',
    ),
  DEV_CSCA_SHA256: z
    .string()
    .optional()
    .describe(
      'SHA-256 of the file in `DEV_CSCA`, in hexadecimal. The process does not start if ' +
        'the hash differs.',
    ),
});

export interface DevTrust {
  readonly attestationRootsPem: string | null;
  readonly cscaPem: string | null;
}

/**
 * Reads the development roots. They are used only when their SHA-256 equals the configured one.
 * @throws Error in production when one of them is set, and when a file has another hash
 */
export function loadDevTrust(
  config: z.output<typeof devTrustConfig>,
  profile: 'development' | 'production',
): DevTrust {
  if (hasDevelopmentRoots(config) && profile === 'production') {
    throw new Error('DEV_ATTESTATION_ROOTS and DEV_CSCA must not be set in production');
  }
  return {
    attestationRootsPem: pinned(
      'DEV_ATTESTATION_ROOTS',
      config.DEV_ATTESTATION_ROOTS,
      config.DEV_ATTESTATION_ROOTS_SHA256,
    ),
    cscaPem: pinned('DEV_CSCA', config.DEV_CSCA, config.DEV_CSCA_SHA256),
  };
}

/** Whether the process accepts simulated evidence, which proves nothing about a person. */
export function hasDevelopmentRoots({
  DEV_ATTESTATION_ROOTS: roots,
  DEV_CSCA: csca,
}: Pick<z.output<typeof devTrustConfig>, 'DEV_ATTESTATION_ROOTS' | 'DEV_CSCA'>): boolean {
  return roots !== undefined || csca !== undefined;
}

function pinned(name: string, path: string | undefined, sha256: string | undefined): string | null {
  if (path === undefined) return null;
  const pem = readFileSync(path, 'utf8');
  const actual = createHash('sha256').update(pem).digest('hex');
  if (actual !== sha256) throw new Error(`${name}: the file does not have the hash ${name}_SHA256`);
  return pem;
}

/**
 * Parses the environment of a process against its composed schema. Empty values count as absent.
 * @throws Error with one line that names every wrong setting, never its value
 */
export function parseConfig<Schema extends z.ZodType>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): z.output<Schema> {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`wrong settings: ${faults.join('; ')}`);
}

/**
 * Returns settings that are only useful together, or null where none of them is set and none is
 * required.
 * @param besides text that ends the error, such as an alternative setting
 * @throws Error with one line that names the missing settings
 */
export function wholeOf<Names extends string>(
  needed: Readonly<Record<Names, string | undefined>>,
  { isRequired = false, besides = '' } = {},
): Readonly<Record<Names, string>> | null {
  const entries: (readonly [string, unknown])[] = Object.entries(needed);
  const missing = entries.flatMap(([name, value]) => (value ? [] : [name]));
  if (missing.length === 0) return needed as Readonly<Record<Names, string>>;
  if (missing.length === entries.length && !isRequired) return null;
  throw new Error(`wrong settings: ${missing.join(', ')}: required${besides}`);
}
