import { z } from 'zod';

/** Where another device joins a check. */
export const pairAddress = {
  pair_url: z
    .string()
    .describe('What another device opens to join, once; for whoever runs the check alone'),
  qr_svg_url: z.string().describe('The same as a code to scan'),
  pair_expires_at: z.iso.datetime().describe('When the token in both addresses ends'),
};

export const pairAddressBody = z.object(pairAddress).meta({ id: 'PairAddress' });
