import { describe, expect, it } from 'vitest';
import {
  moveOf,
  type Holder,
  type Move,
  type Situation,
} from '../../../domain/identity/transitions.ts';

const holders: readonly Holder[] = ['nobody', 'caller', 'email_user', 'cert_user'];

/** The rows of the interface's state table (section 3) in order, and the cases it leaves open. */
const table: readonly (readonly [string, Situation, Move])[] = [
  [
    'an owner can revoke a login email',
    { on: 'revoke_email', holder: 'caller', isLastLogin: false },
    'revoke',
  ],
  [
    'an email-only person cannot revoke the last login email',
    { on: 'revoke_email', holder: 'caller', isLastLogin: true },
    'refuse_last',
  ],
  [
    'the owner of a revoked address can activate it again',
    { on: 'verify_email', holder: 'caller', status: 'REVOKED' },
    'activate',
  ],
  [
    'the owner of an address can prove it again',
    { on: 'verify_email', holder: 'caller', status: 'ACTIVE' },
    'activate',
  ],
  [
    'an unknown address creates a person',
    { on: 'verify_email', holder: 'nobody', status: null },
    'create',
  ],
  [
    'an email-only person is adopted by the owner of their address',
    { on: 'verify_email', holder: 'email_user', status: 'ACTIVE' },
    'adopt',
  ],
  [
    'a revoked address of an email-only person is refused',
    { on: 'verify_email', holder: 'email_user', status: 'REVOKED' },
    'refuse_owned',
  ],
  [
    'an address of another person with a certificate is refused',
    { on: 'verify_email', holder: 'cert_user', status: 'ACTIVE' },
    'refuse_owned',
  ],
  [
    'a revoked address of another person with a certificate is refused',
    { on: 'verify_email', holder: 'cert_user', status: 'REVOKED' },
    'refuse_owned',
  ],
  [
    'a session of the person of the bundle is elevated',
    { on: 'step_up', holder: 'caller' },
    'elevate',
  ],
  [
    'an email-only person is adopted by the person of the bundle',
    { on: 'step_up', holder: 'email_user' },
    'adopt',
  ],
  [
    'a step-up by another person with a certificate is refused',
    { on: 'step_up', holder: 'cert_user' },
    'refuse_owned',
  ],
  ['a member can switch to an account', { on: 'switch_account', isMember: true }, 'remint'],
  [
    'another caller cannot switch to an account',
    { on: 'switch_account', isMember: false },
    'refuse_stranger',
  ],
  ['a live invite is consumed', { on: 'exchange_invite', isLive: true }, 'consume'],
  [
    'any other invite is refused as unknown',
    { on: 'exchange_invite', isLive: false },
    'refuse_unknown',
  ],
];

describe('the state table of identities and sessions', () => {
  it.each(table)('%s', (_row, situation, move) => {
    expect(moveOf(situation)).toBe(move);
  });

  it.each(holders.filter((holder) => holder !== 'caller'))(
    'hides from %s whether there is a login email to revoke',
    (holder) => {
      for (const isLastLogin of [true, false]) {
        expect(moveOf({ on: 'revoke_email', holder, isLastLogin })).toBe('refuse_unknown');
      }
    },
  );

  it('never changes another person with a certificate', () => {
    const taking: readonly Move[] = ['create', 'activate', 'revoke', 'adopt', 'elevate'];
    const situations: Situation[] = [
      ...(['ACTIVE', 'REVOKED', null] as const).map((status): Situation => ({
        on: 'verify_email',
        holder: 'cert_user',
        status,
      })),
      { on: 'step_up', holder: 'cert_user' },
    ];
    expect(situations.map(moveOf).filter((move) => taking.includes(move))).toEqual([]);
  });
});
