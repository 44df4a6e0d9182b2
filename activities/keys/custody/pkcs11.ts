import { createPublicKey, type KeyObject } from 'node:crypto';
import { integer, sequence } from '../../../domain/pki/write-der.ts';
import { within } from '../../vendors/provider.ts';
import { loadCryptoki, wordOf, type Cryptoki } from './cryptoki.ts';
import { CustodyError } from './custody-error.ts';
import type { Keeper } from './keeper.ts';
import type { TokenReference } from './key-reference.ts';
import { checked, isSessionLost } from './pkcs11-results.ts';
import { openSession, publicObject, privateObject } from './pkcs11-session.ts';

export interface TokensOptions {
  /** Path of the module from the token's vendor. */
  readonly module: string;
  /** PIN of the user, for every token of the module. It is read when a token is opened. */
  readonly pin: () => string;
  /** Timeout of one signature, including the wait in the queue. */
  readonly timeoutMs?: number | undefined;
}

const timeoutMsUsual = 8_000;
/** Maximum signatures that wait for a token at a time. */
const waitingMax = 256;

const mechanismEcdsa = 0x1041;
const halfBytes = 32;
const attribute = { ecParams: 0x180, ecPoint: 0x181 } as const;
/** DER of the OID of P-256, and the prefix of an uncompressed P-256 point in an OCTET STRING. */
const p256 = Buffer.from('06082a8648ce3d030107', 'hex');
const pointHead = Buffer.from('044104', 'hex');

interface Token {
  /** End of the queue: one session does one thing at a time (PKCS#11 2.40 §6.7). */
  last: Promise<unknown>;
  waiting: number;
  session: Promise<bigint> | null;
  readonly keys: Map<string, bigint>;
  /**
   * The error of a wrong PIN, which is not retried: tokens lock themselves after a few attempts.
   */
  denied: CustodyError | null;
}

/**
 * Creates a keeper for keys in tokens behind a PKCS#11 module. It opens one session per token, when
 * a key is first used and again after the session is lost. It signs digests with CKM_ECDSA.
 */
export function createTokens(options: TokensOptions): Keeper<TokenReference> {
  const { timeoutMs = timeoutMsUsual } = options;
  const tokens = new Map<string, Token>();
  let loaded: Promise<Cryptoki> | null = null;
  const tokenOf = (name: string): Token => {
    const token = tokens.get(name) ?? {
      last: Promise.resolve(),
      waiting: 0,
      session: null,
      keys: new Map(),
      denied: null,
    };
    tokens.set(name, token);
    return token;
  };
  const onToken = <T>(
    reference: TokenReference,
    work: (on: Cryptoki, session: bigint, token: Token) => Promise<T>,
  ): Promise<T> => {
    const token = tokenOf(reference.token);
    const attempt = async (): Promise<T> => {
      if (token.denied) throw token.denied;
      const on = await (loaded ??= loadCryptoki(options.module));
      const session = (token.session ??= openSession(on, reference.token, options.pin));
      try {
        return await work(on, await session, token);
      } catch (error) {
        await forget(token, error, on, session);
        throw error;
      }
    };
    return inTurn(token, timeoutMs, () =>
      attempt().catch((error: unknown) => {
        if (!isSessionLost(error)) throw error;
        return attempt();
      }),
    );
  };
  return {
    publicKeyOf: (reference) =>
      onToken(reference, async (on, session) => publicKeyIn(on, session, reference)),
    sign: (reference, digest) =>
      onToken(reference, async (on, session, { keys }) => {
        const name = JSON.stringify([reference.object, reference.id?.toString('hex')]);
        const key = keys.get(name) ?? (await privateObject(on, session, reference));
        keys.set(name, key);
        return derOf(await signed(on, session, key, Buffer.from(digest)));
      }),
  };
}

/**
 * Queues work on a token. Rejects at once when the queue is full, and skips work that timed out.
 */
async function inTurn<T>(token: Token, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  if (token.waiting >= waitingMax) {
    throw new CustodyError('unreachable', `${waitingMax} signatures wait for the token already`);
  }
  token.waiting += 1;
  let isGivenUp = false;
  const turn = token.last.then(async () => {
    if (isGivenUp) throw late();
    return within(timeoutMs, work()).catch((error: unknown) => {
      if (error instanceof CustodyError) throw error;
      // A call that hangs keeps its session. The next call opens another.
      token.session = null;
      token.keys.clear();
      throw late();
    });
  });
  token.last = turn.catch(() => undefined);
  try {
    return await within(timeoutMs, turn);
  } catch (error) {
    throw error instanceof CustodyError ? error : late();
  } finally {
    isGivenUp = true;
    token.waiting -= 1;
  }
}

const late = (): CustodyError =>
  new CustodyError('unreachable', 'the token has not answered in time');

/** Drops the session after an error. Handles are not valid in another session. */
async function forget(
  token: Token,
  error: unknown,
  on: Cryptoki,
  session: Promise<bigint>,
): Promise<void> {
  if (error instanceof CustodyError && error.fault === 'denied') token.denied = error;
  // An abandoned call may end after the next one has opened its own session.
  if (token.session === session) {
    token.session = null;
    token.keys.clear();
  }
  const opened = await session.catch(() => null);
  if (opened !== null) await on.closeSession(opened);
}

async function signed(on: Cryptoki, session: bigint, key: bigint, digest: Buffer): Promise<Buffer> {
  const mechanism = on.rows([[mechanismEcdsa, null]]);
  checked('C_SignInit', await on.signBegin(session, mechanism, key));
  const [signature, length] = [Buffer.alloc(2 * halfBytes), wordOf(2 * halfBytes)];
  const result = await on.sign(session, digest, digest.length, signature, length);
  checked('C_Sign', result);
  if (length.readBigUInt64LE() !== BigInt(signature.length)) {
    throw new CustodyError('mismatched', 'the token has signed on another curve than P-256');
  }
  return signature;
}

/** Converts r and s, concatenated as a token returns them (PKCS#11 2.40 §2.3.1), to DER. */
function derOf(signature: Buffer): Buffer {
  const halves = [signature.subarray(0, halfBytes), signature.subarray(halfBytes)];
  return sequence(...halves.map((half) => integer(shortest(half))));
}

/** Removes leading zeros, but keeps at least one byte. */
function shortest(number: Buffer): Buffer {
  const first = number.findIndex((byte) => byte !== 0);
  return number.subarray(first === -1 ? number.length - 1 : first);
}

async function publicKeyIn(
  on: Cryptoki,
  session: bigint,
  reference: TokenReference,
): Promise<KeyObject> {
  const key = await publicObject(on, session, reference);
  const [params, point] = [Buffer.alloc(64), Buffer.alloc(160)];
  const rows = on.rows([
    [attribute.ecParams, params],
    [attribute.ecPoint, point],
  ]);
  checked('C_GetAttributeValue', await on.attributes(session, key, rows, 2));
  const sizes = [16, 40].map((at) => Number(rows.readBigUInt64LE(at)));
  const body = point.subarray(pointHead.length, sizes[1]);
  const isP256 = params.subarray(0, sizes[0]).equals(p256) && body.length === 2 * halfBytes;
  if (!isP256 || !point.subarray(0, pointHead.length).equals(pointHead)) {
    throw new CustodyError('unusable', 'the key of the token is not on P-256');
  }
  const [x, y] = [body.subarray(0, halfBytes), body.subarray(halfBytes)];
  const jwk = { kty: 'EC', crv: 'P-256', x: x.toString('base64url'), y: y.toString('base64url') };
  return createPublicKey({ key: jwk, format: 'jwk' });
}
