import { z } from 'zod';

/** The address with which another device joins a check. */
export const pairAddress = {
  pair_url: z
    .string()
    .describe(
      'Another device opens it to join, once. Show it to the person who runs the check alone',
    ),
  qr_svg_url: z.string().describe('The same as a code to scan'),
  pair_expires_at: z.iso.datetime().describe('When the token in both addresses ends'),
};

export const pairAddressBody = z.object(pairAddress).meta({ id: 'PairAddress' });

/** The phone number that a text message is sent to. */
export const phoneNumber = {
  phone_number: z
    .string()
    .min(1)
    .max(32)
    .describe('Of a line that takes text messages: E.164, or with `country` as written there'),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be a country code of two capitals (ISO 3166-1)')
    .optional()
    .describe('The country whose way of writing numbers is meant, ISO 3166-1'),
};

export const handOverRequest = z
  .object(phoneNumber)
  .meta({ id: 'HandOverRequest', example: { phone_number: '+4915112345678' } });

export const handedOverBody = z
  .object({
    sent_to: z.string().describe('The number with most of its digits masked'),
    expires_at: z.iso.datetime().describe('When the address in the message ends'),
  })
  .meta({ id: 'HandedOver' });
