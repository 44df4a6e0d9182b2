import { z } from 'zod';
import { consentDenials } from '../../../activities/meetings/platforms/consent.ts';
import { contract, json } from '../../http/contract.ts';

const timestamp = z.iso.datetime();
const answerText = (max: number) => z.string().max(max).optional();

const begun = z
  .object({
    authorize_url: z
      .string()
      .describe('URL to which you send an administrator of the organization'),
    expires_at: timestamp.describe('When the state expires'),
  })
  .meta({ id: 'ConfBConsentBegun' });

/** The parameters of the redirect page; all others are ignored. */
const redirected = z
  .object({
    state: answerText(512).describe('State that identifies the consent'),
    code: answerText(4_096).describe('Code of the sign-in'),
    tenant: answerText(64).describe('Organization that consented'),
    admin_consent: answerText(16).describe('`True` if consent was given'),
    error: answerText(256).describe('Error code if it failed'),
    iss: answerText(2_048).describe('Issuer of the response (RFC 9207)'),
  })
  .meta({ id: 'ConfBRedirect', example: { state: 'x', tenant: 'x', admin_consent: 'True' } });

const consentBody = z
  .object({
    status: z.enum(['connected', 'sign_in_required', 'denied', 'expired']),
    reason: z.enum(consentDenials).nullable().describe('Reason of a denial'),
    external_id: z.string().nullable().describe('ID of the organization, once known'),
    authorize_url: z.string().nullable().describe('URL where the same person signs in next'),
    expires_at: timestamp.nullable(),
  })
  .meta({ id: 'ConfBConsent' });

const admin = { auth: ['key'], keyMode: 'live', role: 'ADMIN' } as const;
const limit = { points: 30, seconds: 60, by: 'caller' } as const;

/** Connects an organization on conference platform B by its administrator's consent. */
export const consentContracts = {
  connect: contract({
    ...admin,
    id: 'meetings.connect',
    method: 'post',
    path: '/v2/conf-b/consent',
    summary: 'Begin to connect an organization on conference platform B',
    description:
      'Returns the URL for its administrator. The platform then redirects them to the ' +
      'configured address. The page there sends its parameters to `POST ' +
      '/v2/conf-b/redirect` with the same credential: within ten minutes, once.',
    request: {},
    replies: { 201: json(begun, 'Where to give consent') },
    errors: ['credential_invalid', 'not_found', 'platform_not_configured', 'role_required'],
    idempotent: true,
    limit,
  }),
  redirect: contract({
    ...admin,
    id: 'meetings.redirect',
    method: 'post',
    path: '/v2/conf-b/redirect',
    summary: 'Submit the response of conference platform B to a consent',
    description:
      'After the consent, the administrator signs in on the platform (`sign_in_required`), ' +
      'which proves that they belong to the organization. The code of the sign-in ' +
      'completes the connection. A `state` works once, for the credential that began; any ' +
      'other is 404. If the platform is unavailable, the response is 503: begin the ' +
      'consent again.',
    unknownFields: 'ignored',
    request: { body: redirected },
    replies: { 200: json(consentBody, 'State of the consent') },
    errors: [
      'credential_invalid',
      'dependency_unavailable',
      'not_found',
      'platform_not_configured',
      'role_required',
    ],
    limit,
  }),
  disconnect: contract({
    ...admin,
    id: 'meetings.disconnect',
    method: 'delete',
    path: '/v2/conf-b/consent/{external_id}',
    summary: 'Disconnect an organization on conference platform B',
    description:
      'Ends the connection here. An administrator of the organization revokes the consent ' +
      'itself on the platform.',
    request: {
      path: z.object({ external_id: z.string().max(64).describe('ID of the organization') }),
    },
    replies: {
      200: json(z.object({ external_id: z.string(), deleted: z.literal(true) }), 'Disconnected'),
    },
    errors: ['credential_invalid', 'not_found', 'role_required'],
  }),
} as const;
