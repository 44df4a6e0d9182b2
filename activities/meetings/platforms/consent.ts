import { z } from 'zod';
import {
  createConsent,
  type ConsentAnswer,
  type ConsentChallenge,
} from '../../identity/sso/consent.ts';
import type { Issuers } from '../../identity/sso/issuers.ts';
import { wholeOf } from '../../runtime/config.ts';

const listed = (text: string): readonly string[] => text.split(',').map((one) => one.trim());
const roleIds = z
  .string()
  .max(2_000)
  .refine((text) => !listed(text).includes(''), 'must be ids with commas between');

/** Settings of the consent to conference platform B: all six, or none. */
export const confBConsentConfig = z.object({
  CONF_B_CLIENT_ID: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'Client id of this service at the platform, for the consent of organizations. It ' +
        'requires the next five settings. Without the six, consents answer 409.',
    ),
  CONF_B_CLIENT_SECRET: z
    .string()
    .min(1)
    .max(1_024)
    .optional()
    .describe('Client secret of this service at the platform.'),
  CONF_B_LOGIN_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('URL of the login of the platform, without the organization.'),
  CONF_B_REDIRECT_URI: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'URL of your page to which the platform redirects after a consent. The page posts ' +
        'its query parameters to `/v2/conf-b/redirect`.',
    ),
  CONF_B_SCOPE: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe(
      'Scope that the consent requests: `https://…/.default`, which means everything that ' +
        'the app is registered for.',
    ),
  CONF_B_ADMIN_ROLES: roleIds
    .optional()
    .describe(
      'Ids of roles on the platform, separated by commas. An administrator who connects ' +
        'an organization must hold one of them (`wids` of the ID token).',
    ),
});

/** How long each step of a consent is waited for. */
export const consentStepMs = 10 * 60_000;

const tenantForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const providerName = 'conference platform B';
/** No `offline_access`: nothing acts for an organization yet. */
const signInScope = 'openid profile';

/** Why nothing was connected: all that a caller is told. */
export const consentDenials = [
  'consent_denied',
  'provider_error',
  'grant_refused',
  'issuer_mismatch',
  'tenant_mismatch',
  'administrator_required',
  'connected_elsewhere',
] as const;
export type PlatformDenial = (typeof consentDenials)[number];

/**
 * The consent of an organization on conference platform B, in two steps: its administrator consents
 * to our app, then signs in where the answer says that they are. The answer to the first is not
 * signed, and anybody may write another tenant into it; the ID token of the second is proof.
 */
export interface ConfBConsent {
  /** Where an administrator is led to consent for their organization. */
  adminConsentUrl(state: string): string;
  /** Where they sign in then. Throws `dependency_unavailable`. */
  signInUrl(tenant: string, asked: ConsentChallenge & { readonly state: string }): Promise<string>;
  /**
   * Exchanges the code of that sign-in: why it connects nothing, or null where an administrator of
   * the organization has signed in. Throws `dependency_unavailable`.
   */
  exchange(tenant: string, answer: ConsentAnswer): Promise<PlatformDenial | null>;
}

/** An organization as the platform names it, in one spelling; null for what names none. */
export const readTenant = (text: string): string | null =>
  tenantForm.test(text) ? text.toLowerCase() : null;

/**
 * The configured consent, or null. Throws one line that names every setting that is missing where
 * there is half of one.
 */
export function createConfBConsent(
  config: z.output<typeof confBConsentConfig>,
  issuers: Issuers,
): ConfBConsent | null {
  const { CONF_B_CLIENT_ID, CONF_B_CLIENT_SECRET, CONF_B_LOGIN_URL } = config;
  const { CONF_B_REDIRECT_URI, CONF_B_SCOPE, CONF_B_ADMIN_ROLES } = config;
  const set = wholeOf({
    CONF_B_CLIENT_ID,
    CONF_B_CLIENT_SECRET,
    CONF_B_LOGIN_URL,
    CONF_B_REDIRECT_URI,
    CONF_B_SCOPE,
    CONF_B_ADMIN_ROLES,
  });
  if (!set) return null;
  const adminRoles = listed(set.CONF_B_ADMIN_ROLES);
  const client = {
    clientId: set.CONF_B_CLIENT_ID,
    clientSecret: set.CONF_B_CLIENT_SECRET,
    redirectUri: set.CONF_B_REDIRECT_URI,
    name: providerName,
  };
  const base = set.CONF_B_LOGIN_URL.replace(/\/$/, '');
  const consentAt = (tenant: string) =>
    createConsent(issuers, { ...client, issuer: `${base}/${tenant}/v2.0` });
  return {
    adminConsentUrl(state) {
      const url = new URL(`${base}/organizations/v2.0/adminconsent`);
      url.search = new URLSearchParams({
        client_id: client.clientId,
        scope: set.CONF_B_SCOPE,
        redirect_uri: client.redirectUri,
        state,
      }).toString();
      return url.href;
    },
    signInUrl: (tenant, asked) =>
      consentAt(tenant).authorizeUrl({ ...asked, scope: signInScope }, {}),
    async exchange(tenant, answer) {
      const consented = await consentAt(tenant).exchange(answer);
      if ('denial' in consented) return consented.denial;
      const { tid, wids } = consented.claims;
      if (typeof tid !== 'string' || readTenant(tid) !== tenant) return 'tenant_mismatch';
      const held: readonly unknown[] = Array.isArray(wids) ? wids : [];
      // The first answer is not signed: without a role anybody there could give it away.
      return adminRoles.some((role) => held.includes(role)) ? null : 'administrator_required';
    },
  };
}
