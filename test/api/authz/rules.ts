import type { Role } from '../../../domain/names.ts';
import type { Principal, Side } from './principals.ts';

/**
 * Which thing is asked for: one of the account of most callers, one of another account, one that
 * is nobody's; within the first account one of the other, and one that is nobody's; one of the
 * first account that a member of it has made; and one of the first account in test mode.
 */
export type Where = 'own' | 'foreign' | 'unknown' | 'crossed' | 'missing' | 'made' | 'test';

/** A status, and of a refusal its code. */
export type Outcome = readonly [status: number, code?: string];
type OutcomeOf = Outcome | ((principal: Principal) => Outcome);

/** What an operation answers to whom: written from the interface, not from what is mounted. */
export interface Rule {
  readonly on: readonly Where[];
  readonly expect: (principal: Principal, where: Where) => Outcome;
  /** Whether no credential of ours is looked at, good or bad. */
  readonly isBlind?: true;
}

/** Lowest first (domain §1). */
const ladder: readonly Role[] = ['VIEWER', 'MEMBER', 'REVIEWER', 'ADMIN', 'POLYADMIN'];

export const unknown = [404, 'not_found'] as const;
export const unbelieved = [401, 'credential_invalid'] as const;
export const unproven = [403, 'step_up_required'] as const;
const tooLow = [403, 'role_required'] as const;
const notWhole = [403, 'own_sign_in_required'] as const;
const objects: readonly Where[] = ['own', 'foreign', 'unknown'];
const nested: readonly Where[] = [...objects, 'crossed', 'missing'];

const told = (outcome: OutcomeOf, principal: Principal): Outcome =>
  typeof outcome === 'function' ? outcome(principal) : outcome;
const hasAccount = ({ is }: Principal): boolean => is === 'session' || is === 'key';
const reaches = ({ role }: Principal, needed: Role): boolean =>
  role !== null && ladder.indexOf(role) >= ladder.indexOf(needed);
/** Whether a session shows no recent proof of a device: dangerous acts ask for one. */
export const isUnproven = ({ is, method, isStale }: Principal): boolean =>
  is === 'session' && (method === 'email' || isStale === true);
/** The same for what a person does with their own: who has only login emails has no device. */
export const isUnprovenSelf = (principal: Principal): boolean =>
  isUnproven(principal) && (principal.method === 'cert' || principal.isCertBacked === true);
/** Whose account is asked about; null for none that there is. */
const sideOf = (where: Where): Side | null =>
  where === 'unknown' ? null : where === 'foreign' ? 'foreign' : 'own';
const isInside = (where: Where): boolean => where === 'crossed' || where === 'missing';

/** What a caller is answered whatever they ask for; null for one with a good credential, or none. */
export function refusalOf({ is, fault }: Principal): Outcome | null {
  if (is === 'bad') return [401, fault ?? 'credential_invalid'];
  return is === 'ambiguous' ? [400, 'credential_ambiguous'] : null;
}

/** Nobody is asked who they are, and nothing is asked for. */
export const anyone = (outcome: Outcome): Rule => ({ on: ['own'], expect: () => outcome });

/** For callers who prove themselves to its handler alone: by a signature, or a token of their own. */
export const blind = (outcome: Outcome): Rule => ({ ...anyone(outcome), isBlind: true });

/** Whoever knows its name. `within` an app: of another app it is unknown. */
export const open = (outcome: Outcome, within = false): Rule => ({
  on: within ? nested : objects,
  expect: (_principal, where) => (where === 'unknown' || isInside(where) ? unknown : outcome),
});

/**
 * Whoever knows its name, by a session as themselves, if it counts in one account alone there,
 * and by a key for nobody.
 */
export const begun = (outcome: Outcome): Rule => ({
  on: objects,
  expect: ({ is, isLent, of }, where) => {
    if (is === 'check' || is === 'join') return unbelieved;
    if (where === 'unknown') return unknown;
    return isLent && of !== where ? notWhole : outcome;
  },
});

/** The same to everybody, whatever is named. */
export const alike = (outcome: Outcome): Rule => ({ on: objects, expect: () => outcome });

/** Whoever has a session or a key. */
export const credential = (outcome: OutcomeOf): Rule => ({
  on: ['own'],
  expect: (principal) => (hasAccount(principal) ? told(outcome, principal) : unbelieved),
});

/** A person, by a session; `whole`, by one that counts everywhere. */
export const person = (outcome: OutcomeOf, whole = false): Rule => ({
  on: ['own'],
  expect: (principal) => {
    if (principal.is !== 'session') return unbelieved;
    return whole && principal.isLent ? notWhole : told(outcome, principal);
  },
});

/** What a person does with their own membership of an account; `proven`, with a recent proof. */
export const ofMember = (outcome: Outcome, proven = false): Rule => ({
  on: objects,
  expect: (principal, where) => {
    const { is, isLent, of, role } = principal;
    if (is !== 'session') return unbelieved;
    if (isLent) return notWhole;
    if (proven && isUnprovenSelf(principal)) return unproven;
    return of === where && role !== 'POLYADMIN' ? outcome : unknown;
  },
});

