import { createHash, type X509Certificate } from 'node:crypto';
import type { PDFDocument } from 'pdf-lib';
import type { ReadCms } from '../../pki/cms/read-cms.ts';
import type { Check } from '../../proofs/verdict.ts';
import type { Capture } from '../../names.ts';
import { canonicalJson, type AffidavitContent } from '../content.ts';
import type { VerifyReason } from '../reasons.ts';

/** What a signature amounts to (EN 319 142-1 §6). */
export type PadesLevel = 'PAdES-B-B' | 'PAdES-B-T' | 'PAdES-B-LTA';

export interface AffidavitVerdict {
  readonly result: 'valid' | 'invalid' | 'indeterminate';
  /** The reason code of the first check that failed; null when valid. */
  readonly reason_code: VerifyReason | null;
  readonly checks: readonly Check[];
  readonly facts: {
    readonly affidavit_id?: string;
    readonly outcome?: string;
    readonly livemode?: boolean;
    /** Whether it was made where simulated evidence is taken: it proves nothing of a person. */
    readonly development?: boolean;
    /**
     * The renderer the affidavit names; who has that one can tell whether its pages are its own.
     */
    readonly renderer?: string;
    readonly sealed_at?: string;
    /**
     * When a file whose seal nobody stamped was there, as the public log has it: told where a proof
     * of the log was held against it.
     */
    readonly logged_at?: string;
    /** What its signature amounts to (EN 319 142-1 §6). */
    readonly pades_level?: PadesLevel;
    /** When the last time stamp was put over the whole file. */
    readonly archived_at?: string;
    /**
     * Of the file as it was before each archive that was added to it, hex: one of them is what the
     * public log knows of a file that was archived later.
     */
    readonly earlier_sha256?: readonly string[];
    /** When the first certificate of its last time stamp ends. */
    readonly proven_until?: string;
    readonly signer?: string;
    readonly root_sha256?: string;
    /** The key of the public log that the attachment names, as a C2SP `name+id+key`. */
    readonly log_key?: string;
    /** Of the attachment. */
    readonly json_sha256?: string;
    /** By proof, the hash of the evidence it was judged on. */
    readonly evidence?: Readonly<Record<string, string>>;
    /** What captured each proof that was tried. */
    readonly captures?: Readonly<Record<string, Capture>>;
    /** Of the file as it was issued, without a line end that was added at its very end. */
    readonly sha256: string;
  };
}

/** A hole in a file, its angle brackets included. */
export interface SignatureGap {
  readonly start: number;
  readonly end: number;
}

/** Revisions after the seal that end in a document time stamp, and what was read of them. */
export interface Archive {
  /** Where the revision before them ends: the seal's own, or that of the archive before. */
  readonly from: number;
  /** Where the time stamp's revision ends. */
  readonly endsAt: number;
  readonly hole: SignatureGap;
  token: ReadCms | null;
  stampedAt: Date | null;
  /** The pinned root that its time stamp leads to. */
  root: X509Certificate | null;
}

/** What the checks before have found of a file. */
export interface State {
  pdf: Buffer;
  /** CRLs of today that were given with the file, DER. */
  readonly lists: readonly Uint8Array[];
  hole: SignatureGap | null;
  seal: ReadCms | null;
  token: ReadCms | null;
  /**
   * When the seal was there already: by its own time stamp, or else by the first over the whole
   * file; null where neither proves it.
   */
  sealedAt: Date | null;
  /** Whether the seal was made without a time stamp: no authority answered. */
  isUnstamped: boolean;
  /** What was added after the seal, each over all before it; none where nothing was. */
  archives: readonly Archive[];
  /** The sealed revision, read; null before that. */
  document: PDFDocument | null;
  /** When the first certificate of the last time stamp's chain ends. */
  stampEndsAt: Date | null;
  root: X509Certificate | null;
  /** Roots of outside authorities, for the time stamp of the seal alone. */
  readonly tsaRoots: readonly X509Certificate[];
  /** That of the outside authority which stamped the seal; null where ours did, or none. */
  stampRoot: X509Certificate | null;
  renderer: string | null;
  content: AffidavitContent | null;
}

/** What one check says. */
export type Answer =
  | 'ok'
  /** It is fine, and something about it is worth knowing. */
  | { readonly remark: string }
  | { readonly skipped: string }
  | { readonly fault: VerifyReason; readonly isUnknown?: boolean };
/** An earlier check failed, so the data for this one is missing. */
export const notRead = { skipped: 'not checked, because an earlier check failed' } as const;
export type Rule = (
  state: State,
  roots: readonly X509Certificate[],
  at: Date,
) => Answer | Promise<Answer>;

/** What is told of a file besides its verdict. */
export function factsOf(state: State): AffidavitVerdict['facts'] {
  const { content, renderer, sealedAt, seal, root, archives, pdf } = state;
  const [archivedAt, endsAt] = [archives.at(-1)?.stampedAt, state.stampEndsAt];
  const level = levelOf(state);
  return {
    sha256: hashOf(pdf),
    ...(content
      ? {
          affidavit_id: content.affidavit_id,
          outcome: content.decision.outcome,
          livemode: content.livemode,
          development: content.development,
          log_key: content.log.key,
          json_sha256: createHash('sha256').update(canonicalJson(content)).digest('hex'),
          evidence: Object.fromEntries(
            content.proofs.flatMap(({ type, evidence_sha256: hash }) =>
              hash ? [[type, hash]] : [],
            ),
          ),
          captures: Object.fromEntries(
            content.proofs.flatMap(({ type, capture }) => (capture ? [[type, capture]] : [])),
          ),
        }
      : {}),
    ...(renderer ? { renderer } : {}),
    ...(sealedAt ? { sealed_at: sealedAt.toISOString() } : {}),
    ...(level ? { pades_level: level } : {}),
    ...(archivedAt ? { archived_at: archivedAt.toISOString() } : {}),
    ...(archivedAt
      ? { earlier_sha256: archives.map(({ from }) => hashOf(pdf.subarray(0, from))) }
      : {}),
    ...(endsAt ? { proven_until: endsAt.toISOString() } : {}),
    ...(seal ? { signer: seal.signer.subject } : {}),
    ...(root ? { root_sha256: createHash('sha256').update(root.raw).digest('hex') } : {}),
  };
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Null where the time stamps that make it one were not good. */
function levelOf({ token, archives, isUnstamped }: State): PadesLevel | null {
  const isArchived = archives.length > 0;
  if (isUnstamped && !isArchived) return 'PAdES-B-B';
  if (!(token || isUnstamped) || archives.some((archive) => !archive.token)) return null;
  return isArchived ? 'PAdES-B-LTA' : 'PAdES-B-T';
}
