/** Reasons why a message did not arrive. Each provider's own codes map to these. */
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

/** Texts for the person who waits for a code. */
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

/** Whether another message to the same number is futile. Other reasons may pass. */
export const isLasting = (reason: SmsReason): boolean =>
  reason === 'invalid_number' || reason === 'landline';

/**
 * Twilio's error codes (twilio.com/docs/api/errors): from 21000 in responses, from 30000 in
 * delivery reports. Faults of our account or sender are not included.
 */
const byTwilioCode: ReadonlyMap<number, SmsReason> = new Map([
  // Not valid, a short code, our own number, not a number, an unknown handset.
  ...of('invalid_number', [21_211, 21_217, 21_265, 21_266, 21_421, 30_005]),
  ...of('landline', [21_614, 21_635, 30_006]),
  // The recipient replied STOP, or the handset is barred.
  ...of('blocked', [21_610, 30_004]),
  ...of('unreachable', [21_214, 21_612, 30_003]),
  // A disabled region, or a number that a trial account has not verified.
  ...of('not_served', [21_408, 21_608]),
  // Filtered by the carrier, or by Twilio as suspected SMS pumping: for hours at most.
  ...of('filtered', [30_007, 30_450, 30_453]),
  ...of('expired', [30_036]),
  ...of('rate_limited', [14_107, 20_429, 21_611, 30_001, 30_022, 63_038]),
  ...of('unknown', [30_008]),
]);

function of(reason: SmsReason, codes: readonly number[]): [number, SmsReason][] {
  return codes.map((code) => [code, reason]);
}

/** Returns the reason for a Twilio code, or null if the code does not concern the recipient. */
export const reasonOfTwilio = (code: number): SmsReason | null => byTwilioCode.get(code) ?? null;
