import type { X509Certificate } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ValidationData } from '../../../domain/pdf/signature/archive.ts';
import { readCms, readTimestampInfo } from '../../../domain/pki/cms/read-cms.ts';
import { outsideRootOf, ReplyRefused } from '../../../domain/pki/timestamps/reply.ts';
import {
  createTimestampAuthority,
  type NewTimestamp,
  type Stamper,
  type TimestampAuthority,
} from '../../../domain/pki/timestamps/sign-token.ts';
import { throwIfCanceled } from '../../runtime/cancellation.ts';
import type { PlatformSigner } from '../directory/load-keys.ts';
import { requestTimestamp, type Authority } from './request-timestamp.ts';
import { createRevocationLists, type RevocationLists } from './revocation-lists.ts';

/** Who stamped a seal, for the count of it. */
export const stampSources = ['outside', 'own', 'none'] as const;
export type StampSource = (typeof stampSources)[number];

/** What seals are stamped by. */
export interface Stamps extends Stamper {
  /** Whose tokens verify besides those under our root. */
  readonly roots: readonly X509Certificate[];
  /** Our own, which also stamps whole files; null where it is switched off, or out of its time. */
  readonly own: TimestampAuthority | null;
  /**
   * What judges a token of an outside authority later, fetched where its certificates say; nothing
   * for one of ours. Null where a CRL cannot be had, or lists the authority.
   */
  validationOf(token: Buffer): Promise<ValidationData | null>;
}

export interface StampsDeps {
  /** In the order in which they are asked. */
  readonly authorities: readonly Authority[];
  /** Our own, asked last; null where it is switched off. */
  readonly own: PlatformSigner | null;
  /** Is told of each stamp of our own before it is signed, and may refuse it by throwing. */
  readonly keep?: (stamp: NewTimestamp) => Promise<void>;
  /** Whether lists of authorities outside may be fetched from addresses that are not public. */
  readonly allowPrivateLists: boolean;
  readonly clock: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly count: (source: StampSource) => void;
}

/** A token that does not fit beside a seal is of no use: 1.9 kB of 8 kB are the seal's own. */
const tokenBytesMax = 6 * 1024;

/**
 * Asks one authority after the other, our own last, and nobody twice. Nothing is thrown: who does
 * not answer, or answers with what is not good, is told in the log and passed over.
 */
export function createStamps(deps: StampsDeps): Stamps {
  const { authorities, log, count, clock } = deps;
  const own = deps.own && createTimestampAuthority(deps.own, clock, deps.randomBytes, deps.keep);
  const lists = createRevocationLists({
    clock,
    allowPrivate: deps.allowPrivateLists,
    refuse: (list) =>
      log.warn({ list }, 'a list of a time-stamping authority is inside: not asked'),
  });
  const roots = authorities.flatMap((authority) => authority.roots);
  const ownNow = () => (isInForce(deps.own, clock()) ? own : null);
  return {
    get own() {
      return ownNow();
    },
    roots,
    async validationOf(token) {
      const cms = readCms(token);
      const { at } = readTimestampInfo(cms.content ?? Buffer.alloc(0));
      const root = outsideRootOf(cms, roots, at);
      if (!root) return { certificates: [], crls: [] };
      const crls = await lists.clearing(cms.certificates, root);
      if (crls === null || crls === 'revoked') return null;
      return { certificates: cms.certificates.map(({ raw }) => raw), crls };
    },
    async stamp(imprint) {
      for (const authority of authorities) {
        const token = await stampOf({ ...deps, lists }, authority, Buffer.from(imprint));
        if (token) return counted('outside', token);
      }
      try {
        const ours = ownNow();
        if (ours) return counted('own', await ours.stamp(imprint));
      } catch (error) {
        throwIfCanceled();
        log.warn({ err: error }, 'the own authority gives no time stamps');
      }
      log.error('an affidavit is sealed without a time stamp: no authority gave one');
      return counted('none', null);
    },
  };

  function counted(source: StampSource, token: Buffer | null): Buffer | null {
    count(source);
    return token;
  }
}

/** What it stamps out of its time proves nothing. */
const isInForce = (by: PlatformSigner | null, at: Date): boolean =>
  by !== null && by.certificate.validFromDate <= at && at < by.certificate.validToDate;

async function stampOf(
  deps: StampsDeps & { readonly lists: RevocationLists },
  authority: Authority,
  imprint: Buffer,
): Promise<Buffer | null> {
  const { host } = new URL(authority.url);
  try {
    const { token, at, path, root } = await requestTimestamp(authority, imprint, deps);
    const isRevoked = (await deps.lists.clearing(path, root)) === 'revoked';
    if (token.length <= tokenBytesMax && !isRevoked) {
      // A later stamp of ours, told to the second, must not seem to be earlier.
      await delay(Math.max(0, Math.ceil(at.getTime() / 1000) * 1000 - deps.clock().getTime()));
      return token;
    }
    const fault = isRevoked ? 'revoked' : 'size';
    deps.log.warn({ authority: host, fault }, 'a time stamp is not used');
  } catch (error) {
    throwIfCanceled();
    // What a client throws can quote addresses and credentials.
    const fault = error instanceof ReplyRefused ? error.fault : 'no answer';
    deps.log.warn({ authority: host, fault }, 'a time stamp is not used');
  }
  return null;
}
