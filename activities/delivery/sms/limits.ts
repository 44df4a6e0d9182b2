import { isSupportedCountry } from 'libphonenumber-js/max';
import { z } from 'zod';
import { lineTypes, type NumberPolicy } from '../../../domain/proofs/phone/phone-number.ts';

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

type Limit = keyof (typeof byProfile)['production'];

/** Adds to the meaning of a limit the values that apply when it is absent. */
function withDefaults(meaning: string, limit: Limit): string {
  const production: number = byProfile.production[limit];
  const development: number = byProfile.development[limit];
  const values =
    production === development
      ? `${production}`
      : `${production} in production, ${development} in development`;
  return `${meaning} Without it: ${values}.`;
}

const count = (meaning: string, limit: Limit) =>
  z.coerce.number().int().min(1).max(10_000_000).optional().describe(withDefaults(meaning, limit));

/** Settings of the limits of text messages, against flooding of a phone and against fraud. */
export const smsLimitsConfig = z.object({
  SMS_PER_NUMBER_HOURLY_MAX: count(
    'Maximum number of text messages to one phone number in an hour.',
    'perNumberHourly',
  ),
  SMS_PER_NUMBER_DAILY_MAX: count(
    'Maximum number of text messages to one phone number in a day.',
    'perNumberDaily',
  ),
  SMS_PER_RANGE_HOURLY_MAX: count(
    'Maximum number of text messages in an hour to phone numbers that differ only in the last ' +
      'four digits.',
    'perRangeHourly',
  ),
  SMS_PER_NETWORK_HOURLY_MAX: count(
    'Maximum number of text messages in an hour that one IP address (IPv6: one /64) requests. ' +
      'In production, it applies only with `TRUSTED_PROXIES`.',
    'perNetworkHourly',
  ),
  SMS_PER_ACCOUNT_HOURLY_MAX: count(
    'Maximum number of text messages of one account in an hour.',
    'perAccountHourly',
  ),
  SMS_PER_ACCOUNT_DAILY_MAX: count(
    'Maximum number of text messages of one account in a day.',
    'perAccountDaily',
  ),
  SMS_DAILY_MAX: count(
    'Maximum number of text messages of all accounts in a day: it bounds your costs.',
    'daily',
  ),
  SMS_CONVERSION_PERCENT_MIN: z.coerce
    .number()
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe(
      withDefaults(
        'Minimum percentage of codes to a destination that people enter correctly, over 6 hours. ' +
          'Below it, text messages there stop for 6 hours. `0`: never.',
        'conversionPercentMin',
      ),
    ),
  SMS_CONVERSION_SENT_MIN: count(
    'Number of codes sent to a destination in 6 hours from which `SMS_CONVERSION_PERCENT_MIN` ' +
      'applies.',
    'conversionSentMin',
  ),
  // No default: a list of ours would be wrong somewhere. The conversion stop limits SMS pumping.
  SMS_COUNTRIES: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim().toUpperCase()))
    .refine((names) => names.every((name) => isSupportedCountry(name)), {
      message: 'two-letter countries, separated by commas',
    })
    .optional()
    .describe(
      'Countries to which text messages go, as ISO 3166-1 codes separated by commas ' +
        '(`DE,FR,US`). Without it, all countries. List only those that you serve, against ' +
        'fraud.',
    ),
  SMS_LINE_TYPES: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim().toLowerCase()))
    .pipe(
      z.array(z.enum(lineTypes, { message: `of ${lineTypes.join(', ')}, with commas between` })),
    )
    .optional()
    .describe(
      'Lines that get text messages in addition to mobile lines, separated by commas: ' +
        '`fixed_line`, `personal_number`, `voip`. Without it, only mobile lines do.',
    ),
});

export interface SmsLimits {
  readonly perNumberHourly: number;
  readonly perNumberDaily: number;
  readonly perRangeHourly: number;
  readonly perNetworkHourly: number;
  readonly perAccountHourly: number;
  readonly perAccountDaily: number;
  /** Of all accounts together. */
  readonly daily: number;
  readonly conversionPercentMin: number;
  readonly conversionSentMin: number;
  readonly numbers: NumberPolicy;
}

/** The limits as they are set, each by the profile where it is not. */
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
