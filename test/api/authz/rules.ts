import type { Role } from '../../../domain/names.ts';
import type { Principal, Side } from './principals.ts';

/**
 * The object of a request. `own`: of the account of most callers; `foreign`: of another account;
 * `unknown`: does not exist. Within the own account, `crossed` is an object of the other account
 * and `missing` one that does not exist. `made`: created by a member of the own account; `test`: of
 * the own account in test mode.
 */
export type Where = 'own' | 'foreign' | 'unknown' | 'crossed' | 'missing' | 'made' | 'test';

/** A status, and the code of a refusal. */
export type Outcome = readonly [status: number, code?: string];
type OutcomeOf = Outcome | ((principal: Principal) => Outcome);

/**
 * The answers of an operation by caller. Written from the interface, not from the mounted routes.
 */
export interface Rule {
  readonly on: readonly Where[];
  readonly expect: (principal: Principal, where: Where) => Outcome;
  /** Whether the operation ignores our credentials, valid or not. */
  readonly isBlind?: true;
}

/** Roles, lowest first. */
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
/** Returns whether a session has no recent proof of a device, as dangerous operations require. */
export const isUnproven = ({ is, method, isStale }: Principal): boolean =>
  is === 'session' && (method === 'email' || isStale === true);
/**
 * The same for operations on a person's own objects: a person with only login emails has no device.
 */
export const isUnprovenSelf = (principal: Principal): boolean =>
  isUnproven(principal) && (principal.method === 'cert' || principal.isCertBacked === true);
/** Returns the account of the object, or null if it does not exist. */
const sideOf = (where: Where): Side | null =>
  where === 'unknown' ? null : where === 'foreign' ? 'foreign' : 'own';
const isInside = (where: Where): boolean => where === 'crossed' || where === 'missing';

/**
 * Returns the refusal of a credential for any operation, or null if the caller is good or
 * anonymous.
 */
export function refusalOf({ is, fault }: Principal): Outcome | null {
  if (is === 'bad') return [401, fault ?? 'credential_invalid'];
  return is === 'ambiguous' ? [400, 'credential_ambiguous'] : null;
}

/** For any caller. Names no object. */
export const anyone = (outcome: Outcome): Rule => ({ on: ['own'], expect: () => outcome });

/** For callers that only its handler authenticates, by a signature or a token of their own. */
export const blind = (outcome: Outcome): Rule => ({ ...anyone(outcome), isBlind: true });

/** For any caller who knows the name. `within` an app, the names of other apps are unknown. */
export const open = (outcome: Outcome, within = false): Rule => ({
  on: within ? nested : objects,
  expect: (_principal, where) => (where === 'unknown' || isInside(where) ? unknown : outcome),
});

/**
 * For any caller who knows the link. A session begins as its person, and if it is limited to one
 * account, only there. A key begins for no person.
 */
export const begun = (outcome: Outcome): Rule => ({
  on: objects,
  expect: ({ is, isLent, of }, where) => {
    if (is === 'check' || is === 'join') return unbelieved;
    if (where === 'unknown') return unknown;
    return isLent && of !== where ? notWhole : outcome;
  },
});

/** Gives the same answer for every caller and object. */
export const alike = (outcome: Outcome): Rule => ({ on: objects, expect: () => outcome });

/** For any session or key. */
export const credential = (outcome: OutcomeOf): Rule => ({
  on: ['own'],
  expect: (principal) => (hasAccount(principal) ? told(outcome, principal) : unbelieved),
});

/** For a person with a session. `whole` excludes sessions that are limited to one account. */
export const person = (outcome: OutcomeOf, whole = false): Rule => ({
  on: ['own'],
  expect: (principal) => {
    if (principal.is !== 'session') return unbelieved;
    return whole && principal.isLent ? notWhole : told(outcome, principal);
  },
});

/** For a person and their own membership of an account. `proven` requires a recent proof. */
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

/** For the owner, who needs a recent proof if they have a device. */
export const owned = (outcome: Outcome): Rule => ({
  on: objects,
  expect: (principal, where) => {
    if (principal.is !== 'session') return unbelieved;
    if (principal.isLent) return notWhole;
    if (isUnprovenSelf(principal)) return unproven;
    return principal.isOwner && principal.of === sideOf(where) ? outcome : unknown;
  },
});

/** Returns the outcome for a member or key of an account on its objects. */
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

/** If a path names two objects: whether the role or the inner object is checked first. */
type Inner = 'none' | 'role first' | 'thing first';

/** For members and keys of the object's account with at least this role. */
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

/** For ADMINs; their sessions need a recent proof of a device. */
export const guarded = (outcome: OutcomeOf, inner: Inner = 'none'): Rule =>
  account('ADMIN', outcome, inner, true);

/**
 * For ADMINs who decide in person, with a recent proof. A key is refused before the objects of the
 * account are looked up.
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

/** For the subject of a check in any account, or an ADMIN of its account, with a recent proof. */
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

/** For members and keys in their current account. Callers without an account get 404. */
export const accountOfCaller = (needed: Role, outcome: Outcome): Rule => ({
  on: ['own'],
  expect: (principal) => {
    if (!hasAccount(principal)) return unbelieved;
    if (principal.of === 'none') return unknown;
    return reaches(principal, needed) ? outcome : tooLow;
  },
});

/** For the MEMBER who created the link, and for ADMINs. */
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

/** For the token of this check, and with `needed` also for that role of its account. */
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

/** For operations that fit no other rule. */
export const special = (on: readonly Where[], expect: Rule['expect']): Rule => ({ on, expect });

/** For the subject of a check in any account, or an ADMIN of its account; others get `below`. */
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
