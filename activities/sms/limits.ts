import { isSupportedCountry } from 'libphonenumber-js/max';
import { z } from 'zod';

const most = z.coerce.number().int().min(1).max(10_000_000).optional();

/** How many text messages may be sent at most: against flooding a phone, and against pumping. */
export const smsLimitsConfig = z.object({
  /** To one number in an hour, over all sessions and accounts. */
  SMS_PER_NUMBER_HOURLY_MAX: most,
  /** To the ten thousand numbers that share all but the last four digits, in an hour. */
  SMS_PER_RANGE_HOURLY_MAX: most,
  /** For one account, in an hour and in a day. */
  SMS_PER_ACCOUNT_HOURLY_MAX: most,
  SMS_PER_ACCOUNT_DAILY_MAX: most,
  /** The only countries whose numbers get codes, by ISO 3166-1: `DE,FR,US`. */
  SMS_COUNTRIES: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim().toUpperCase()))
    .refine((names) => names.every((name) => isSupportedCountry(name)), {
      message: 'two-letter countries, separated by commas',
    })
    .optional(),
});

export interface SmsLimits {
  readonly perNumberHourly: number;
  readonly perRangeHourly: number;
  readonly perAccountHourly: number;
  readonly perAccountDaily: number;
  /** The countries whose numbers get codes; null where all do. */
  readonly countries: ReadonlySet<string> | null;
}

const byProfile = {
  production: {
    perNumberHourly: 10,
    perRangeHourly: 60,
    perAccountHourly: 1_000,
    perAccountDaily: 10_000,
  },
  // Nothing is sent there but to the outbox, and one number is tried again and again.
  development: {
    perNumberHourly: 600,
    perRangeHourly: 100_000,
    perAccountHourly: 100_000,
    perAccountDaily: 1_000_000,
  },
} as const;

/** The limits as they are set, each by the profile where it is not. */
export function smsLimitsOf(
  config: z.output<typeof smsLimitsConfig> & { PROFILE: 'development' | 'production' },
): SmsLimits {
  const usual = byProfile[config.PROFILE];
  return {
    perNumberHourly: config.SMS_PER_NUMBER_HOURLY_MAX ?? usual.perNumberHourly,
    perRangeHourly: config.SMS_PER_RANGE_HOURLY_MAX ?? usual.perRangeHourly,
    perAccountHourly: config.SMS_PER_ACCOUNT_HOURLY_MAX ?? usual.perAccountHourly,
    perAccountDaily: config.SMS_PER_ACCOUNT_DAILY_MAX ?? usual.perAccountDaily,
    countries: config.SMS_COUNTRIES ? new Set(config.SMS_COUNTRIES) : null,
  };
}
