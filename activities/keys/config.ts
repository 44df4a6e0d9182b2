import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { wholeOf } from '../runtime/config.ts';
import { CustodyError } from './custody/custody-error.ts';
import type { CustodyOptions } from './custody/open-keeper.ts';
import type { KeyPlace } from './directory/key-files.ts';

/** Settings of keys outside of files. All are optional while all keys are in files. */
export const custodyConfig = z.object({
  KEYS_KMS_ACCESS_KEY_ID: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe(
      'AWS access key for keys in KMS, set together with its secret. Without both, the ' +
        'AWS client uses its usual sources, such as the role of the machine.',
    ),
  KEYS_KMS_SECRET_ACCESS_KEY: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Secret of the access key in `KEYS_KMS_ACCESS_KEY_ID`.'),
  KEYS_KMS_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'URL of AWS KMS, for example of a VPC endpoint. Without it, the AWS client uses the ' +
        'public address of KMS.',
    ),
  KEYS_PKCS11_MODULE: z
    .string()
    .startsWith('/')
    .optional()
    .describe(
      'Absolute path of the PKCS #11 module for keys in a hardware token. It requires ' +
        '`KEYS_PKCS11_PIN` or `KEYS_PKCS11_PIN_FILE`. Without it, no key can be in a token.',
    ),
  KEYS_PKCS11_PIN: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'PIN of the user, the same for every token of the module. Set it or ' +
        '`KEYS_PKCS11_PIN_FILE`, not both.',
    ),
  KEYS_PKCS11_PIN_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Path of a file that holds the PIN. The process refuses a file that is open to ' +
        'other users (`chmod o=` closes it).',
    ),
});

/**
 * Returns the location of the keys of a process.
 * @throws Error with one line that names every missing setting
 */
export function keyPlaceOf(
  config: z.output<typeof custodyConfig> & {
    readonly DATA_DIR: string;
    readonly KEYS_PASSPHRASE?: string | undefined;
  },
): KeyPlace {
  const { DATA_DIR, KEYS_PASSPHRASE: passphrase } = config;
  return {
    directory: join(DATA_DIR, 'keys'),
    ...(passphrase ? { passphrase } : {}),
    custody: custodyOf(config),
  };
}

function custodyOf(config: z.output<typeof custodyConfig>): CustodyOptions {
  const { KEYS_KMS_ACCESS_KEY_ID, KEYS_KMS_SECRET_ACCESS_KEY, KEYS_KMS_URL: url } = config;
  const keys = wholeOf({ KEYS_KMS_ACCESS_KEY_ID, KEYS_KMS_SECRET_ACCESS_KEY });
  const credentials = keys && {
    accessKeyId: keys.KEYS_KMS_ACCESS_KEY_ID,
    secretAccessKey: keys.KEYS_KMS_SECRET_ACCESS_KEY,
  };
  return { kms: { url, ...(credentials && { credentials }) }, pkcs11: tokensOf(config) };
}

function tokensOf(config: z.output<typeof custodyConfig>): CustodyOptions['pkcs11'] {
  const { KEYS_PKCS11_MODULE: module, KEYS_PKCS11_PIN: pin, KEYS_PKCS11_PIN_FILE: file } = config;
  const isGiven = pin !== undefined || file !== undefined;
  wholeOf({ KEYS_PKCS11_MODULE: module }, { isRequired: isGiven });
  if (module === undefined) return null;
  wholeOf(
    { KEYS_PKCS11_PIN: pin ?? file },
    { isRequired: true, besides: ', or KEYS_PKCS11_PIN_FILE' },
  );
  if (pin !== undefined && file !== undefined) {
    throw new Error('wrong settings: KEYS_PKCS11_PIN, KEYS_PKCS11_PIN_FILE: one of them alone');
  }
  return { module, pin: () => pin ?? pinIn(file ?? '') };
}

/** Reads the PIN. The file must be closed to others, like the key files. */
function pinIn(path: string): string {
  try {
    const isOpen = (statSync(path).mode & 0o007) !== 0;
    const pin = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (!isOpen && pin.length > 0 && pin.length <= 255) return pin;
  } catch {
    // Reported below, like other invalid files.
  }
  throw new CustodyError(
    'unset',
    'KEYS_PKCS11_PIN_FILE: not a file of one PIN that is closed to others; chmod o= it',
  );
}
