import { setTimeout as sleep } from 'node:timers/promises';
import { clientKeyOf } from '../device/client-key.ts';
import { createDevice, type Device } from '../device/device.ts';
import { spoiledBy, type PhoneFailure } from '../failures/failures.ts';
import { CallFailed, createClient, signedBy, type Call } from './client.ts';
import { enroll } from './enroll.ts';
import { submitProof } from './submit-proof.ts';
import { linkTokens } from './link-tokens.ts';
import { newKey, post, type PhoneCheckOptions, type PhoneSession } from './session-calls.ts';

export interface CheckedSession {
  readonly link_session_id: string;
  readonly app_id: string;
  readonly status: string;
  readonly reason_code: string | null;
  readonly proofs: { type: string; status: string; reason_code: string | null }[];
  /** The proved claims, for the bundles of this phone. */
  readonly verified_claims_token?: string | null;
}

interface Preview {
  readonly status: string;
  readonly actionable: boolean;
  readonly link_uuid: string;
  readonly app: { app_id: string; tos_version: string };
  readonly required_proofs: string[];
  readonly requested_claims: string[];
  readonly requester: { account_name: string };
}

interface BegunSession {
  readonly link_session_id: string;
  readonly check_token: string;
  readonly client: string;
  /** Null if another client began the session. */
  readonly resume_token: string | null;
}

/**
 * The link does not require a proof that the failure affects. The check would pass and test
 * nothing.
 */
export class NothingToSpoil extends Error {
  override readonly name = 'NothingToSpoil';
}

/** Limits the cancellation after a failure, because the caller waits for the original error. */
const cancelMsMax = 5_000;

/**
 * Runs one trust check like the mobile app: open the link, begin, enroll, pair, consent, submit
 * every required proof. Uses only public endpoints. Reads the SMS code from the outbox instead of
 * the phone.
 * The phone is enrolled after the link allows it to begin, and it stays enrolled whatever follows.
 * A phone that is already enrolled signs the begin request. If pairing fails, the session that the
 * phone began is canceled.
 * @throws NothingToSpoil before the check begins
 */
export async function phoneCheck(options: PhoneCheckOptions): Promise<CheckedSession> {
  const link = new URL(options.link);
  const call = options.call ?? createClient(link.origin);
  const preview = await call<Partial<Preview>>('GET', `${link.pathname}?format_type=J`);
  if (!isPreview(preview)) throw new Error('the address is not that of a link');
  if (!preview.actionable) throw new Error(`the link is ${preview.status}: it begins no check`);
  holdFailure(options.fail, preview.required_proofs);
  options.say(`the link is ${preview.status}`);
  options.say(`${preview.requester.account_name} requests: ${preview.required_proofs.join(', ')}`);
  const begun = await beginOrReplace(call, preview, link, options);
  const running = await enrollAndPair(begun, preview.app.app_id).catch(async (error: unknown) => {
    if (begun.isOwn) await cancel(begun);
    throw error;
  });
  await step(running, 'consent', {
    accepted: true,
    tos_version: preview.app.tos_version,
    claims: preview.requested_claims,
  });
  for (const proof of preview.required_proofs.toSorted(faceLast)) {
    const status = await submitProof(running, proof);
    const isVerdictHidden = status === 'submitted' && (await isCollecting(running));
    if (status !== 'passed' && !isVerdictHidden) break;
  }
  const read = await readDecided(running);
  const session = { ...read, app_id: preview.app.app_id };
  const { device } = running.options;
  device.verifiedClaims = session.verified_claims_token ?? device.verifiedClaims;
  await options.keep?.(device);
  return session;
}

const askAgainMs = 1_000;
const asksMax = 30;

/** Waits for the decision, which follows shortly after the last proof. */
async function readDecided({ call, id, token }: PhoneSession): Promise<CheckedSession> {
  const read = () => call<CheckedSession>('GET', `/v2/trust-checks/${id}`, { token });
  let session = await read();
  for (let asks = 1; session.status === 'processing' && asks < asksMax; asks += 1) {
    await sleep(askAgainMs);
    session = await read();
  }
  return session;
}

/** Used if the account hides how a proof was judged. */
async function isCollecting({ call, id, token }: PhoneSession): Promise<boolean> {
  const { status } = await call<CheckedSession>('GET', `/v2/trust-checks/${id}`, { token });
  return status === 'collecting';
}

