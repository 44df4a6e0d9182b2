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
    'an owner revokes a login email',
    { on: 'revoke_email', holder: 'caller', isLastLogin: false },
    'revoke',
  ],
  [
    'an email-only person keeps the last one',
    { on: 'revoke_email', holder: 'caller', isLastLogin: true },
    'refuse_last',
  ],
  [
    'its owner claims a revoked address again',
    { on: 'verify_email', holder: 'caller', status: 'REVOKED' },
    'activate',
  ],
  [
    'its owner proves an address again',
    { on: 'verify_email', holder: 'caller', status: 'ACTIVE' },
    'activate',
  ],
  [
    'an address nobody has is new',
    { on: 'verify_email', holder: 'nobody', status: null },
    'create',
  ],
  [
    'an email-only person is adopted by their address',
    { on: 'verify_email', holder: 'email_user', status: 'ACTIVE' },
    'adopt',
  ],
  [
    'a revoked address is reserved for its owner',
    { on: 'verify_email', holder: 'email_user', status: 'REVOKED' },
    'refuse_owned',
  ],
  [
    'another cert-backed person keeps theirs',
    { on: 'verify_email', holder: 'cert_user', status: 'ACTIVE' },
    'refuse_owned',
  ],
  [
    'another cert-backed person keeps a revoked one',
    { on: 'verify_email', holder: 'cert_user', status: 'REVOKED' },
    'refuse_owned',
  ],
  [
    'a session of the bundle’s own person is elevated',
    { on: 'step_up', holder: 'caller' },
    'elevate',
  ],
  [
    'an email-only person is adopted by the bundle’s',
    { on: 'step_up', holder: 'email_user' },
    'adopt',
  ],
  [
    'another cert-backed person is a conflict',
    { on: 'step_up', holder: 'cert_user' },
    'refuse_owned',
  ],
  ['a member switches', { on: 'switch_account', isMember: true }, 'remint'],
  ['a stranger does not', { on: 'switch_account', isMember: false }, 'refuse_stranger'],
  ['a live invite is consumed', { on: 'exchange_invite', isLive: true }, 'consume'],
  ['any other is unknown', { on: 'exchange_invite', isLive: false }, 'refuse_unknown'],
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
