import { z } from 'zod';

/** The address with which another device joins a check. */
export const pairAddress = {
  pair_url: z
    .string()
    .describe(
      'URL for another device to join the check, once. Show it only to the person who runs ' +
        'the check',
    ),
  qr_svg_url: z.string().describe('URL of an SVG with `pair_url` as a QR code'),
  pair_expires_at: z.iso.datetime().describe('When the token in both URLs expires'),
};

export const pairAddressBody = z.object(pairAddress).meta({ id: 'PairAddress' });

/** The phone number that a text message is sent to. */
export const phoneNumber = {
  phone_number: z
    .string()
    .min(1)
    .max(32)
    .describe(
      'Number that receives text messages: in E.164, or with `country` in the national format',
    ),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be a country code of two capitals (ISO 3166-1)')
    .optional()
    .describe('Country of the national format, ISO 3166-1 alpha-2'),
};

export const handOverRequest = z
  .object(phoneNumber)
  .meta({ id: 'HandOverRequest', example: { phone_number: '+4915112345678' } });

export const handedOverBody = z
  .object({
    sent_to: z.string().describe('Number with most digits masked'),
    expires_at: z.iso.datetime().describe('When the URL in the message expires'),
  })
  .meta({ id: 'HandedOver' });
