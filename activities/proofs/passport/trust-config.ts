import { z } from 'zod';

/** Settings of the certificates and CRLs that passports are verified with. */
export const passportTrustConfig = z.object({
  CSCA_MASTER_LIST: z
    .string()
    .optional()
    .describe(
      'Path of a signed master list of country certificates, read at the start. Without ' +
        'it and without `CSCA_MASTER_LIST_URL`, no passport passes.',
    ),
  CSCA_MASTER_LIST_ROOT: z
    .string()
    .optional()
    .describe(
      'Path of the certificate (PEM or DER) that issued the certificate of the signer of ' +
        'the master list. Every master list requires it.',
    ),
  CSCA_MASTER_LIST_URL: z
    .url({ protocol: /^(https?|file)$/ })
    .optional()
    .describe(
      'URL of a published master list (`https:`, `http:` or `file:`), fetched every 6 ' +
        'hours. If `CSCA_MASTER_LIST` is also set, the list with the later signature ' +
        'applies.',
    ),
  CSCA_LINKS: z
    .string()
    .optional()
    .describe(
      'Directory of link certificates, one in each file (`*.cer`, `*.crt`, `*.der` or ' +
        '`*.pem`). A new key of a country is trusted if a trusted key has signed it.',
    ),
  CSCA_CRLS: z
    .string()
    .optional()
    .describe(
      'Directory of CRLs of countries (`*.crl`, `*.der` or `*.pem`). Workers read new ' +
        'files within 10 minutes. Without a current CRL of a country, the rule `revocation` ' +
        'is skipped.',
    ),
  CSCA_CRL_URLS: z
    .string()
    .transform((text) => text.split(',').map((url) => url.trim()))
    .pipe(z.array(z.url({ protocol: /^(https?|file)$/ })).max(300))
    .optional()
    .describe(
      'URLs of CRLs of countries in DER, separated by commas: at most 300, each CRL at ' +
        'most 2 MiB. The service fetches them every 6 hours and adds them to `CSCA_CRLS`.',
    ),
  CSCA_CRLS_REQUIRED: z
    .enum(['yes', 'no'])
    .default('no')
    .describe(
      '`yes` sends a passport to review (`revocation_unknown`) if there is no current CRL ' +
        'of its country. `yes` requires `CSCA_CRLS` or `CSCA_CRL_URLS`.',
    ),
  PASSPORT_LEGACY_ALGORITHMS: z
    .enum(['flag', 'refuse'])
    .default('flag')
    .describe(
      'Passports signed with SHA-1: `flag` accepts them and adds `weak_algorithms` to the ' +
        'result, `refuse` rejects them.',
    ),
});
