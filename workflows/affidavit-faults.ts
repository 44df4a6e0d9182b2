/** Affidavit faults that retries cannot fix. An unavailable service has other codes. */
export const affidavitFaults = ['affidavit_invalid', 'affidavit_unmakeable'] as const;
export type AffidavitFault = (typeof affidavitFaults)[number];
