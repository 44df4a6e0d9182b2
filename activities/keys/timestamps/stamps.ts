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

/** Which authority stamped a seal, for metrics. */
export const stampSources = ['outside', 'own', 'none'] as const;
export type StampSource = (typeof stampSources)[number];

/** The time-stamping client for seals. */
export interface Stamps extends Stamper {
  /** Roots of outside authorities, besides our root. */
  readonly roots: readonly X509Certificate[];
  /**
   * Our authority, also for whole files; null if disabled or if its certificate is not valid now.
   */
  readonly own: TimestampAuthority | null;
  /**
   * Returns the validation data of an outside authority's token, fetched from the URLs in its
   * certificates; empty data for our own tokens. Null where a CRL is unavailable, or lists the
   * authority.
   */
  validationOf(token: Buffer): Promise<ValidationData | null>;
}

export interface StampsDeps {
  /** In order of preference. */
  readonly authorities: readonly Authority[];
  /** Our authority, used last; null if disabled. */
  readonly own: PlatformSigner | null;
  /** Records each of our time stamps before it is signed. Throws to refuse it. */
  readonly keep?: (stamp: NewTimestamp) => Promise<void>;
  /** Whether CRLs of outside authorities may be at addresses that are not public. */
  readonly allowPrivateLists: boolean;
  readonly clock: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly count: (source: StampSource) => void;
}

/** A longer token does not fit beside a seal: the seal itself needs 1.9 of 8 kB. */
const tokenBytesMax = 6 * 1024;

/**
 * Creates the client. It requests a time stamp from each authority once, in order, ours last.
 * `stamp` throws no error of an authority: an authority that fails is logged and skipped.
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

/** A time stamp outside the validity of the certificate proves nothing. */
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
      // A later time stamp of ours has whole seconds, and must not appear earlier.
      await delay(Math.max(0, Math.ceil(at.getTime() / 1000) * 1000 - deps.clock().getTime()));
      return token;
    }
    const fault = isRevoked ? 'revoked' : 'size';
    deps.log.warn({ authority: host, fault }, 'a time stamp is not used');
  } catch (error) {
    throwIfCanceled();
    // Errors of a client can quote URLs and credentials.
    const fault = error instanceof ReplyRefused ? error.fault : 'no answer';
    deps.log.warn({ authority: host, fault }, 'a time stamp is not used');
  }
  return null;
}
