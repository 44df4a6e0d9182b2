import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Settings that both processes share: their addresses, data directory and observability. */
export const platformConfig = z.object({
  PROFILE: z.enum(['development', 'production']).default('production'),
  BASE_URL: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
  DATA_DIR: z.string().min(1),
  /** Passphrase of the encrypted key files. By default the file beside them holds it. */
  KEYS_PASSPHRASE: z.string().min(16).optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
  TEMPORAL_ADDRESS: z.string().min(1).default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  TEMPORAL_TLS_CA: z.string().min(1).optional(),
  TEMPORAL_TLS_CERT: z.string().min(1).optional(),
  TEMPORAL_TLS_KEY: z.string().min(1).optional(),
  /** Interface that serves metrics, and a worker's health. The default is this machine only. */
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
});

/**
 * Trust settings: roots of the phone simulator, for development, each with the SHA-256 of its file.
 * Also certificates and CRLs of the States that issue passports.
 */
export const devTrustConfig = z.object({
  DEV_ATTESTATION_ROOTS: z.string().optional(),
  DEV_ATTESTATION_ROOTS_SHA256: z.string().optional(),
  DEV_CSCA: z.string().optional(),
  DEV_CSCA_SHA256: z.string().optional(),
  CSCA_MASTER_LIST: z.string().optional(),
  CSCA_MASTER_LIST_ROOT: z.string().optional(),
  CSCA_MASTER_LIST_URL: z.url({ protocol: /^(https?|file)$/ }).optional(),
  CSCA_LINKS: z.string().optional(),
  CSCA_CRLS: z.string().optional(),
  CSCA_CRL_URLS: z
    .string()
    .transform((text) => text.split(',').map((url) => url.trim()))
    .pipe(z.array(z.url({ protocol: /^(https?|file)$/ })).max(300))
    .optional(),
  CSCA_CRLS_REQUIRED: z.enum(['yes', 'no']).default('no'),
  /** How to treat passports that are signed with SHA-1. */
  PASSPORT_LEGACY_ALGORITHMS: z.enum(['flag', 'refuse']).default('flag'),
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
