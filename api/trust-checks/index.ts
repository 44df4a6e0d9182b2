import { family } from '../http/contract.ts';
import { begin } from './begin/begin.ts';
import { open } from './begin/open.ts';
import { pair } from './begin/pair.ts';
import { sendCode } from './code/send-code.ts';
import { consent } from './consent.ts';
import { trustCheckContracts } from './contract.ts';
import { renewPairToken } from './hand-over/pair-tokens.ts';
import { sendLink } from './hand-over/send-link.ts';
import { events } from './read/events.ts';
import { evidence } from './read/evidence.ts';
import { get } from './read/get.ts';
import { list } from './read/list.ts';
import { redact } from './review/redact.ts';
import { review } from './review/review.ts';
import { revoke } from './review/revoke.ts';
import { cancel, retry } from './cancel-and-retry.ts';
import { submitProof } from './submit/submit-proof.ts';
import { upload } from './submit/upload.ts';

export const trustChecks = family('trust-checks', trustCheckContracts, {
  begin,
  list,
  get,
  open,
  pair,
  pairToken: renewPairToken,
  handOver: sendLink,
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
