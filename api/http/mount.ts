import { createHash } from 'node:crypto';
import type { Express, IRoute, IRouter, NextFunction, Request, Response } from 'express';
import { isDatabaseUnavailable } from '../../db/connection-errors.ts';
import { inOpenScope } from '../../db/rights/account-scope.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { assertOwnDeviceProof } from './auth/assurance.ts';
import { refusalReasonOf } from './auth/attest/attest-faults.ts';
import { readAttest } from './auth/attest/attest.ts';
import { authenticate } from './auth/authenticate.ts';
import { checkKeyMode, createAuthorization, limitToAccount } from './auth/authorize.ts';
import { callerName, type AttestedDevice, type Caller } from './auth/caller.ts';
import { proveBody, proveKey } from './auth/dpop/prove-key.ts';
import { checkKeyLimits, keyScopeOf } from './auth/scopes.ts';
import { assertUnlimitedSession } from './auth/session-scope.ts';
import type { AnyAnswer, AnyHandle, CallFacts, Contract, Family } from './contract.ts';
import { runOnce, type Once } from './idempotency.ts';
import { countCall, createLimiter, limitKeyOf, type Limiter } from './limits.ts';
import { checkBodyHeaders, readBody, type ReadBody } from './parse/body.ts';
import { parseRequest } from './parse/parse.ts';
import { sendProblem } from './problem/problem.ts';
import { sendReply } from './reply.ts';
import { routersByFirstSegment } from './routes/first-segment.ts';
import { missingDetail } from './routes/missing.ts';
import { groupByShape, isPathOf, refuseOtherMethods } from './routes/other-methods.ts';
import { byRouteOrder, expressPath } from './routes/route-order.ts';
import { factsOf } from './server/call-facts.ts';
import { allowOrigin } from './server/cors.ts';
import { networkOf } from './server/network-of.ts';
import { checkVersion } from './server/version.ts';

/** The dependencies of the handlers, and those of the router itself. */
interface Router {
  readonly deps: Deps;
  readonly limiter: Limiter;
}

interface Route {
  readonly contract: Contract;
  readonly handle: AnyHandle;
}

/** All that identifies the caller. */
interface Who {
  readonly caller: Caller;
  readonly attested: AttestedDevice | null;
  /** Thumbprint of the key that signed the request with a `DPoP` header. */
  readonly clientKey: string | null;
  readonly call: CallFacts;
}

/**
 * Minimum key length for an anonymous caller, who is identified by the key alone: a phone can
 * change its network between two tries. 22 characters hold 128 unguessable bits.
 */
const anonymousKeyLengthMin = 22;

/** Returns every route of the families, in the order in which Express must match them. */
export function orderedRoutes(families: readonly Family[]): Route[] {
  const routes = families.flatMap((family) => family.routes);
  for (const { contract } of routes) checkPolicy(contract);
  return [...routes].sort((a, b) => byRouteOrder(a.contract.path, b.contract.path));
}

/** Mounts all families. Only this file connects contracts, credentials and failures with HTTP. */
export function mount(app: Express, families: readonly Family[], deps: Deps): void {
  const router: Router = { deps, limiter: createLimiter(deps.db) };
  const layers = new Map<string, IRoute>();
  const routerOf = routersByFirstSegment(app);
  for (const routes of groupByShape(orderedRoutes(families))) {
    const [first] = routes;
    if (!first) continue;
    // Paths of one shape have the same first segment.
    const parent = routerOf(first.contract.path);
    for (const route of routes) mountRoute(parent, layers, route, router);
    refuseOtherMethods(
      parent,
      routes.map(({ contract }) => contract),
    );
  }
}

