import { createHash } from 'node:crypto';
import {
  MalformedStatusList,
  readStatusList,
  type StatusList,
} from '../../../../domain/proofs/device/android/status-list.ts';
import { providerDown } from '../../../vendors/provider.ts';

export interface RevocationListOptions {
  readonly fetch: typeof fetch;
  /** https://android.googleapis.com/attestation/status, or what speaks like it. */
  readonly url: string;
  readonly clock: () => Date;
  /** A list older than this judges nobody. */
  readonly ageMaxMs: number;
  readonly timeoutMs?: number | undefined;
}

export interface RevocationList {
  /**
   * The list, at most `ageMaxMs` old. Throws `Failure('dependency_unavailable')` when there is
   * none: without it, no phone can be told from one whose keys are known to be stolen.
   */
  readonly current: () => Promise<StatusListCopy>;
}

export interface StatusListCopy {
  readonly list: StatusList;
  /** What it was read from, for the evidence. */
  readonly json: unknown;
  /** Of the bytes as they came, in hex: names the version that was judged by. */
  readonly sha256: string;
  /** When the publisher last said that this is the list. */
  readonly confirmedAt: Date;
}

interface Held extends StatusListCopy {
  readonly freshUntilMs: number;
  readonly validators: Readonly<Record<string, string>>;
}

const provider = 'android revocation list';
const sizeBytesMax = 16 * 1024 * 1024;
const timeoutMsUsual = 10_000;
/** After a fault, as long as the list at hand is still good. */
const retryMs = 60_000;

/**
 * Holds the revocation list of Android's attestation keys: fetched when first asked for, kept as
 * long as `Cache-Control` allows (RFC 9111 §4.2), asked for again by its validators, and used
 * through an outage until it is `ageMaxMs` old. Many callers at once make one request.
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

/** RFC 9111 §4.2.1, §4.2.3, without the heuristics: what says nothing is stale at once. */
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
