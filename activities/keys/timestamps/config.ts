import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { Queryable } from '../../../db/client.ts';
import type { Ids } from '../../../db/ids.ts';
import { isLoopback } from '../../vendors/secure-urls.ts';
import type { PlatformKeys } from '../directory/load-keys.ts';
import type { Authority } from './request-timestamp.ts';
import { recordOwnTimestamps } from './record-own-timestamps.ts';
import { createStamps, type Stamps, type StampsDeps } from './stamps.ts';

/** Settings of time stamps. */
export const timestampConfig = z.object({
  TIMESTAMP_AUTHORITIES: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Path of a JSON file that lists outside time-stamping authorities in the order of ' +
        'use. Without it, only the built-in authority stamps.',
    ),
  TIMESTAMPS_OWN: z
    .enum(['yes', 'no'])
    .default('yes')
    .describe(
      '`yes`: the built-in authority stamps a seal if no outside authority does, and ' +
        'stamps whole files. `no`: affidavits never reach PAdES B-LTA.',
    ),
  TIMESTAMP_LISTS_PRIVATE: z
    .enum(['yes', 'no'])
    .default('no')
    .describe(
      '`yes` allows the worker to fetch the CRLs of outside time-stamping authorities ' +
        'from addresses that are not public.',
    ),
});

/** Creates the time-stamping client from these settings. Throws like `loadAuthorities`. */
export function openStamps(
  config: z.output<typeof timestampConfig>,
  { db, keys, ids, clock, log, countSource }: StampsNeeds,
): Stamps {
  return createStamps({
    authorities: loadAuthorities(config),
    own: config.TIMESTAMPS_OWN === 'yes' ? keys.tsa : null,
    keep: recordOwnTimestamps(db, keys.tsa),
    allowPrivateLists: config.TIMESTAMP_LISTS_PRIVATE === 'yes',
    clock,
    randomBytes: ids.bytes,
    log,
    count: countSource,
  });
}

interface StampsNeeds extends Pick<StampsDeps, 'clock' | 'log'> {
  readonly db: Queryable;
  readonly keys: PlatformKeys;
  readonly ids: Ids;
  readonly countSource: StampsDeps['count'];
}

const authoritiesMax = 8;
const timeoutMsMax = 30_000;
const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const authoritiesSchema = z
  .array(
    z.strictObject({
      url: z.url({ protocol: /^https?$/ }),
      /** PEM, one or more certificates. A relative path starts at the folder of this file. */
      roots: z.string().min(1),
      timeout_ms: z.number().int().min(100).max(timeoutMsMax).default(5_000),
      policy: z
        .string()
        .max(100)
        .regex(/^[0-2](\.(0|[1-9]\d{0,14})){1,30}$/)
        .optional(),
      user: z
        .string()
        .regex(/^[\x21-\x39\x3b-\x7e]{1,200}$/)
        .optional(),
      /** File with the password on one line. */
      password: z.string().min(1).optional(),
    }),
  )
  .min(1)
  .max(authoritiesMax);

type Entry = z.output<typeof authoritiesSchema>[number];

/**
 * Loads the outside authorities; none where the setting is absent.
 * @throws Error with one line that names the file and the wrong entry, never its content
 */
export function loadAuthorities({
  TIMESTAMP_AUTHORITIES: path,
}: Pick<z.output<typeof timestampConfig>, 'TIMESTAMP_AUTHORITIES'>): Authority[] {
  if (path === undefined) return [];
  const parsed = authoritiesSchema.safeParse(jsonIn(path));
  if (!parsed.success) {
    const at = parsed.error.issues.map(({ path: names }) => names.join('.') || 'the whole');
    throw wrong(`${path}: ${at.join(', ')}: not as documented`);
  }
  return parsed.data.map((entry, index) => authorityOf(entry, `${path}: ${index}`, dirname(path)));
}

function authorityOf(entry: Entry, name: string, folder: string): Authority {
  const { url, roots, timeout_ms: timeoutMs, policy = null, user, password } = entry;
  const { protocol, hostname, username, password: within, hash } = new URL(url);
  if ([username, within, hash].some((part) => part !== '')) {
    throw wrong(`${name}.url: holds more than an address`);
  }
  if ((user === undefined) !== (password === undefined)) {
    throw wrong(`${name}: user and password belong together`);
  }
  const isSecret = protocol === 'https:' || isLoopback(hostname.replaceAll(/^\[|\]$/g, ''));
  if (user !== undefined && !isSecret) throw wrong(`${name}.url: a password goes over https alone`);
  const secret = password && textIn(resolve(folder, password), `${name}.password`).trim();
  return {
    url,
    roots: certificatesIn(resolve(folder, roots), `${name}.roots`),
    timeoutMs,
    policy,
    credentials: user === undefined ? null : `${user}:${secret}`,
  };
}

function certificatesIn(path: string, name: string): X509Certificate[] {
  const blocks = textIn(path, name).match(block) ?? [];
  try {
    const roots = blocks.map((pem) => new X509Certificate(pem));
    if (roots.length > 0 && roots.every(({ ca }) => ca)) return roots;
  } catch {
    // Reported below.
  }
  throw wrong(`${name}: not certificates of authorities in PEM`);
}

function jsonIn(path: string): unknown {
  const text = textIn(path, 'TIMESTAMP_AUTHORITIES');
  try {
    return JSON.parse(text);
  } catch {
    throw wrong(`${path}: not JSON`);
  }
}

function textIn(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw wrong(`${name}: the file cannot be read`);
  }
}

const wrong = (what: string): Error => new Error(`wrong settings: ${what}`);
