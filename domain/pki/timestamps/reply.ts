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

/** How far the clock of an authority may be behind ours, and before it: that is waited for. */
const behindMsMax = 5 * 60_000;
const aheadMsMax = 2_000;
/** PKIStatus (RFC 3161 §2.4.2): granted, and granted with modifications. */
const granted: ReadonlySet<number> = new Set([0, 1]);

/** Why a reply is not used; `refused` is the authority's own word. */
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

/** A reply that is not used. */
export class ReplyRefused extends Error {
  override readonly name = 'ReplyRefused';
  readonly fault: ReplyFault;
  constructor(fault: ReplyFault) {
    super(`the reply is not used: ${fault}`);
    this.fault = fault;
  }
}

/** What a reply has to answer. */
export interface TimestampQuery {
  /** SHA-256. */
  readonly imprint: Buffer;
  /** INTEGER, DER. */
  readonly nonce: Uint8Array;
  /** The policy it has to be under; null for any. */
  readonly policy: string | null;
  /** Of this authority. */
  readonly roots: readonly X509Certificate[];
  readonly now: Date;
}

/** A good token of an authority outside. */
export interface OutsideToken {
  /** DER. */
  readonly token: Buffer;
  readonly at: Date;
  /** The certificates on the way to its root, the signer's first. */
  readonly path: readonly X509Certificate[];
  readonly root: X509Certificate;
}

/**
 * The time-stamp token of a reply (TimeStampResp, RFC 3161 §2.4.2), judged in the order of that
 * clause, its chain leading to the roots of the authority. What nobody signed is written anew: the
 * certificates stand in the order of their path, the root left out, and nothing stands beside.
 * @throws ReplyRefused
 */
export function judgeReply(bytes: Uint8Array, asked: TimestampQuery): OutsideToken {
  try {
    return judge(bytes, asked);
  } catch (error) {
    if (error instanceof ReplyRefused) throw error;
    throw new ReplyRefused('malformed');
  }
}

function judge(bytes: Uint8Array, asked: TimestampQuery): OutsideToken {
  const token = inOrder(readCms(tokenIn(bytes)), asked.roots);
  const judged = judgeToken(token, asked.imprint);
  if ('fault' in judged) throw new ReplyRefused('token');
  judgeInfo(judged.token, judged.at, asked);
  const root = outsideRootOf(judged.token, asked.roots, judged.at);
  if (!root) throw new ReplyRefused('chain');
  return { token, at: judged.at, path: judged.token.certificates, root };
}

/** The root of an authority outside that a token leads to; null where it leads to none of these. */
export function outsideRootOf(
  token: ReadCms,
  roots: readonly X509Certificate[],
  at: Date,
): X509Certificate | null {
  const usage = { purpose: purposes.timeStamping, at, isOutside: true };
  const found = validPathsOf(token, roots, usage);
  return 'fault' in found ? null : (found[0]?.root ?? null);
}

/** The token, where the status says that there is one. */
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
 * The SignedData with its certificates as a path, its signature in low-S form and no unsigned
 * attributes. Authorities may send either form of a signature.
 */
function inOrder(cms: ReadCms, roots: readonly X509Certificate[]): Buffer {
  const path = [cms.signer];
  for (;;) {
    const top = path.at(-1);
    // A cross-certificate above what a root certifies itself is not on the way.
    if (!top || roots.some((root) => isCertifiedBy(top, root))) break;
    const next = cms.certificates.find((one) => !path.includes(one) && isCertifiedBy(top, one));
    if (!next || next.subject === next.issuer) break;
    path.push(next);
  }
  const signature = lowS(cms.signature, cms.signer.publicKey);
  const certificates = path.map(({ raw }) => raw);
  return encodeSignedData({ ...cms, signature, certificates, unsigned: [] });
}

/** TSTInfo, its members in their order. */
function judgeInfo({ content }: ReadCms, at: Date, asked: TimestampQuery): void {
  const rest = childrenOf(readElement(content ?? Buffer.of(), tags.sequence).contents);
  if (take(rest, tags.integer).contents.join() !== '1') throw new ReplyRefused('version');
  const policy = oidOf(take(rest, tags.oid).contents);
  if (asked.policy !== null && policy !== asked.policy) throw new ReplyRefused('policy');
  judgeImprint(take(rest, tags.sequence));
  take(rest, tags.integer);
  take(rest, tags.generalizedTime);
  const aheadMs = at.getTime() - asked.now.getTime();
  if (!(-behindMsMax <= aheadMs && aheadMs <= aheadMsMax)) throw new ReplyRefused('time');
  takeIf(rest, tags.sequence);
  takeIf(rest, tags.boolean);
  const nonce = takeIf(rest, tags.integer);
  if (!nonce || !Buffer.from(nonce.whole).equals(asked.nonce)) throw new ReplyRefused('nonce');
  takeIf(rest, 0xa0);
  const extensions = takeIf(rest, 0xa1);
  if (extensions && childrenOf(extensions.contents).some(isCritical)) {
    throw new ReplyRefused('extension');
  }
  if (rest.length > 0) throw new MalformedDer('more than a TSTInfo');
}

/** The same bytes under another algorithm are the imprint of something else. */
function judgeImprint({ contents }: Element): void {
  const [named] = childrenOf(contents);
  const [hash] = childrenOf(named?.contents ?? Buffer.of());
  if (!hash || oidOf(hash.contents) !== oids.sha256) throw new ReplyRefused('imprint');
}

const isCritical = ({ contents }: Element): boolean =>
  childrenOf(contents).some(({ tag, contents: [octet] }) => tag === tags.boolean && octet !== 0);