function mountRoute(
  parent: IRouter,
  layers: Map<string, IRoute>,
  { contract, handle }: Route,
  router: Router,
): void {
  const { deps } = router;
  const path = expressPath(contract.path);
  // One layer per path, for all its methods, because Express matches layers one by one.
  const layer = layers.get(path) ?? parent.route(path);
  layers.set(path, layer);
  if (contract.cors) {
    layer.options((request, response) => preflight(contract, deps, request, response));
  }
  layer[contract.method](async (request: Request, response: Response, next: NextFunction) => {
    if (!isPathOf(contract, request.path)) return next();
    const { traceparent } = request.headers;
    const call = { method: contract.method.toUpperCase(), route: contract.path, traceparent };
    await deps.telemetry.serve(call, async () => {
      await inOpenScope(() => answer(contract, handle, router, request, response));
      return response.statusCode;
    });
  });
}

/**
 * Denies by default.
 * @throws Error for a row without an auth policy, or with a role that none of its callers can have
 */
function checkPolicy(contract: Contract): void {
  if (contract.auth.length === 0) throw new Error(`${contract.id}: no auth policy is declared`);
  if (contract.role && !contract.auth.some((kind) => kind === 'key' || kind === 'session')) {
    throw new Error(`${contract.id}: a role is declared for callers that have none`);
  }
  if (contract.auth.includes('key') !== (contract.keyMode !== undefined)) {
    throw new Error(`${contract.id}: rows that admit API keys, and no others, name a keyMode`);
  }
  keyScopeOf(contract);
  const isStream = Object.values(contract.replies).some(({ kind }) => kind === 'stream');
  if (isStream && contract.idempotent) throw new Error(`${contract.id}: a stream is not repeated`);
}

async function preflight(
  contract: Contract,
  deps: Deps,
  request: Request,
  response: Response,
): Promise<void> {
  factsOf(deps, request, response);
  await allowOrigin(deps, contract, request, response);
  response.status(204).end();
}

async function answer(
  contract: Contract,
  handle: AnyHandle,
  router: Router,
  request: Request,
  response: Response,
): Promise<void> {
  const { deps } = router;
  const started = performance.now();
  const call = factsOf(deps, request, response);
  try {
    if (contract.cors) await allowOrigin(deps, contract, request, response);
    const reply = await perform(contract, handle, router, request, response, call);
    await sendReply(response, contract, reply, deps.settings.checkReplies);
  } catch (error) {
    if (response.headersSent) breakOff(contract, deps, response, call, error);
    else refuse(contract, deps, response, call, error);
  }
  const tookMs = performance.now() - started;
  deps.telemetry.metrics.observeRequest(contract.id, response.statusCode, tookMs);
}

function refuse(
  contract: Contract,
  { settings, telemetry }: Deps,
  response: Response,
  { requestId }: CallFacts,
  error: unknown,
): void {
  const fault = sendProblem(response, toFailure(error), {
    requestId,
    baseUrl: settings.baseUrl,
    missingDetail: missingDetail(contract),
  });
  const refused = fault instanceof Failure ? refusalReasonOf(fault) : null;
  if (refused) telemetry.metrics.attestationRefusals.inc({ reason: refused });
  if (response.statusCode < 500) return;
  telemetry.log.error({ request_id: requestId, operation: contract.id, err: fault }, 'fault');
}

/** Ends a response that was partly sent, so that the client detects that it is incomplete. */
function breakOff(
  { id }: Contract,
  { telemetry }: Deps,
  response: Response,
  { requestId }: CallFacts,
  error: unknown,
): void {
  response.destroy();
  const isLeft = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
  if (isLeft) return;
  telemetry.log.error({ request_id: requestId, operation: id, err: error }, 'broken off');
}

/** Maps a lost database connection to 503 with Retry-After. */
function toFailure(error: unknown): unknown {
  if (!isDatabaseUnavailable(error)) return error;
  return new Failure('dependency_unavailable', { cause: error, retryAfterSeconds: 2 });
}

