import { createHash } from 'node:crypto';
import {
  MalformedStatusList,
  readStatusList,
  type StatusList,
} from '../../../../domain/proofs/device/android/status-list.ts';
import { providerDown } from '../../../vendors/provider.ts';

export interface RevocationListOptions {
  readonly fetch: typeof fetch;
  /** https://android.googleapis.com/attestation/status, or a server with the same format. */
  readonly url: string;
  readonly clock: () => Date;
  /** Maximum age of a list: without a newer one, no device is judged. */
  readonly ageMaxMs: number;
  readonly timeoutMs?: number | undefined;
}

export interface RevocationList {
  /**
   * Returns the list, at most `ageMaxMs` old.
   * @throws Failure `dependency_unavailable` when there is none. Without it, a device with a stolen
   * key looks like any other.
   */
  readonly current: () => Promise<StatusListCopy>;
}

export interface StatusListCopy {
  readonly list: StatusList;
  /** The parsed JSON of the list, for the evidence. */
  readonly json: unknown;
  /** SHA-256 of the received bytes, in hex. It identifies the version of the list. */
  readonly sha256: string;
  /** When the publisher last confirmed that this list is current. */
  readonly confirmedAt: Date;
}

interface Held extends StatusListCopy {
  readonly freshUntilMs: number;
  readonly validators: Readonly<Record<string, string>>;
}

const provider = 'android revocation list';
const sizeBytesMax = 16 * 1024 * 1024;
const timeoutMsUsual = 10_000;
/** Wait after a fault, while the cached list is usable. */
const retryMs = 60_000;

/**
 * Creates a client for the revocation list of Android attestation keys. It fetches the list at
 * first use, caches it as long as `Cache-Control` allows (RFC 9111 §4.2), and then revalidates it.
 * During an outage the list is used until it is `ageMaxMs` old. Concurrent callers share one
 * request.
 */
export function createRevocationList(options: RevocationListOptions): RevocationList {
  const { clock, ageMaxMs } = options;
  let held: Held | null = null;
  let running: Promise<Held> | null = null;
  let restUntilMs = 0;
  const isUsable = (list: Held, nowMs: number): boolean => {
    const ageMs = nowMs - list.confirmedAt.getTime();
    return ageMs >= 0 && ageMs <= ageMaxMs;
  };
  const refresh = async (): Promise<Held> => {
    running ??= fetchList(options, held).finally(() => (running = null));
    return running;
  };
  return {
    async current() {
      const nowMs = clock().getTime();
      const usable = held && isUsable(held, nowMs) ? held : null;
      if (usable && nowMs < Math.max(usable.freshUntilMs, restUntilMs)) return usable;
      try {
        const fetched = await refresh();
        if (isUsable(fetched, clock().getTime())) return (held = fetched);
        throw providerDown(provider, undefined);
      } catch (error) {
        if (!usable) throw error;
        restUntilMs = nowMs + retryMs;
        return usable;
      }
    },
  };
}

async function fetchList(options: RevocationListOptions, held: Held | null): Promise<Held> {
  const { fetch, url, clock, timeoutMs = timeoutMsUsual } = options;
  let response: Response | null = null;
  try {
    response = await fetch(url, {
      headers: { accept: 'application/json', ...held?.validators },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const life = lifeOf(response.headers, clock());
    if (response.status === 304 && held) return { ...held, ...life };
    if (response.status === 200) {
      const body = await readBody(response);
      const json: unknown = JSON.parse(body.toString('utf8'));
      return {
        list: readStatusList(json),
        json,
        sha256: createHash('sha256').update(body).digest('hex'),
        validators: validatorsOf(response.headers),
        ...life,
      };
    }
  } catch (error) {
    if (error instanceof MalformedStatusList || error instanceof SyntaxError) response = null;
  }
  const headers = response ? Object.fromEntries(response.headers) : {};
  throw providerDown(provider, response?.status, headers);
}

async function readBody(response: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of response.body ?? []) {
    sizeBytes += part.length;
    if (sizeBytes > sizeBytesMax) throw new MalformedStatusList('the list is too long');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** RFC 9111 §4.2.1, §4.2.3, without heuristics: a response without `max-age` is stale at once. */
function lifeOf(headers: Headers, now: Date): Pick<Held, 'confirmedAt' | 'freshUntilMs'> {
  const control = headers.get('cache-control') ?? '';
  const [, maxAge = '0'] = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(control) ?? [];
  const isKept = !/\bno-(?:store|cache)\b/i.test(control);
  const [, age = '0'] = /^(\d{1,9})$/.exec(headers.get('age') ?? '') ?? [];
  const confirmedAt = new Date(now.getTime() - Number(age) * 1000);
  const freshMs = isKept ? Number(maxAge) * 1000 : 0;
  return { confirmedAt, freshUntilMs: confirmedAt.getTime() + freshMs };
}

function validatorsOf(headers: Headers): Record<string, string> {
  const etag = headers.get('etag');
  const modified = headers.get('last-modified');
  return {
    ...(etag ? { 'if-none-match': etag } : {}),
    ...(modified ? { 'if-modified-since': modified } : {}),
  };
}
