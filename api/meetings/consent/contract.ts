import { z } from 'zod';
import { consentDenials } from '../../../activities/meetings/platforms/consent.ts';
import { contract, json } from '../../http/contract.ts';

const timestamp = z.iso.datetime();
const answerText = (max: number) => z.string().max(max).optional();

const begun = z
  .object({
    authorize_url: z.string().describe('Where an administrator of the organization is to be led'),
    expires_at: timestamp.describe('Until when the answer may come'),
  })
  .meta({ id: 'ConfBConsentBegun' });

/** The parameters of the redirect page; all others are ignored. */
const redirected = z
  .object({
    state: answerText(512).describe('By which the consent is known'),
    code: answerText(4_096).describe('Of the sign-in'),
    tenant: answerText(64).describe('Of the consent: the organization'),
    admin_consent: answerText(16).describe('`True` where it was given'),
    error: answerText(256).describe('Why there is neither'),
    iss: answerText(2_048).describe('Who answers (RFC 9207)'),
  })
  .meta({ id: 'ConfBRedirect', example: { state: 'x', tenant: 'x', admin_consent: 'True' } });

const consentBody = z
  .object({
    status: z.enum(['connected', 'sign_in_required', 'denied', 'expired']),
    reason: z.enum(consentDenials).nullable().describe('Why it was denied'),
    external_id: z.string().nullable().describe('The organization, once it is known'),
    authorize_url: z.string().nullable().describe('Where the same person signs in next'),
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
    description: [
      'Answers where to lead its administrator. The platform leads them back to the configured',
      'redirect address, whose page hands what it was called with to `POST /v2/conf-b/redirect`',
      'by the credential that began: within ten minutes, once.',
    ].join(' '),
    request: {},
    replies: { 201: json(begun, 'Where consent is given') },
    errors: ['credential_invalid', 'not_found', 'platform_not_configured', 'role_required'],
    idempotent: true,
    limit,
  }),
  redirect: contract({
    ...admin,
    id: 'meetings.redirect',
    method: 'post',
    path: '/v2/conf-b/redirect',
    summary: 'What conference platform B has answered to a consent',
    description: [
      'A consent that was given is followed by a sign-in there (`sign_in_required`), which shows',
      'that whoever answered is of that organization; its code ends it. A `state` is good once,',
      'for the credential that began; any other is 404. A platform that is away is 503, and the',
      'consent is begun anew.',
    ].join(' '),
    unknownFields: 'ignored',
    request: { body: redirected },
    replies: { 200: json(consentBody, 'How it stands') },
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
    description: 'It ends here; the consent itself is taken back by its administrator, there.',
    request: {
      path: z.object({ external_id: z.string().max(64).describe('The organization') }),
    },
    replies: {
      200: json(z.object({ external_id: z.string(), deleted: z.literal(true) }), 'Disconnected'),
    },
    errors: ['credential_invalid', 'not_found', 'role_required'],
  }),
} as const;
