import { z } from 'zod';
import { parseFileOf, readFileOf, type Understood } from '../evidence/file.ts';
import { verifyLater, verifyNow, type Verifier } from '../evidence/verify.ts';
import {
  androidAssertionFile,
  androidAttestationFile,
  verifyAndroidAssertionFile,
  verifyAndroidAttestationFile,
} from '../proofs/device/android/evidence.ts';
import {
  appleAssertionFile,
  appleAttestationFile,
  appleReceiptFile,
  verifyAppleAssertionFile,
  verifyAppleAttestationFile,
  verifyAppleReceiptFile,
} from '../proofs/device/apple/evidence.ts';
import { playIntegrityFile, verifyPlayFile } from '../proofs/device/play/evidence.ts';
import { deviceRecallFile, verifyRecallFile } from '../proofs/device/recall-evidence.ts';
import {
  aamvaFile,
  documentImageFile,
  verifyAamvaFile,
  verifyDocumentFile,
  type DocumentReader,
} from '../proofs/document/evidence.ts';
import {
  faceClaimFile,
  faceMatchFile,
  verifyFaceClaimFile,
  verifyFaceFile,
  type FaceReader,
} from '../proofs/face/evidence.ts';
import { mrzFile, verifyMrzFile } from '../proofs/mrz/evidence.ts';
import { emrtdFile, verifyEmrtdFile } from '../proofs/passport/evidence.ts';
import { smsCodeFile, verifySmsFile } from '../proofs/phone/evidence.ts';
import type { Verdict } from '../proofs/verdict.ts';

/** The files of all proofs, by their kind. */
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

/** Reads the images of a file: the same images give the same reading. */
export type ImageReaders = DocumentReader & FaceReader;

type Kind = EvidenceFile['kind'];
type Files = { readonly [Each in Kind]: Extract<EvidenceFile, { kind: Each }> };

/** What judges each kind, in a live check and in an audit alike. */
const verifiers: { readonly [Each in Kind]: Verifier<Files[Each], ImageReaders> } = {
  'android-key-attestation': { judge: verifyAndroidAttestationFile },
  'android-assertion': { judge: verifyAndroidAssertionFile },
  emrtd: { judge: verifyEmrtdFile, isJudgedWithoutImages: true },
  mrz: { judge: verifyMrzFile },
  'apple-attestation': { judge: verifyAppleAttestationFile },
  'apple-assertion': { judge: verifyAppleAssertionFile },
  'apple-receipt': { judge: verifyAppleReceiptFile },
  'play-integrity': { open: verifyPlayFile },
  'device-recall': { judge: verifyRecallFile },
  'sms-code': { judge: verifySmsFile },
  aamva: { judge: verifyAamvaFile },
  'document-image': { read: verifyDocumentFile },
  'face-claim': { judge: verifyFaceClaimFile },
  'face-match': { read: verifyFaceFile },
};

/** The kinds of evidence files. */
export const evidenceKinds: ReadonlySet<unknown> = new Set(Object.keys(verifiers));

/** Reads an evidence file. Throws `EvidenceFileError` with one clear line. */
export const readEvidenceFile = (content: Uint8Array): EvidenceFile => readFileOf(anyFile, content);

/** Understands what an evidence file holds. Throws `EvidenceFileError` with one clear line. */
export const parseEvidence = (value: unknown): EvidenceFile => parseFileOf(anyFile, value);

/** As `verifyNow`, by the verifier of the file's kind. */
export const verifyEvidence = (file: EvidenceFile): Verdict => verifyKind(file.kind, file);

function verifyKind<Each extends Kind>(kind: Each, file: Files[Each]): Verdict {
  return verifyNow(file, verifiers[kind]);
}

/** As `verifyLater`, by the verifier of the file's kind. */
export const verifyAnyEvidence = (file: EvidenceFile, readers?: ImageReaders): Promise<Verdict> =>
  verifyAnyKind(file.kind, file, readers);

function verifyAnyKind<Each extends Kind>(
  kind: Each,
  file: Files[Each],
  readers: ImageReaders | undefined,
): Promise<Verdict> {
  return verifyLater(file, verifiers[kind], readers);
}
