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

/** Settings of the consent on conference platform B: all six, or none. */
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

/** Milliseconds to wait for each step of a consent. */
export const consentStepMs = 10 * 60_000;

const tenantForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const providerName = 'conference platform B';
/** Without `offline_access`, since nothing acts for an organization yet. */
const signInScope = 'openid profile';

/** Why no organization was connected. Callers see only this code. */
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
 * The consent of an organization on conference platform B, in two steps. Its administrator consents
 * to our app, then signs in to the tenant that the answer names. The answer to the first step is
 * not signed, and anyone can put another tenant into it. The ID token of the second step is the
 * proof.
 */
export interface ConfBConsent {
  /** Returns the URL at which an administrator consents for their organization. */
  adminConsentUrl(state: string): string;
  /** Returns the URL of the sign-in that follows. @throws Failure `dependency_unavailable` */
  signInUrl(
    tenant: string,
    challenge: ConsentChallenge & { readonly state: string },
  ): Promise<string>;
  /**
   * Exchanges the code of that sign-in. Returns null if an administrator of the organization signed
   * in, or else the reason for the denial.
   * @throws Failure `dependency_unavailable`
   */
  exchange(tenant: string, answer: ConsentAnswer): Promise<PlatformDenial | null>;
}

/** Returns a tenant id in lower case, or null if the text is not one. */
export const readTenant = (text: string): string | null =>
  tenantForm.test(text) ? text.toLowerCase() : null;

/**
 * Returns the configured consent, or null.
 * @throws Error with one line that names every missing setting, if only some are set
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
    signInUrl: (tenant, challenge) =>
      consentAt(tenant).authorizeUrl({ ...challenge, scope: signInScope }, {}),
    async exchange(tenant, answer) {
      const consented = await consentAt(tenant).exchange(answer);
      if ('denial' in consented) return consented.denial;
      const { tid, wids } = consented.claims;
      if (typeof tid !== 'string' || readTenant(tid) !== tenant) return 'tenant_mismatch';
      const roles: readonly unknown[] = Array.isArray(wids) ? wids : [];
      // The first answer is not signed: without this check any member could connect the
      // organization.
      // Without this rule, any member of an organization could connect it to their own account.
      return adminRoles.some((role) => roles.includes(role)) ? null : 'administrator_required';
    },
  };
}