function holdFailure(fail: PhoneFailure | undefined, requiredProofs: readonly string[]): void {
  const proofs = fail ? spoiledBy(fail) : [];
  if (proofs.length === 0 || proofs.some((proof) => requiredProofs.includes(proof))) return;
  throw new NothingToSpoil(`--fail ${fail}: the link requests no ${proofs.join(', no ')}`);
}

/** Sorts the face last, because it needs a portrait to compare with. */
const faceLast = (one: string, other: string): number =>
  Number(one === 'biometric') - Number(other === 'biometric');

/** Why a saved phone may be refused although a new one is accepted. */
const outdated: Readonly<Record<string, string>> = {
  signature_invalid: 'this platform does not know the phone kept here',
  counter_replay: 'the phone kept here is older than what this platform knows of it',
};

/**
 * Begins with the phone, or replaces it with a new one. A saved phone may be unknown to this
 * platform, which then reports a wrong signature. Its file may also be out of date.
 */
async function beginOrReplace(
  call: Call,
  preview: Preview,
  link: URL,
  options: PhoneCheckOptions,
): Promise<PhoneSession> {
  try {
    return await begin(call, preview, link, options);
  } catch (error) {
    const why = error instanceof CallFailed && outdated[error.reasonCode ?? error.code];
    const device = why ? options.newDevice?.() : undefined;
    if (!device) throw error;
    options.say(`${why}; a new one takes its place`);
    return begin(call, preview, link, { ...options, device });
  }
}

/** Begins a session, or joins the one whose page shows this link. The platform decides. */
async function begin(
  bare: Call,
  { link_uuid, app: { app_id }, required_proofs: asked, requested_claims: claims }: Preview,
  link: URL,
  options: PhoneCheckOptions,
): Promise<PhoneSession> {
  const { device, keep } = options;
  const call = signedBy(await clientKeyOf(device), bare);
  const begun = await call<BegunSession>('POST', '/v2/trust-checks', {
    body: { link_uuid, app_id, client: 'mobile', ...linkTokens(link) },
    idempotencyKey: newKey(),
    ...(device.enrolled ? { device, onSigned: async () => keep?.(device) } : {}),
  });
  const isPage = begun.client === 'web';
  const whose = isPage
    ? 'the page that waits'
    : 'this phone; a page of the link has another session';
  options.say(`session ${begun.link_session_id}, of ${whose}`);
  const isOwn = begun.resume_token !== null;
  return {
    call,
    id: begun.link_session_id,
    token: begun.check_token,
    options,
    isOwn,
    asked,
    claims,
  };
}

async function enrollAndPair(begun: PhoneSession, appId: string): Promise<PhoneSession> {
  const { device, say } = begun.options;
  const isKept = device.enrolled !== null;
  await enrollAndKeep(begun, appId);
  say(`phone ${device.enrolled?.deviceId} is ${isKept ? 'the one kept here' : 'enrolled'}`);
  await step(begun, 'pair', {});
  if (begun.options.fail !== 'other_phone') return begun;
  return { ...begun, signer: await otherPhone(begun, appId) };
}

/** Enrolls another phone of the same platform that belongs to another person. */
async function otherPhone({ call, options }: PhoneSession, appId: string): Promise<Device> {
  const { platform } = options.device;
  const other = createDevice({ platform, trust: options.trust, now: () => new Date() });
  await enroll(call, other, appId);
  return other;
}

/**
 * Cancels the session to release the link. Never throws, so that the original error is reported.
 */
async function cancel({ call, id, token, options }: PhoneSession): Promise<void> {
  const canceled = call('POST', `/v2/trust-checks/${id}/cancel`, {
    token,
    idempotencyKey: newKey(),
    patienceMs: cancelMsMax,
  });
  const result = await canceled.then(
    () => 'is canceled',
    (error: unknown) => `could not be canceled, it ends by itself (${String(error)})`,
  );
  options.say(`session ${id} ${result}`);
}

async function enrollAndKeep({ call, options }: PhoneSession, appId: string): Promise<void> {
  if (options.device.enrolled) return;
  await enroll(call, options.device, appId);
  await options.keep?.(options.device);
}

function isPreview(answer: Partial<Preview>): answer is Preview {
  const { link_uuid, app, requester, required_proofs, requested_claims } = answer;
  return Boolean(link_uuid && app && requester && required_proofs && requested_claims);
}

async function step(running: PhoneSession, name: string, body: unknown): Promise<void> {
  const session = await post<CheckedSession>(running, name, body);
  running.options.say(`${name}: ${session.status}`);
}
