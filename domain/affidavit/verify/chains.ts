import type { X509Certificate } from 'node:crypto';
import { validPathsOf, type ValidPath } from '../../pki/cms/certification-paths.ts';
import type { ReadCms } from '../../pki/cms/read-cms.ts';
import { purposes } from '../../pki/x509/profile.ts';
import { notRead, type Answer, type Archive, type Rule, type State } from './verdict.ts';

/**
 * Seal and time stamps lead to one pinned root, each over CAs that certify for its purpose, and
 * every certificate was in force at the time stamp. The stamp of the seal may lead to a root of an
 * outside authority in its place, whether or not that is pinned for seals, too.
 */
export const checkChains: Rule = (state, roots, at) => {
  const { seal, token, sealedAt } = state;
  if (seal && state.isUnstamped) return checkUnstampedChains(state, seal, roots, at);
  if (!seal || !token || !sealedAt) return notRead;
  if (sealedAt > at) return { fault: 'timestamp_in_future', isUnknown: true };
  const ofSeal = validPathsOf(seal, roots, { purpose: purposes.documentSigning, at: sealedAt });
  const ofStamp = validPathsOf(token, roots, { purpose: purposes.timeStamping, at: sealedAt });
  const [outside] = isOfOneRoot(ofSeal, ofStamp)
    ? []
    : outsidePathsOf(token, state.tsaRoots, sealedAt);
  if (outside) return checkOutside(state, { outside, ofSeal, roots, at });
  if ('fault' in ofSeal) return 'fault' in ofStamp && 'isUnknown' in ofSeal ? ofStamp : ofSeal;
  if ('fault' in ofStamp) return ofStamp;
  const ofArchive = archivePathsOf(state, roots, at) ?? ofStamp;
  if ('fault' in ofArchive) return ofArchive;
  const common = ofArchive.find(({ root }) => isAmong(root, ofSeal) && isAmong(root, ofStamp));
  return ledBy(state, common, roots, at);
};

/**
 * The seal leads to this root, as the first archive does. A later one may lead to another that is
 * pinned: archives outlive roots.
 */
function ledBy(
  state: State,
  common: ValidPath | undefined,
  roots: readonly X509Certificate[],
  at: Date,
): Answer {
  if (!common) return { fault: 'chain' };
  const [first, ...later] = state.archives;
  if (first) first.root = common.root;
  let { endsAt } = common;
  for (const archive of later) {
    const paths = pathsOf(archive, roots, at);
    if (!paths) return notRead;
    if ('fault' in paths) return paths;
    const path = paths.find(({ root }) => root.raw.equals(common.root.raw)) ?? paths[0];
    if (!path) return { fault: 'chain' };
    archive.root = path.root;
    ({ endsAt } = path);
  }
  state.root = common.root;
  state.stampEndsAt = endsAt;
  return 'ok';
}

type Paths = ReturnType<typeof validPathsOf>;

const isOfOneRoot = (ofSeal: Paths, ofStamp: Paths): boolean =>
  !('fault' in ofStamp) && ('fault' in ofSeal || ofStamp.some(({ root }) => isAmong(root, ofSeal)));

/** Of an authority outside, whose roots say nothing of seals. */
function outsidePathsOf(
  token: ReadCms,
  tsaRoots: readonly X509Certificate[],
  at: Date,
): readonly ValidPath[] {
  const usage = { purpose: purposes.timeStamping, at, isOutside: true };
  const found = validPathsOf(token, tsaRoots, usage);
  return 'fault' in found ? [] : found;
}

interface OutsideStamp {
  readonly outside: ValidPath;
  readonly ofSeal: Paths;
  readonly roots: readonly X509Certificate[];
  readonly at: Date;
}

function checkOutside(state: State, { outside, ofSeal, roots, at }: OutsideStamp): Answer {
  if ('fault' in ofSeal) return ofSeal;
  const ofArchive = archivePathsOf(state, roots, at);
  if (ofArchive && 'fault' in ofArchive) return ofArchive;
  const common = (ofArchive ?? ofSeal).find(({ root }) => isAmong(root, ofSeal));
  const answer = ledBy(state, common, roots, at);
  if (answer !== 'ok') return answer;
  state.stampRoot = outside.root;
  if (!ofArchive) state.stampEndsAt = outside.endsAt;
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
  if (state.archives.length > 0 && !state.sealedAt) return notRead;
  const ofArchive = archivePathsOf(state, roots, at);
  if (ofArchive && 'fault' in ofArchive) return ofArchive;
  const usage = { purpose: purposes.documentSigning, at: state.sealedAt ?? at };
  const ofSeal = validPathsOf(seal, roots, usage);
  if ('fault' in ofSeal) {
    const wasGood =
      !ofArchive && !('fault' in validPathsOf(seal, roots, { ...usage, at: begunOf(seal) }));
    return wasGood ? { fault: 'timestamp_missing', isUnknown: true } : ofSeal;
  }
  const common = (ofArchive ?? ofSeal).find(({ root }) => isAmong(root, ofSeal));
  return ledBy(state, common, roots, at);
}

/** The first instant at which all its certificates can have been in force. */
const begunOf = ({ certificates }: ReadCms): Date =>
  new Date(Math.max(...certificates.map(({ validFromDate }) => validFromDate.getTime())));

const isAmong = (root: X509Certificate, paths: readonly ValidPath[]): boolean =>
  paths.some((one) => one.root.raw.equals(root.raw));

/** The ways of the first document time stamp; null where there is none to follow. */
const archivePathsOf = ({ archives }: State, roots: readonly X509Certificate[], at: Date) =>
  pathsOf(archives[0], roots, at);

function pathsOf(archive: Archive | undefined, roots: readonly X509Certificate[], at: Date) {
  if (!archive?.token || !archive.stampedAt) return null;
  if (archive.stampedAt > at) return { fault: 'timestamp_in_future', isUnknown: true } as const;
  return validPathsOf(archive.token, roots, {
    purpose: purposes.timeStamping,
    at: archive.stampedAt,
  });
}
