import type { Logger } from 'pino';
import type { Queryable } from '../../../db/client.ts';
import { findStolenKeys } from '../../../db/queries/certificates.ts';
import { findStolenSecrets } from '../../../db/queries/stolen-secrets.ts';
import { Failure } from '../../../workflows/failures.ts';
import { changeStateOf } from './change-state.ts';
import type { KeyPlace } from './key-files.ts';
import { loadKeys, type PlatformKeys, type PlatformSigner } from './load-keys.ts';
import { masterSecretsOf, type MasterSecrets } from './master-secrets.ts';

/** Keys that are reloaded when their files change. */
export interface LiveKeys extends PlatformKeys {
  /** A consistent snapshot of the keys, for work that uses several of them. */
  readonly loaded: PlatformKeys;
  /** Rejects token keys and versions of the master secret by id, whatever the files contain. */
  refuse(ids: readonly string[]): void;
}

/** Maximum age of the last check of the files; a later use of a key checks again. */
const lookMsMax = 100;
const stolenMs = 1_000;
/** Wait after a failed load of unchanged files. */
const loadAgainMs = 1_000;
const retryAfterSeconds = 5;

/** Keys of a directory that are reloaded after each change of its files. */
interface Following {
  /** Returns the last loaded keys. */
  now(): PlatformKeys;
  /** Returns their secrets, without the rejected versions. */
  secrets(): MasterSecrets;
  isRefused(id: string): boolean;
  refuse(ids: readonly string[]): void;
}

function follow(place: KeyPlace, log: Pick<Logger, 'info' | 'error'>): Following {
  let state = changeStateOf(place);
  let loaded = loadKeys(place);
  let lookedMs = performance.now();
  let failed: { readonly state: string; readonly atMs: number } | null = null;
  let refused: ReadonlySet<string> = new Set();
  let secrets: MasterSecrets = loaded;
  const now = (): PlatformKeys => {
    if (performance.now() - lookedMs < lookMsMax) return loaded;
    lookedMs = performance.now();
    const found = changeStateOf(place);
    if (found === state) return loaded;
    const isKnown = found === failed?.state;
    if (failed && isKnown && lookedMs - failed.atMs < loadAgainMs) return loaded;
    try {
      loaded = loadKeys(place);
      state = found;
      failed = null;
      secrets = withoutRefused(loaded, refused);
      const { secretVersion } = loaded;
      log.info({ tokens: loaded.tokens.kid, secretVersion }, 'keys were loaded again');
    } catch (err) {
      failed = { state: found, atMs: lookedMs };
      if (!isKnown) log.error({ err }, 'changed keys do not load; the keys before stay in use');
    }
    return loaded;
  };
  return {
    now,
    secrets() {
      now();
      return secrets;
    },
    isRefused: (id) => refused.has(id),
    refuse(ids) {
      refused = new Set(ids);
      secrets = withoutRefused(loaded, refused);
    },
  };
}

/**
 * Opens the keys of a directory. A use of a key compares the state of the files, at most every 100
 * ms, and reloads them after a change. Files that do not load are logged once, and the loaded keys
 * stay in use. Later uses retry, at most once a second.
 * @throws KeyDirectoryError when the first load fails
 */
export function openKeys(place: KeyPlace, log: Pick<Logger, 'info' | 'error'>): LiveKeys {
  const { now, secrets, isRefused, refuse } = follow(place, log);
  return {
    get loaded() {
      return now();
    },
    get root() {
      return now().root;
    },
    get peopleCa() {
      return now().peopleCa;
    },
    get servicesCa() {
      return now().servicesCa;
    },
    get seal() {
      return now().seal;
    },
    get tsa() {
      return now().tsa;
    },
    get tokens() {
      const { tokens } = now();
      return isRefused(tokens.kid) ? refusing(tokens) : tokens;
    },
    get retired() {
      return now().retired;
    },
    get retiredTokens() {
      return now().retiredTokens;
    },
    get next() {
      return now().next;
    },
    get nextCas() {
      return now().nextCas;
    },
    get trustBundlePem() {
      return now().trustBundlePem;
    },
    tokenKey: (kid, at) => (isRefused(kid) ? null : now().tokenKey(kid, at)),
    get secretVersions() {
      return secrets().secretVersions;
    },
    get secretVersion() {
      return secrets().secretVersion;
    },
    secret: (purpose) => secrets().secret(purpose),
    acceptedSecrets: (purpose, at) => secrets().acceptedSecrets(purpose, at),
    secretOf: (purpose, version) => secrets().secretOf(purpose, version),
    prove: () => now().prove(),
    refuse,
  };
}

/** Returns the secrets of loaded keys, with the stolen versions revoked. */
function withoutRefused(loaded: PlatformKeys, refused: ReadonlySet<string>): MasterSecrets {
  const { secretVersions } = loaded;
  if (!secretVersions.some(({ id }) => refused.has(id))) return loaded;
  const revoked = { state: 'revoked', publishedAt: null } as const;
  return masterSecretsOf(
    secretVersions.map((each) =>
      refused.has(each.id) ? { ...each, ...revoked, endedAt: each.endedAt ?? new Date() } : each,
    ),
  );
}

/** Returns a signer for a stolen key, until this process has the key's successor. It rejects. */
function refusing(signer: PlatformSigner): PlatformSigner {
  const detail = 'The token key was revoked; this process needs the new key files';
  return {
    ...signer,
    sign: () =>
      Promise.reject(new Failure('dependency_unavailable', { detail, retryAfterSeconds })),
  };
}

/**
 * Rejects stolen token keys and versions of the master secret. It queries the database every
 * second, so that a theft takes effect in processes with old key files too. It resolves after the
 * first result or error, and the process listens only then. Without the database no credential is
 * accepted anyway.
 * @returns the function that stops it
 */
export async function watchStolenKeys(
  db: Queryable,
  keys: LiveKeys,
  log: Pick<Logger, 'warn'>,
): Promise<() => void> {
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      await refuseStolen(db, keys);
    } catch (err) {
      log.warn({ err }, 'stolen keys were not read from the database');
    } finally {
      isAsking = false;
    }
  };
  await ask();
  const timer = setInterval(() => void ask(), stolenMs).unref();
  return () => clearInterval(timer);
}

async function refuseStolen(db: Queryable, keys: LiveKeys): Promise<void> {
  const { tokens, next, retiredTokens, secretVersions } = keys.loaded;
  const kids = [tokens, ...next, ...retiredTokens].map(({ kid }) => kid);
  const ids = secretVersions.map(({ id }) => id);
  keys.refuse([...(await findStolenKeys(db, kids)), ...(await findStolenSecrets(db, ids))]);
}
