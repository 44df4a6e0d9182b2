import type { Request } from 'express';
import { Failure } from '../../../workflows/failures.ts';
import type { Contract } from '../contract.ts';
import { prefersLenient } from './prefer.ts';

/** Maximum of a JSON body. Uploads declare their own in the contract. */
const jsonBytesMax = 256 * 1024;
/**
 * How many bytes are read of a body that the operation does not take, to see whether it is empty.
 */
const emptyBytesMax = 1_024;
/** Time limit of a body, plus the time that its received bytes take at the minimum speed. */
const readingMsMax = 15_000;
const bytesPerMsMin = 64;
const dropBytesMax = 64 * 1024 * 1024;

export interface ReadBody {
  readonly bytes: Buffer;
}

const none: ReadBody = { bytes: Buffer.alloc(0) };

const capOf = (contract: Contract): number => contract.request.rawBytesMax ?? jsonBytesMax;

const takesBody = ({ request }: Contract): boolean =>
  request.body !== undefined || request.rawBytesMax !== undefined;

/**
 * Whether the bytes of a body are used. An operation that takes none uses them where a phone signs
 * them, and where they distinguish repeated calls.
 */
export const readsBody = (contract: Contract): boolean =>
  takesBody(contract) || contract.attest !== undefined || contract.idempotent === true;

/**
 * Whether a body that is not empty is refused, unless the caller is lenient (docs/decisions/005).
 */
export const refusesBody = (contract: Contract): boolean =>
  !takesBody(contract) && contract.unknownFields !== 'ignored';

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Checks the headers of the body before any of it is read.
 * @throws Failure `too_large` (413) for a length over the maximum, `media_type_unsupported` (415)
 *   for a type or an encoding that the contract does not take
 */
export function checkBodyHeaders(contract: Contract, request: Request): void {
  if (!hasBody(request) || !readsBody(contract)) return;
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > capOf(contract)) throw refuseLarge(request);
  if (contract.request.rawBytesMax === undefined) checkJsonType(request);
  if (request.headers['content-encoding'] !== undefined) {
    throw new Failure('media_type_unsupported');
  }
}

/**
 * Reads the body of a call as bytes, before it is parsed, because the attest header signs the
 * bytes.
 * @throws Failure `too_large` (413) over the maximum, `body_unexpected` (400) for a body that the
 *   operation does not take, other than `{}` or white space
 */
export async function readBody(contract: Contract, request: Request): Promise<ReadBody> {
  if (!hasBody(request)) return none;
  const isRefused = refusesBody(contract) && !prefersLenient(request.get('prefer'));
  if (!readsBody(contract)) {
    if (isRefused) assertEmptyBody(await collect(request, emptyBytesMax, 'body_unexpected'));
    else drop(request);
    return none;
  }
  const bytes = await collect(request, capOf(contract), 'too_large');
  if (isRefused) assertEmptyBody(bytes);
  return { bytes };
}

function checkJsonType(request: Request): void {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/(json|[a-z0-9.+-]+\+json)\s*(;|$)/i.test(type)) {
    throw new Failure('media_type_unsupported', { detail: 'Send application/json' });
  }
}

function assertEmptyBody(bytes: Buffer): void {
  const text = bytes.toString('latin1').trim();
  if (text !== '' && !/^\{\s*\}$/.test(text)) throw new Failure('body_unexpected');
}

function collect(
  request: Request,
  cap: number,
  tooLong: 'too_large' | 'body_unexpected',
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const begun = performance.now();
    const msLeft = (): number => readingMsMax + size / bytesPerMsMin - (performance.now() - begun);
    const giveUp = (): void => {
      if (msLeft() > 0) timer = setTimeout(giveUp, msLeft());
      else reject(refuseLate(request));
    };
    let timer = setTimeout(giveUp, readingMsMax);
    const stop = (): void => clearTimeout(timer);
    request.on('data', (part: Buffer) => {
      const isFirstOver = size <= cap;
      size += part.length;
      if (size <= cap) parts.push(part);
      else if (isFirstOver) {
        stop();
        drop(request);
        reject(new Failure(tooLong));
      }
    });
    request.once('end', () => {
      stop();
      resolve(Buffer.concat(parts));
    });
    // The connection closed before the body ended. No response reaches the caller, and the service
    // is not at fault.
    request.once('error', (cause) => {
      stop();
      reject(new Failure('body_timeout', { cause }));
    });
  });
}

/** Closes the connection only after the response was sent. */
function refuseLate(request: Request): Failure {
  request.res?.setHeader('Connection', 'close');
  request.res?.once('finish', () => request.destroy());
  return new Failure('body_timeout');
}

/**
 * Reads and drops the rest of the body for a while. A client that reads only after it has sent
 * everything would otherwise lose the response with the connection.
 */
function drop(request: Request): void {
  let left = dropBytesMax;
  request.on('data', (part: Buffer) => {
    left -= part.length;
    if (left < 0) request.destroy();
  });
  const timer = setTimeout(() => request.destroy(), readingMsMax);
  request.once('close', () => clearTimeout(timer));
}

function refuseLarge(request: Request): Failure {
  drop(request);
  return new Failure('too_large');
}
