/** Why a message did not arrive, in our words: providers number their reasons, each its own way. */
export const smsReasons = [
  'invalid_number',
  'landline',
  'blocked',
  'unreachable',
  'not_served',
  'filtered',
  'expired',
  'rate_limited',
  'unknown',
] as const;
export type SmsReason = (typeof smsReasons)[number];

/** What each of them means to whoever waits for a code. */
export const smsReasonWords: Readonly<Record<SmsReason, string>> = {
  invalid_number: 'The number is not in use',
  landline: 'The number is of a line that takes no text messages',
  blocked: 'The number refuses messages from us',
  unreachable: 'The phone cannot be reached now',
  not_served: 'Numbers like this one get no messages from here',
  filtered: 'The message was held back on its way',
  expired: 'The message came too late to be passed on',
  rate_limited: 'Too many messages are under way',
  unknown: 'The message did not arrive',
};

/** Whether another message to the same number is futile. What may pass is worth another. */
export const isLasting = (reason: SmsReason): boolean =>
  reason === 'invalid_number' || reason === 'landline';

/**
 * The provider's numbers (twilio.com/docs/api/errors): from 21000 what it answers to a message,
 * from 30000 what it reports of one it took. Faults of our account or sender are none of these.
 */
const byTwilioCode: ReadonlyMap<number, SmsReason> = new Map([
  // Not valid, a short code, our own number, not a number, a handset that is not known.
  ...of('invalid_number', [21_211, 21_217, 21_265, 21_266, 21_421, 30_005]),
  ...of('landline', [21_614, 21_635, 30_006]),
  // Answered STOP, or the handset is barred.
  ...of('blocked', [21_610, 30_004]),
  ...of('unreachable', [21_214, 21_612, 30_003]),
  // A region that is closed, a number a trial has not verified.
  ...of('not_served', [21_408, 21_608]),
  // By the carrier, or by the provider where it takes traffic for pumped: for hours at most.
  ...of('filtered', [30_007, 30_450, 30_453]),
  ...of('expired', [30_036]),
  ...of('rate_limited', [14_107, 20_429, 21_611, 30_001, 30_022, 63_038]),
  ...of('unknown', [30_008]),
]);

function of(reason: SmsReason, codes: readonly number[]): [number, SmsReason][] {
  return codes.map((code) => [code, reason]);
}

/** The reason for a number of the provider's; null for one that says nothing of the receiver. */
export const reasonOfTwilio = (code: number): SmsReason | null => byTwilioCode.get(code) ?? null;
