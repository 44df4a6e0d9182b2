import type { KeyName } from './key-files.ts';

/** Production recognizes keys that were made for development by this name. */
export const developmentRootName = 'trustcheck development root';

/** The common name in the certificate of each key. */
export const commonNames: Readonly<Record<KeyName, string>> = {
  root: developmentRootName,
  'people-ca': 'trustcheck people CA',
  'services-ca': 'trustcheck services CA',
  seal: 'trustcheck seal',
  tsa: 'trustcheck time stamps',
  tokens: 'trustcheck tokens',
};
