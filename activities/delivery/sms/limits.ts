import { isSupportedCountry } from 'libphonenumber-js/max';
import { z } from 'zod';
import { lineTypes, type NumberPolicy } from '../../../domain/proofs/phone/phone-number.ts';

const most = z.coerce.number().int().min(1).max(10_000_000).optional();

/** Limits on text messages, against flooding a phone and against SMS pumping. */
export const smsLimitsConfig = z.object({
  /** To one number in an hour, over all sessions and accounts. */
  SMS_PER_NUMBER_HOURLY_MAX: most,
  SMS_PER_NUMBER_DAILY_MAX: most,
  /** To the 10,000 numbers that share all but the last four digits, in an hour. */
  SMS_PER_RANGE_HOURLY_MAX: most,
  /** Requested from one IPv4 address or one IPv6 network, in an hour. */
  SMS_PER_NETWORK_HOURLY_MAX: most,
  /** For one account, in an hour and in a day. */
  SMS_PER_ACCOUNT_HOURLY_MAX: most,
  SMS_PER_ACCOUNT_DAILY_MAX: most,
  /** For all accounts together, in a day. It limits what the platform spends. */
  SMS_DAILY_MAX: most,
  /**
   * Minimum percentage of codes that must be entered correctly. It is measured per account and
   * country, for live checks, and over all accounts per million numbers. Below it, no codes are
   * sent there for six hours. 0 disables the check.
   */
  SMS_CONVERSION_PERCENT_MIN: z.coerce.number().int().min(0).max(100).optional(),
  /** Codes that must be sent before the percentage is checked. */
  SMS_CONVERSION_SENT_MIN: most,
  /** Only numbers of these countries get codes, by ISO 3166-1: `DE,FR,US`. */
  SMS_COUNTRIES: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim().toUpperCase()))
    .refine((names) => names.every((name) => isSupportedCountry(name)), {
      message: 'two-letter countries, separated by commas',
    })
    .optional(),
  /** Line types that get codes in addition to mobile: `voip,fixed_line`. */
  SMS_LINE_TYPES: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim().toLowerCase()))
    .pipe(
      z.array(z.enum(lineTypes, { message: `of ${lineTypes.join(', ')}, with commas between` })),
    )
    .optional(),
});

export interface SmsLimits {
  readonly perNumberHourly: number;
  readonly perNumberDaily: number;
  readonly perRangeHourly: number;
  readonly perNetworkHourly: number;
  readonly perAccountHourly: number;
  readonly perAccountDaily: number;
  /** For all accounts together. */
  readonly daily: number;
  readonly conversionPercentMin: number;
  readonly conversionSentMin: number;
  readonly numbers: NumberPolicy;
}

const byProfile = {
  production: {
    perNumberHourly: 5,
    perNumberDaily: 10,
    perRangeHourly: 60,
    // Offices and whole carriers share one address.
    perNetworkHourly: 120,
    perAccountHourly: 1_000,
    perAccountDaily: 10_000,
    daily: 20_000,
    // Most real people enter their code; for pumped messages almost no code is entered.
    conversionPercentMin: 10,
    conversionSentMin: 50,
  },
  // Development sends to the outbox only, and uses one number again and again.
  development: {
    perNumberHourly: 600,
    perNumberDaily: 10_000,
    perRangeHourly: 100_000,
    perNetworkHourly: 100_000,
    perAccountHourly: 100_000,
    perAccountDaily: 1_000_000,
    daily: 10_000_000,
    conversionPercentMin: 0,
    conversionSentMin: 50,
  },
} as const;

/** Returns the configured limits, with defaults by profile. */
export function smsLimitsOf(
  config: z.output<typeof smsLimitsConfig> & { PROFILE: 'development' | 'production' },
): SmsLimits {
  const usual = byProfile[config.PROFILE];
  return {
    perNumberHourly: config.SMS_PER_NUMBER_HOURLY_MAX ?? usual.perNumberHourly,
    perNumberDaily: config.SMS_PER_NUMBER_DAILY_MAX ?? usual.perNumberDaily,
    perRangeHourly: config.SMS_PER_RANGE_HOURLY_MAX ?? usual.perRangeHourly,
    perNetworkHourly: config.SMS_PER_NETWORK_HOURLY_MAX ?? usual.perNetworkHourly,
    perAccountHourly: config.SMS_PER_ACCOUNT_HOURLY_MAX ?? usual.perAccountHourly,
    perAccountDaily: config.SMS_PER_ACCOUNT_DAILY_MAX ?? usual.perAccountDaily,
    daily: config.SMS_DAILY_MAX ?? usual.daily,
    conversionPercentMin: config.SMS_CONVERSION_PERCENT_MIN ?? usual.conversionPercentMin,
    conversionSentMin: config.SMS_CONVERSION_SENT_MIN ?? usual.conversionSentMin,
    numbers: {
      countries: config.SMS_COUNTRIES ? new Set(config.SMS_COUNTRIES) : null,
      lineTypes: new Set(config.SMS_LINE_TYPES),
    },
  };
}
