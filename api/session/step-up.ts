import { adopt, holderOf } from '../../activities/identity/adopt.ts';
import { verifyBundle, type VerifiedBundle } from '../../activities/tokens/verify-bundle.ts';
import { transaction, type Tx } from '../../db/client.ts';
import { isSessionLive } from '../../db/queries/credentials.ts';
import { lockPolyUsers, type PolyUserRow } from '../../db/queries/identities.ts';
import { hasLogins } from '../../db/queries/login-emails.ts';
import { listMemberships } from '../../db/queries/memberships.ts';
import { moveOf } from '../../domain/identity/transitions.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Caller } from '../http/auth/caller.ts';
import { authenticateSession, forgetPerson } from '../http/auth/credentials/session.ts';
import { handler, type Input } from '../http/contract.ts';
import { InvalidRequest } from '../http/problem/problem.ts';
import { presentSession, type OpenedSession } from '../sign-in/answer.ts';
import { chooseAccount } from '../sign-in/choose-account.ts';
import { membershipsFor } from '../sign-in/memberships-for.ts';
import { open } from '../sign-in/open.ts';
import { unlessRefused, type SignInDeps } from '../sign-in/sign-in.ts';
import { sessionContracts } from './contract.ts';

type Session = Extract<Caller, { kind: 'session' }>;
type StepUp = Input<typeof sessionContracts.stepUp>;

/**
 * Opens a session of cert assurance from a session and a bundle. It expires when the first session
 * would have. The bundle's person adopts a person who has only login emails. A person with a device
 * renews its proof.
 */
export const stepUp = handler(sessionContracts.stepUp)(async (input, deps: SignInDeps) => {
  const { body, call } = input;
  const session = await sessionOf(deps, input);
  const rawJwt = body.raw_jwt ?? body.jwt;
  if (rawJwt === undefined) {
    const msg = 'the bundle is required';
    throw new InvalidRequest([{ loc: ['body', 'raw_jwt'], msg, type: 'missing' }]);
  }
  const opened = await unlessRefused(deps, call, async () => {
    const { db, keys, settings } = deps;
    const bundle = await verifyBundle({ db, keys, baseUrl: settings.baseUrl }, rawJwt, call.now);
    return transaction(db, (tx) => elevate(deps, tx, session, bundle, input));
  });
  if (opened.adoptedPolyUserId !== undefined) forgetPerson(opened.adoptedPolyUserId);
  return { status: 200, body: presentSession(opened) };
});

/** Returns the session of the bearer token, else that of the body. */
async function sessionOf(deps: SignInDeps, { caller, body, call }: StepUp): Promise<Session> {
  const { session_token: inBody } = body;
  if (caller.kind === 'session') {
    if (inBody !== undefined) throw new Failure('credential_ambiguous');
    return caller;
  }
  if (inBody === undefined) throw new Failure('credential_missing');
  return authenticateSession(deps, inBody, call.now);
}

async function elevate(
  deps: SignInDeps,
  tx: Tx,
  session: Session,
  bundle: VerifiedBundle,
  { body, call }: StepUp,
): Promise<OpenedSession> {
  const { now } = call;
  const { polyUserId, authTime, deviceId } = bundle;
  const [subject, adopter] = await lockBoth(tx, session.polyUserId, polyUserId);
  const holder = holderOf(subject, adopter);
  const move = moveOf({ on: 'step_up', holder });
  if (move !== 'elevate' && move !== 'adopt') throw new Failure('identity_owned');
  // Two step-ups of one session are serialized by the lock; the first has ended the session.
  if (!(await isSessionLive(tx, session, now))) throw new Failure('credential_invalid');
  // A provider's sign-in does not give access to a person's login emails and their rights.
  const isLent = session.provider !== undefined && (await hasLogins(tx, session.polyUserId));
  if (move === 'adopt' && (isLent || !haveSameScope(session, bundle))) {
    throw new Failure('own_sign_in_required');
  }
  if (move === 'adopt') await adopt(tx, { ids: deps.ids, now }, subject, adopter);
  const { provider } = session;
  const memberships = membershipsFor(session, await listMemberships(tx, polyUserId, provider));
  // No membership of the session is left: the person must sign in with the bundle itself.
  if (provider !== undefined && memberships.length === 0) throw new Failure('own_sign_in_required');
  const wanted = { ...body, current: session.accountId, confinedTo: session.confinedTo };
  const acting = await chooseAccount({ db: tx }, bundle, wanted, memberships);
  // The expiry does not change, nor the limits by its provider.
  const kept = { notAfter: session.expiresAt, ...(provider === undefined ? {} : { provider }) };
  const proved = { polyUserId, authMethod: 'cert', authTime, deviceId } as const;
  const opening = { ...proved, ...acting, ...kept };
  const opened = await open(deps, tx, opening, now);
  return move === 'adopt' ? { ...opened, adoptedPolyUserId: subject.poly_user_id } : opened;
}

/** An adoption joins two people in all accounts. A proof shown to an app is not enough for that. */
const haveSameScope = ({ confinedTo }: Session, { audience, appId }: VerifiedBundle): boolean =>
  confinedTo === undefined && audience.kind === 'platform' && appId === null;

async function lockBoth(
  tx: Tx,
  subjectId: string,
  adopterId: string,
): Promise<readonly [PolyUserRow, PolyUserRow]> {
  const rows = await lockPolyUsers(tx, [subjectId, adopterId]);
  const subject = rows.find(({ poly_user_id: id }) => id === subjectId);
  const adopter = rows.find(({ poly_user_id: id }) => id === adopterId);
  if (!subject || !adopter) throw new Failure('credential_invalid');
  return [subject, adopter];
}
