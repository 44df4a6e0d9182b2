import { createHash } from 'node:crypto';

/** The app a simulated phone has installed, by the identities the seeded apps have. */
export const simulatedApp = {
  apple: { team_id: 'TRUSTCHECK', bundle_id: 'dev.trustcheck.app' },
  android: {
    package: 'dev.trustcheck.app',
    signature_digests: [createHash('sha256').update('trustcheck development app').digest('hex')],
  },
} as const;
