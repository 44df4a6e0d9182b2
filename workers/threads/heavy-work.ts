import { renderAffidavit } from '../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../activities/affidavit/verify.ts';
import { renderReport } from '../../activities/meetings/report/report-pages.ts';
import { takeDocument } from '../../activities/proofs/document/read.ts';
import { takePhoto } from '../../activities/proofs/face/photo.ts';
import { takeFaces } from '../../activities/proofs/face/read.ts';
import { takeLogo } from '../../activities/proofs/images/normalize-image.ts';

/**
 * CPU-bound work. Arguments and results can be copied between threads, and contain no private key:
 * the main thread holds the signer and seals.
 */
export interface HeavyWork {
  readonly renderAffidavit: typeof renderAffidavit;
  readonly verifyAffidavit: typeof verifyAffidavit;
  readonly renderReport: typeof renderReport;
  readonly takeDocument: typeof takeDocument;
  readonly takeFaces: typeof takeFaces;
  readonly takePhoto: typeof takePhoto;
  readonly takeLogo: typeof takeLogo;
}

/** Runs the work in the current thread. */
export const doneHere: HeavyWork = {
  renderAffidavit,
  verifyAffidavit,
  renderReport,
  takeDocument,
  takeFaces,
  takePhoto,
  takeLogo,
};
