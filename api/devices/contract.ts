import { z } from 'zod';
import { attestFaults } from '../auth/attest-faults.ts';
import { contract } from '../contract.ts';
import { pageBody, pageQuery } from '../paging.ts';
import * as schemas from './schemas.ts';

/** The devices family: ours, where the interface is silent. */
export const deviceContracts = {
  challenge: contract({
    id: 'devices.challenge',
    method: 'post',
    path: '/v2/devices/challenge',
    summary: 'Ask for the challenge a new device has to sign',
    auth: ['public'],
    request: {},
    replies: {
      201: { kind: 'json', schema: schemas.challengeBody, description: 'Good once, for 5 minutes' },
    },
    errors: ['rate_limited'],
    idempotent: true,
    limit: { points: 600, seconds: 60, by: 'address' },
  }),
  enroll: contract({
    id: 'devices.enroll',
    method: 'post',
    path: '/v2/devices',
    summary: 'Enrol an attested device; with a session it joins that person',
    description: [
      'A session by email enrolls the first phone of a person. Who has had one enrolls the next by',
      'a session that proved a certified device within the last 15 minutes, as long as a',
      'certificate of theirs would run, revoked or not. While a recovery of the person is approved',
      '(`recoveries.approve`), any session of theirs enrolls one device. That revokes all their',
      'other devices, certificates and sessions.',
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
        description: 'A page of them, revoked ones too',
      },
    },
    errors: ['credential_invalid'],
  }),
  revoke: contract({
    id: 'devices.revoke',
    assurance: 'cert',
    method: 'delete',
    path: '/v2/devices/{device_id}',
    summary: 'Revoke one of the caller’s own devices with its certificates and sessions',
    auth: ['session'],
    actsFor: 'person',
    request: { path: schemas.devicePath },
    replies: { 200: { kind: 'json', schema: schemas.deviceBody, description: 'Now revoked' } },
    errors: ['credential_invalid', 'dependency_unavailable', 'not_found'],
  }),
  renew: contract({
    id: 'devices.renew',
    method: 'post',
    path: '/v2/devices/{device_id}/certificate',
    summary: 'Certify the device’s signing key afresh',
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