async function perform(
  contract: Contract,
  handle: AnyHandle,
  { deps, limiter }: Router,
  request: Request,
  response: Response,
  call: CallFacts,
): Promise<AnyAnswer> {
  if (contract.limit?.by === 'address') {
    await countCall(contract, limiter, response, networkOf(call.address));
  }
  checkVersion(request);
  checkBodyHeaders(contract, request);
  const caller = await authenticate(contract.auth, request, deps, call.now);
  limitToAccount(contract, caller);
  const proof = await proveKey(deps, contract, request, response, caller, call.now);
  if (contract.limit?.by === 'caller') {
    await countCall(contract, limiter, response, limitKeyOf(caller, call.address));
  }
  if (contract.actsFor === 'person') assertUnlimitedSession(caller);
  if (contract.assurance && !contract.role) await assertOwnDeviceProof(deps.db, caller, call.now);
  checkKeyMode(contract, caller);
  checkKeyLimits(contract, caller);
  // Reads the body only after the caller is authenticated.
  const body = await readBody(contract, request);
  await proveBody(proof, body.bytes);
  const attested = await readAttest(contract, deps, request, response, body.bytes, call.now);
  const clientKey = proof?.jkt ?? null;
  const parsed = parseRequest(contract, request, body, response);
  const access = createAuthorization(contract, caller, call.now);
  const run = (seed: string): Promise<AnyAnswer> =>
    handle({ ...parsed, caller, attested, clientKey, call, seed, ...access } as never, deps);
  const work = { run, asked: access.accounts, authorize: access.authorizeIn };
  const reply = await once(
    contract,
    deps,
    request,
    body,
    { caller, attested, clientKey, call },
    work,
  );
  if (contract.role && access.accounts.size === 0 && deps.settings.checkReplies) {
    throw new Error(`${contract.id} declares a role and did not authorize its caller`);
  }
  // A replayed response was authorized when it was made.
  const isUnchecked = caller.kind === 'api-key' && contract.keyMode !== 'self';
  if (isUnchecked && !access.isAsked() && !isReplayed(reply)) {
    throw new Error(`${contract.id} did not check which objects the key of its caller reaches`);
  }
  return reply;
}

async function once(
  contract: Contract,
  deps: Deps,
  request: Request,
  body: ReadBody,
  who: Who,
  work: Once,
): Promise<AnyAnswer> {
  const key = contract.idempotent ? request.get('idempotency-key') : undefined;
  if (key === undefined) return work.run(deps.ids.uuid());
  const scope = scopeOf(who);
  const lengthMin = scope === null ? anonymousKeyLengthMin : 1;
  if (!/^[\x21-\x7e]{1,255}$/.test(key) || key.length < lengthMin) {
    throw new Failure('idempotency_key_invalid', { extra: { loc: ['header', 'idempotency-key'] } });
  }
  const fingerprint = createHash('sha256')
    .update(who.call.originalUrl)
    .update('\n')
    .update(body.bytes);
  const { id } = request.params;
  const isOfSession = contract.id.startsWith('trust-checks.') && typeof id === 'string';
  return runOnce(
    deps,
    {
      // The response has a token that works only with that key.
      scope: [...(scope ?? ['anonymous']), ...(contract.clientKey ? [who.clientKey] : [])],
      operation: contract.id,
      key,
      fingerprint: fingerprint.digest(),
      ...(isOfSession ? { linkSessionId: id } : {}),
    },
    work,
  );
}

/**
 * Returns what identifies a caller: their name, the account they act for, and the phone
 * that signed the request. Null for an anonymous caller without a phone.
 */
function scopeOf({ caller, attested }: Who): (string | number | null)[] | null {
  if (caller.kind === 'anonymous') return attested && ['device', attested.deviceId];
  const accountId = 'accountId' in caller ? caller.accountId : null;
  return [callerName(caller), accountId, ...(attested ? [attested.deviceId] : [])];
}

const isReplayed = ({ headers }: AnyAnswer): boolean =>
  headers?.['Idempotent-Replayed'] !== undefined;
