import { family } from '../contract.ts';
import { begin } from './begin.ts';
import { consent } from './consent.ts';
import { trustCheckContracts } from './contract.ts';
import { events } from './events.ts';
import { evidence } from './evidence.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { open } from './open.ts';
import { pair } from './pair.ts';
import { redact } from './redact.ts';
import { review } from './review.ts';
import { revoke } from './revoke.ts';
import { sendCode } from './send-code.ts';
import { cancel, retry } from './settle.ts';
import { submitProof } from './submit-proof.ts';
import { upload } from './upload.ts';

export const trustChecks = family('trust-checks', trustCheckContracts, {
  begin,
  list,
  get,
  open,
  pair,
  consent,
  sendCode,
  upload,
  submitProof,
  retry,
  cancel,
  review,
  events,
  evidence,
  revoke,
  redact,
});
