import { z } from 'zod';
import { parseFileOf, readFileOf, type Understood } from '../evidence/file.ts';
import { androidAssertionFile, androidAttestationFile } from '../proofs/device/android/evidence.ts';
import {
  appleAssertionFile,
  appleAttestationFile,
  appleReceiptFile,
} from '../proofs/device/apple/evidence.ts';
import { playIntegrityFile } from '../proofs/device/play/evidence.ts';
import { deviceRecallFile } from '../proofs/device/recall-evidence.ts';
import { aamvaFile, documentImageFile } from '../proofs/document/evidence.ts';
import { faceClaimFile, faceMatchFile } from '../proofs/face/evidence.ts';
import { mrzFile } from '../proofs/mrz/evidence.ts';
import { emrtdFile } from '../proofs/passport/evidence.ts';
import { smsCodeFile } from '../proofs/phone/evidence.ts';

/** The files of all proofs, by kind. */
const anyFile = z.discriminatedUnion('kind', [
  androidAttestationFile,
  androidAssertionFile,
  emrtdFile,
  mrzFile,
  appleAttestationFile,
  appleAssertionFile,
  appleReceiptFile,
  playIntegrityFile,
  deviceRecallFile,
  smsCodeFile,
  aamvaFile,
  documentImageFile,
  faceClaimFile,
  faceMatchFile,
]);
export type EvidenceFile = Understood<z.output<typeof anyFile>>;

/** The kinds of evidence files. */
export const evidenceKinds: ReadonlySet<unknown> = new Set(
  anyFile.options.map(({ shape }) => shape.kind.value),
);

/**
 * Reads an evidence file.
 * @throws `EvidenceFileError` with a one-line message
 */
export const readEvidenceFile = (content: Uint8Array): EvidenceFile => readFileOf(anyFile, content);

/**
 * Validates the content of an evidence file.
 * @throws `EvidenceFileError` with a one-line message
 */
export const parseEvidence = (value: unknown): EvidenceFile => parseFileOf(anyFile, value);
