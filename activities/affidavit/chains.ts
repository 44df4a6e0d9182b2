import type { X509Certificate } from 'node:crypto';
import { purposes } from '../certificates/profile.ts';
import { goodPathsOf, type GoodPath } from './paths.ts';
import type { ReadCms } from './read-cms.ts';
import { notRead, type Answer, type Rule, type State } from './verdict.ts';

/**
 * Seal and time stamps lead to one pinned root, each over CAs that certify for its purpose, and
 * every certificate was in force at the time stamp. The stamp of the seal may lead to a root of an
 * outside authority in its place.
 */
export const checkChains: Rule = (state, roots, at) => {
  const { seal, token, sealedAt } = state;
  if (seal && state.isUnstamped) return checkUnstampedChains(state, seal, roots, at);
  if (!seal || !token || !sealedAt) return notRead;
  if (sealedAt > at) return { fault: 'timestamp_in_future', isUnknown: true };
  const ofSeal = goodPathsOf(seal, roots, { purpose: purposes.documentSigning, at: sealedAt });
  const ofStamp = goodPathsOf(token, roots, { purpose: purposes.timeStamping, at: sealedAt });
  const [outside] = 'fault' in ofStamp ? outsidePathsOf(token, state.tsaRoots, sealedAt) : [];
  if (outside) return checkOutside(state, { outside, ofSeal, roots, at });
  if ('fault' in ofSeal) return 'fault' in ofStamp && 'isUnknown' in ofSeal ? ofStamp : ofSeal;
  if ('fault' in ofStamp) return ofStamp;
  const ofArchive = archivePathsOf(state, roots, at) ?? ofStamp;
  if ('fault' in ofArchive) return ofArchive;
  const common = ofArchive.find(({ root }) => isAmong(root, ofSeal) && isAmong(root, ofStamp));
  if (!common) return { fault: 'chain' };
  state.root = common.root;
  state.stampEndsAt = common.endsAt;
  return 'ok';
};

/** Of an authority outside, whose roots say nothing of seals. */
function outsidePathsOf(
  token: ReadCms,
  tsaRoots: readonly X509Certificate[],
  at: Date,
): readonly GoodPath[] {
  const usage = { purpose: purposes.timeStamping, at, isOutside: true };
  const found = goodPathsOf(token, tsaRoots, usage);
  return 'fault' in found ? [] : found;
}

interface OutsideStamp {
  readonly outside: GoodPath;
  readonly ofSeal: ReturnType<typeof goodPathsOf>;
  readonly roots: readonly X509Certificate[];
  readonly at: Date;
}

function checkOutside(state: State, { outside, ofSeal, roots, at }: OutsideStamp): Answer {
  if ('fault' in ofSeal) return ofSeal;
  const ofArchive = archivePathsOf(state, roots, at);
  if (ofArchive && 'fault' in ofArchive) return ofArchive;
  const common = (ofArchive ?? ofSeal).find(({ root }) => isAmong(root, ofSeal));
  if (!common) return { fault: 'chain' };
  state.root = common.root;
  state.stampRoot = outside.root;
  state.stampEndsAt = ofArchive ? common.endsAt : outside.endsAt;
  return 'ok';
}

/**
 * A seal without a time stamp leads to the pinned root of the time stamp over the whole file, in
 * force when that was given; with neither it counts while its own certificates are in force, at the
 * instant it is verified at (EN 319 102-1 §5.3.4, OUT_OF_BOUNDS_NO_POE).
 */
function checkUnstampedChains(
  state: State,
  seal: ReadCms,
  roots: readonly X509Certificate[],
  at: Date,
): Answer {
  if (state.archive && !state.sealedAt) return notRead;
  const ofArchive = archivePathsOf(state, roots, at);
  if (ofArchive && 'fault' in ofArchive) return ofArchive;
  const usage = { purpose: purposes.documentSigning, at: state.sealedAt ?? at };
  const ofSeal = goodPathsOf(seal, roots, usage);
  if ('fault' in ofSeal) {
    const wasGood =
      !ofArchive && !('fault' in goodPathsOf(seal, roots, { ...usage, at: begunOf(seal) }));
    return wasGood ? { fault: 'timestamp_missing', isUnknown: true } : ofSeal;
  }
  const common = (ofArchive ?? ofSeal).find(({ root }) => isAmong(root, ofSeal));
  if (!common) return { fault: 'chain' };
  state.root = common.root;
  state.stampEndsAt = common.endsAt;
  return 'ok';
}

/** The first instant at which all its certificates can have been in force. */
const begunOf = ({ certificates }: ReadCms): Date =>
  new Date(Math.max(...certificates.map(({ validFromDate }) => validFromDate.getTime())));

const isAmong = (root: X509Certificate, paths: readonly GoodPath[]): boolean =>
  paths.some((one) => one.root.raw.equals(root.raw));

/** The ways of the document time stamp, which is the last; null where there is none to follow. */
function archivePathsOf({ archive }: State, roots: readonly X509Certificate[], at: Date) {
  if (!archive?.token || !archive.stampedAt) return null;
  if (archive.stampedAt > at) return { fault: 'timestamp_in_future', isUnknown: true } as const;
  return goodPathsOf(archive.token, roots, {
    purpose: purposes.timeStamping,
    at: archive.stampedAt,
  });
}
