import { renderAffidavit } from '../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../activities/affidavit/verify.ts';
import { renderReport } from '../../activities/meetings/report/report-pages.ts';
import { takeDocument } from '../../activities/proofs/document/read.ts';
import { takePhoto } from '../../activities/proofs/face/photo.ts';
import { takeFaces } from '../../activities/proofs/face/read.ts';
import { takeLogo } from '../../activities/proofs/images/normalize-image.ts';

/**
 * What keeps a processor busy for long. It takes and gives only what can be copied from one thread
 * to another, and no private key: sealing stays with who holds the signer.
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

/** The work, done where it is asked for. */
export const doneHere: HeavyWork = {
  renderAffidavit,
  verifyAffidavit,
  renderReport,
  takeDocument,
  takeFaces,
  takePhoto,
  takeLogo,
};
