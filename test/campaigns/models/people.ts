import { expect } from 'vitest';
import type { Role } from '../../../domain/names.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { call } from '../../support/http/client.ts';
import { raceDb } from '../../support/races/ground.ts';
import type { Step } from './model.ts';

/** People with their login emails, sessions and roles in one account, as the model predicts. */
export interface Person {
  readonly id: string;
  readonly kind: 'cert' | 'email';
  /** The person who adopted them. */
  adoptedBy: Person | null;
  /** Roles in the account; empty for no member. */
  roles: readonly Role[];
}
interface Row {
  owner: Person;
  status: 'ACTIVE' | 'REVOKED';
  readonly identityId: number;
}
interface Session {
  readonly token: string;
  readonly person: Person;
  /** The address that the session was opened with. */
  readonly address: number;
  isLive: boolean;
}
export interface Model {
  readonly holders: readonly Person[];
  readonly rows: (Row | null)[];
  readonly sessions: Session[];
}
export interface Real {
  readonly phones: readonly Device[];
  readonly tokens: readonly string[];
  readonly addresses: readonly string[];
  readonly from: Readonly<Record<string, string>>;
  readonly account: { readonly accountId: number; readonly key: string };
}
export type Move = Step<Model, Real>;

export const rootOf = (person: Person): Person => person.adoptedBy ?? person;
export const newPerson = (id: string, kind: Person['kind']): Person => ({
  id,
  kind,
  adoptedBy: null,
  roles: [],
});

/** Returns every person that is not adopted and has a login email or a device. */
export function peopleIn({ holders, rows }: Readonly<Model>): Person[] {
  const owners = rows.flatMap((row) => (row ? [row.owner] : []));
  return [...new Set([...holders, ...owners])];
}

/** Moves everything of an email-only person to another person, and ends the sessions. */
export function adopt(model: Model, adopted: Person, by: Person): void {
  adopted.adoptedBy = by;
  by.roles = [...new Set([...by.roles, ...adopted.roles])].toSorted();
  adopted.roles = [];
  for (const row of model.rows) if (row?.owner === adopted) row.owner = by;
  for (const session of model.sessions) if (session.person === adopted) session.isLive = false;
}

/** Asserts that the platform’s data match the model. */
export async function looksSo(model: Model, real: Real): Promise<void> {
  await showsAddresses(model, real);
  await hasSessions(model);
  await hasMembers(model, real);
}

/** Asserts that both people with a device see their addresses, including adopted ones. */
async function showsAddresses(model: Model, { tokens, addresses, from }: Real): Promise<void> {
  for (const [place, person] of model.holders.entries()) {
    const token = tokens[place] ?? '';
    const { body } = await call('GET', '/v2/email/link', { token, headers: from });
    const shown = (body['items'] as { email: string; status: string; poly_user_id: string }[]).map(
      ({ email, status, poly_user_id }) => [email, status, poly_user_id].join(' '),
    );
    const expected = model.rows.flatMap((row, at) =>
      row && rootOf(row.owner) === person ? [[addresses[at], row.status, person.id].join(' ')] : [],
    );
    expect(shown.toSorted()).toEqual(expected.toSorted());
  }
}

/** Compares with the store, because an API caches the state of a session for half a minute. */
async function hasSessions({ sessions }: Model): Promise<void> {
  const ids = sessions.map(({ token }) => {
    const [, claims = ''] = token.split('.');
    return String(JSON.parse(Buffer.from(claims, 'base64url').toString())['sid']);
  });
  const { rows } = await raceDb().query<{ sid: string }>(
    'SELECT sid FROM sessions WHERE sid = ANY ($1) AND revoked_at IS NULL',
    [ids],
  );
  const live = new Set(rows.map(({ sid }) => sid));
  expect(ids.map((id) => live.has(id))).toEqual(sessions.map(({ isLive }) => isLive));
}

async function hasMembers(model: Model, { account, from }: Real): Promise<void> {
  const { accountId, key: token } = account;
  const path = `/v2/accounts/${accountId}/members`;
  const { body } = await call('GET', path, { token, headers: from });
  const shown = (body['items'] as { poly_user_id: string; roles: string[] }[]).map(
    ({ poly_user_id, roles }) => [poly_user_id, ...roles.toSorted()].join(' '),
  );
  const expected = peopleIn(model).flatMap(({ id, roles }) =>
    roles.length > 0 ? [[id, ...roles.toSorted()].join(' ')] : [],
  );
  expect(shown.toSorted()).toEqual(expected.toSorted());
}
