import { z } from 'zod';
import { attestFaults } from '../http/auth/attest/attest-faults.ts';
import { contract } from '../http/contract.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';
import * as schemas from './schemas.ts';

/** The device family. The published API does not define it. */
export const deviceContracts = {
  challenge: contract({
    id: 'devices.challenge',
    method: 'post',
    path: '/v2/devices/challenge',
    summary: 'Create the challenge that a new device signs',
    auth: ['public'],
    request: {},
    replies: {
      201: {
        kind: 'json',
        schema: schemas.challengeBody,
        description: 'The challenge, valid once and for 5 minutes',
      },
    },
    errors: ['rate_limited'],
    idempotent: true,
    limit: { points: 600, seconds: 60, by: 'address' },
  }),
  enroll: contract({
    id: 'devices.enroll',
    method: 'post',
    path: '/v2/devices',
    summary: 'Enroll an attested device, with a session for that person',
    description: [
      'An email session enrolls the first phone of a person. Each further phone needs a session',
      'that proved a certified device within the last 15 minutes, until all certificates of the',
      'person have expired. A revoked certificate counts until then. While a recovery of the',
      'person is approved (`recoveries.approve`), any of their sessions enrolls one device. That',
      'revokes all their other devices, certificates and sessions.',
    ].join(' '),
    auth: ['public', 'session'],
    actsFor: 'person',
    request: { body: schemas.enrollRequest },
    replies: {
      201: { kind: 'json', schema: schemas.enrolledBody, description: 'The device, certified' },
    },
    errors: [
      'attestation_refused',
      'challenge_unknown',
      'credential_invalid',
      'dependency_unavailable',
      'device_enrolled',
      'not_found',
      'rate_limited',
      'signing_proof_invalid',
      'step_up_required',
    ],
    idempotent: true,
    limit: { points: 300, seconds: 60, by: 'address' },
  }),
  list: contract({
    id: 'devices.list',
    method: 'get',
    path: '/v2/devices',
    summary: 'The caller’s own devices, newest first',
    auth: ['session'],
    actsFor: 'person',
    request: { query: z.object(pageQuery) },
    replies: {
      200: {
        kind: 'json',
        schema: pageBody(schemas.deviceBody),
        description: 'A page of devices, including revoked ones',
      },
    },
    errors: ['credential_invalid'],
  }),
  revoke: contract({
    id: 'devices.revoke',
    assurance: 'cert',
    method: 'delete',
    path: '/v2/devices/{device_id}',
    summary: 'Revoke a device of the caller, with its certificates and sessions',
    auth: ['session'],
    actsFor: 'person',
    request: { path: schemas.devicePath },
    replies: {
      200: { kind: 'json', schema: schemas.deviceBody, description: 'The revoked device' },
    },
    errors: ['credential_invalid', 'dependency_unavailable', 'not_found'],
  }),
  renew: contract({
    id: 'devices.renew',
    method: 'post',
    path: '/v2/devices/{device_id}/certificate',
    summary: 'Issue a new certificate for the signing key of a device',
    auth: ['public'],
    attest: 'required',
    request: { path: schemas.devicePath },
    replies: {
      201: { kind: 'json', schema: schemas.enrolledBody, description: 'The new certificate' },
    },
    errors: [...attestFaults, 'not_found', 'rate_limited'],
    idempotent: true,
    limit: { points: 300, seconds: 60, by: 'address' },
  }),
} as const;
