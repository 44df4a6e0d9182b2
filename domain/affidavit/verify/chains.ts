import type { X509Certificate } from 'node:crypto';
import { validPathsOf, type ValidPath } from '../../pki/cms/certification-paths.ts';
import type { ReadCms } from '../../pki/cms/read-cms.ts';
import { purposes } from '../../pki/x509/profile.ts';
import { notRead, type Answer, type Archive, type Rule, type State } from './verdict.ts';

/**
 * Checks that seal and time stamps lead to one pinned root, each over CAs that certify for its
 * purpose. Every certificate must be in force at the time stamp. The seal's time stamp may instead
 * lead to an outside authority's root, even if that root is not pinned for seals.
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
 * Checks that the first archive leads to the seal's root. Later ones may lead to another pinned
 * root, since archives outlive roots.
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

/** Returns the paths of an outside authority. Its roots are not trusted for seals. */
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
 * Checks a seal without a time stamp. With a time stamp over the whole file, it must lead to the
 * same pinned root and be in force at that stamp. Without one, its certificates must be in force at
 * the time of verification (EN 319 102-1 §5.3.4, OUT_OF_BOUNDS_NO_POE).
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

/** Returns the earliest time at which all its certificates were valid. */
const begunOf = ({ certificates }: ReadCms): Date =>
  new Date(Math.max(...certificates.map(({ validFromDate }) => validFromDate.getTime())));

const isAmong = (root: X509Certificate, paths: readonly ValidPath[]): boolean =>
  paths.some((one) => one.root.raw.equals(root.raw));

/** Returns the paths of the first document time stamp; null if there is no usable one. */
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
