import type { X509Certificate } from 'node:crypto';
import { validPathsOf } from '../cms/certification-paths.ts';
import { readCms, type ReadCms } from '../cms/read-cms.ts';
import { encodeSignedData, oids } from '../cms/write-cms.ts';
import { lowS } from '../low-s.ts';
import {
  childrenOf,
  MalformedDer,
  oidOf,
  readElement,
  take,
  takeIf,
  tags,
  type Element,
} from '../read-der.ts';
import { isCertifiedBy } from '../x509/is-certified-by.ts';
import { purposes } from '../x509/profile.ts';
import { judgeToken } from './judge-token.ts';

/**
 * How far an authority's clock may be behind ours, and ahead of it. Stamping waits out the latter.
 */
const behindMsMax = 5 * 60_000;
const aheadMsMax = 2_000;
/** PKIStatus (RFC 3161 §2.4.2): granted, and granted with modifications. */
const granted: ReadonlySet<number> = new Set([0, 1]);

/** Why a reply is rejected; `refused` is the authority's own answer. */
export type ReplyFault =
  | 'malformed'
  | 'refused'
  | 'token'
  | 'version'
  | 'policy'
  | 'imprint'
  | 'time'
  | 'nonce'
  | 'extension'
  | 'chain';

/** A rejected reply. */
export class ReplyRefused extends Error {
  override readonly name = 'ReplyRefused';
  readonly fault: ReplyFault;
  constructor(fault: ReplyFault) {
    super(`the reply is not used: ${fault}`);
    this.fault = fault;
  }
}

/** What a reply must match. */
export interface TimestampQuery {
  /** SHA-256. */
  readonly imprint: Buffer;
  /** INTEGER, DER. */
  readonly nonce: Uint8Array;
  /** The required policy; null for any. */
  readonly policy: string | null;
  /** Roots of this authority. */
  readonly roots: readonly X509Certificate[];
  readonly now: Date;
}

/** A valid token of an outside authority. */
export interface OutsideToken {
  /** DER. */
  readonly token: Buffer;
  readonly at: Date;
  /** The certificates on the path to its root, the signer's first. */
  readonly path: readonly X509Certificate[];
  readonly root: X509Certificate;
}

/**
 * Returns the time-stamp token of a reply (TimeStampResp, RFC 3161 §2.4.2). Judges it in the order
 * of that clause, with a chain to the authority's roots. Unsigned parts are encoded anew: the
 * certificates in the order of their path without the root, and nothing else.
 * @throws ReplyRefused
 */
export function judgeReply(bytes: Uint8Array, query: TimestampQuery): OutsideToken {
  try {
    return judge(bytes, query);
  } catch (error) {
    if (error instanceof ReplyRefused) throw error;
    throw new ReplyRefused('malformed');
  }
}

function judge(bytes: Uint8Array, query: TimestampQuery): OutsideToken {
  const token = inOrder(readCms(tokenIn(bytes)), query.roots);
  const judged = judgeToken(token, query.imprint);
  if ('fault' in judged) throw new ReplyRefused('token');
  judgeInfo(judged.token, judged.at, query);
  const root = outsideRootOf(judged.token, query.roots, judged.at);
  if (!root) throw new ReplyRefused('chain');
  return { token, at: judged.at, path: judged.token.certificates, root };
}

/**
 * Returns the outside authority's root that a token leads to; null if it leads to none of these.
 */
export function outsideRootOf(
  token: ReadCms,
  roots: readonly X509Certificate[],
  at: Date,
): X509Certificate | null {
  const usage = { purpose: purposes.timeStamping, at, isOutside: true };
  const found = validPathsOf(token, roots, usage);
  return 'fault' in found ? null : (found[0]?.root ?? null);
}

/** Returns the token, if the status grants one. */
function tokenIn(bytes: Uint8Array): Buffer {
  const rest = childrenOf(readElement(bytes, tags.sequence).contents);
  const [status] = childrenOf(take(rest, tags.sequence).contents);
  if (status?.tag !== tags.integer || status.contents.length !== 1) {
    throw new MalformedDer('no status');
  }
  if (!granted.has(status.contents[0] ?? -1)) throw new ReplyRefused('refused');
  const token = take(rest, tags.sequence);
  if (rest.length > 0) throw new MalformedDer('more than a reply');
  return Buffer.from(token.whole);
}

/**
 * Encodes the SignedData with its certificates as a path, its signature in low-S form and no
 * unsigned attributes. Authorities may send either form of a signature.
 */
function inOrder(cms: ReadCms, roots: readonly X509Certificate[]): Buffer {
  const path = [cms.signer];
  for (;;) {
    const top = path.at(-1);
    // A cross-certificate above a certificate that a root issued is not on the path.
    if (!top || roots.some((root) => isCertifiedBy(top, root))) break;
    const next = cms.certificates.find((one) => !path.includes(one) && isCertifiedBy(top, one));
    if (!next || next.subject === next.issuer) break;
    path.push(next);
  }
  const signature = lowS(cms.signature, cms.signer.publicKey);
  const certificates = path.map(({ raw }) => raw);
  return encodeSignedData({ ...cms, signature, certificates, unsigned: [] });
}

/** Judges the TSTInfo, its members in their order. */
function judgeInfo({ content }: ReadCms, at: Date, query: TimestampQuery): void {
  const rest = childrenOf(readElement(content ?? Buffer.of(), tags.sequence).contents);
  if (take(rest, tags.integer).contents.join() !== '1') throw new ReplyRefused('version');
  const policy = oidOf(take(rest, tags.oid).contents);
  if (query.policy !== null && policy !== query.policy) throw new ReplyRefused('policy');
  judgeImprint(take(rest, tags.sequence));
  take(rest, tags.integer);
  take(rest, tags.generalizedTime);
  const aheadMs = at.getTime() - query.now.getTime();
  if (!(-behindMsMax <= aheadMs && aheadMs <= aheadMsMax)) throw new ReplyRefused('time');
  takeIf(rest, tags.sequence);
  takeIf(rest, tags.boolean);
  const nonce = takeIf(rest, tags.integer);
  if (!nonce || !Buffer.from(nonce.whole).equals(query.nonce)) throw new ReplyRefused('nonce');
  takeIf(rest, 0xa0);
  const extensions = takeIf(rest, 0xa1);
  if (extensions && childrenOf(extensions.contents).some(isCritical)) {
    throw new ReplyRefused('extension');
  }
  if (rest.length > 0) throw new MalformedDer('more than a TSTInfo');
}

/** The algorithm must match: the same bytes under another one are the imprint of other data. */
function judgeImprint({ contents }: Element): void {
  const [named] = childrenOf(contents);
  const [hash] = childrenOf(named?.contents ?? Buffer.of());
  if (!hash || oidOf(hash.contents) !== oids.sha256) throw new ReplyRefused('imprint');
}

const isCritical = ({ contents }: Element): boolean =>
  childrenOf(contents).some(({ tag, contents: [octet] }) => tag === tags.boolean && octet !== 0);