/** What is one person's alone, and asks who has a device to prove it. */
export const owned = (outcome: Outcome): Rule => ({
  on: objects,
  expect: (principal, where) => {
    if (principal.is !== 'session') return unbelieved;
    if (principal.isLent) return notWhole;
    if (isUnprovenSelf(principal)) return unproven;
    return principal.isOwner && principal.of === sideOf(where) ? outcome : unknown;
  },
});

/** How a member or key of an account stands to what it has. */
function byAccount(
  principal: Principal,
  where: Where,
  needed: Role,
  outcome: OutcomeOf,
  isFoundFirst: boolean,
  isGuarded = false,
): Outcome {
  const side = sideOf(where);
  if (side === null || (isFoundFirst && isInside(where))) return unknown;
  if (principal.role !== 'POLYADMIN' && principal.of !== side) return unknown;
  if (!reaches(principal, needed)) return tooLow;
  if (isGuarded && isUnproven(principal)) return unproven;
  return isInside(where) ? unknown : told(outcome, principal);
}

/** Where a path names more than one thing: nothing, or which of the two is asked first. */
type Inner = 'none' | 'role first' | 'thing first';

/** Members and keys of the account of a thing, from a role on (status order: domain §6). */
export const account = (
  needed: Role,
  outcome: OutcomeOf,
  inner: Inner = 'none',
  isGuarded = false,
): Rule => ({
  on: inner === 'none' ? objects : nested,
  expect: (principal, where) =>
    hasAccount(principal)
      ? byAccount(principal, where, needed, outcome, inner === 'thing first', isGuarded)
      : unbelieved,
});

/** ADMINs, whose sessions show a recent proof of a device. */
export const guarded = (outcome: OutcomeOf, inner: Inner = 'none'): Rule =>
  account('ADMIN', outcome, inner, true);

/**
 * ADMINs who decide as people, with that proof. A key is refused before what lies in the account is
 * looked up.
 */
export const recovering = (outcome: Outcome): Rule => {
  const ofAdmin = guarded([200], 'role first');
  return {
    on: ofAdmin.on,
    expect: (principal, where) => {
      const answer = ofAdmin.expect(principal, isInside(where) ? 'own' : where);
      if (answer[0] !== 200) return answer;
      if (principal.is === 'key') return [400, 'session_required'];
      return isInside(where) ? unknown : outcome;
    },
  };
};

/** The subject of a check in any account, or an ADMIN of its own, with that proof. */
export const guardedSubject = (outcome: Outcome): Rule => {
  const ofAdmin = guarded(outcome);
  return {
    on: ofAdmin.on,
    expect: (principal, where) => {
      if (isUnprovenSelf(principal)) return unproven;
      if (principal.isSubject) return where === 'unknown' ? unknown : outcome;
      return ofAdmin.expect(principal, where);
    },
  };
};

/** Members and keys, in the account they act in; who acts in none finds nothing. */
export const accountOfCaller = (needed: Role, outcome: Outcome): Rule => ({
  on: ['own'],
  expect: (principal) => {
    if (!hasAccount(principal)) return unbelieved;
    if (principal.of === 'none') return unknown;
    return reaches(principal, needed) ? outcome : tooLow;
  },
});

/** A link is changed by who made it, from MEMBER on, and by an ADMIN (domain §6). */
export const changing = (outcome: Outcome, inner: Inner = 'none'): Rule => {
  const member = account('MEMBER', outcome, inner);
  return {
    on: [...member.on, 'made'],
    expect: (principal, where) => {
      const answer = member.expect(principal, where);
      if (answer !== outcome || reaches(principal, 'ADMIN')) return answer;
      return where === 'made' && principal.isMaker ? answer : tooLow;
    },
  };
};

/** The holder of the token of this very check, and where a role is named its account, too. */
export const check = (outcome: Outcome, needed?: Role, ofAccount: OutcomeOf = outcome): Rule => ({
  on: objects,
  expect: (principal, where) => {
    if (principal.is === 'check') {
      return principal.of === sideOf(where) && !principal.isElsewhere ? outcome : unknown;
    }
    if (!needed || !hasAccount(principal)) return unbelieved;
    return byAccount(principal, where, needed, ofAccount, false);
  },
});

/** What fits no pattern. */
export const special = (on: readonly Where[], expect: Rule['expect']): Rule => ({ on, expect });

/** The subject of a check in any account, or an ADMIN of its own; the rest as `below` says. */
export const subjectOrAdmin = (outcome: Outcome, below: Outcome, inner: Inner = 'none'): Rule => {
  const ofAdmin = account('ADMIN', outcome, inner);
  return {
    on: ofAdmin.on,
    expect: (principal, where) => {
      if (principal.isSubject) return where === 'own' || where === 'foreign' ? outcome : unknown;
      const answer = ofAdmin.expect(principal, where);
      return answer === tooLow ? below : answer;
    },
  };
};
export { notWhole, tooLow };
