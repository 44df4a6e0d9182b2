import { createHash } from 'node:crypto';
import type { AndroidIdentity, AppleIdentity } from '../../identity/app-identities.ts';

/** The identities of the app on simulated phones. */
export const simulatedApp: {
  readonly apple: AppleIdentity;
  readonly android: AndroidIdentity & { signature_digests: [string] };
} = {
  apple: { team_id: 'TRUSTCHECK', bundle_id: 'dev.trustcheck.app' },
  android: {
    package: 'dev.trustcheck.app',
    signature_digests: [createHash('sha256').update('trustcheck development app').digest('hex')],
  },
};
