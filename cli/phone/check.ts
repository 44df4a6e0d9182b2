import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { insertChip } from './chip.ts';
import { CallFailed, createClient, type Call } from './client.ts';
import type { DevTrust } from './dev-trust.ts';
import type { Device } from './device.ts';
import { enroll } from './enroll.ts';
import type { PhoneFailure } from './failures.ts';
import { linkTokens } from './link-tokens.ts';
import { readCode } from './read-code.ts';

export interface PhoneCheckOptions {
  readonly link: string;
  readonly number: string;
  readonly trust: DevTrust;
  readonly device: Device;
  /**
   * Makes the phone that takes the place of one kept from earlier, where the platform is another.
   */
  readonly newDevice?: (() => Device) | undefined;
  readonly fail?: PhoneFailure | undefined;
  readonly say: (line: string) => void;
  /** How the service is called, when not as apps do it. */
  readonly call?: Call;
  /** How a slow phone waits, when not by the clock. */
  readonly waitUntil?: (at: Date) => Promise<void>;
  /** Called with the phone once it has signed, before that is sent: its counter is never behind. */
  readonly keep?: (device: Device) => Promise<void>;
}

export interface CheckedSession {
  readonly link_session_id: string;
  readonly status: string;
  readonly reason_code: string | null;
  readonly proofs: { type: string; status: string; reason_code: string | null }[];
  /** What the check proved, for the bundles of this phone. */
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

interface Running {
  readonly call: Call;
  readonly id: string;
  readonly token: string;
  readonly options: PhoneCheckOptions;
  /** Whether this phone began the session itself, so that it holds the link for nobody else. */
  readonly isOwn: boolean;
  /** The proofs that are asked for. */
  readonly asked: readonly string[];
}

/** A platform that answered a moment ago; whoever waits wants to know of the fault before it. */
const cancelMsMax = 5_000;

/**
 * Runs one trust check as the mobile app would: open the link, begin, enrol, pair, consent, hand in
 * every proof that is asked for. A phone is enrolled once the link has let it begin, and kept then,
 * whatever follows; a session it began and could not pair with is canceled. Only public endpoints
 * are used; the code comes from the outbox, where a person would read it on the phone.
 */
export async function phoneCheck(options: PhoneCheckOptions): Promise<CheckedSession> {
  const link = new URL(options.link);
  const call = options.call ?? createClient(link.origin);
  const preview = await call<Partial<Preview>>('GET', `${link.pathname}?format_type=J`);
  if (!isPreview(preview)) throw new Error('the address is not that of a link');
  if (!preview.actionable) throw new Error(`the link is ${preview.status}: it begins no check`);
  options.say(`the link is ${preview.status}`);
  options.say(`${preview.requester.account_name} asks for: ${preview.required_proofs.join(', ')}`);
  const begun = await begin(call, preview, link, options);
  const running = await enrolAndPair(begun, preview.app.app_id).catch(async (error: unknown) => {
    if (begun.isOwn) await cancel(begun);
    throw error;
  });
  await step(running, 'consent', {
    accepted: true,
    tos_version: preview.app.tos_version,
    claims: preview.requested_claims,
  });
  for (const proof of preview.required_proofs.toSorted(faceLast)) {
    const status = await handIn({ ...running, asked: preview.required_proofs }, proof);
    if (status !== 'passed') break;
  }
  const session = await call<CheckedSession>('GET', `/v2/trust-checks/${running.id}`, {
    token: running.token,
  });
  const { device } = running.options;
  device.verifiedClaims = session.verified_claims_token ?? device.verifiedClaims;
  await options.keep?.(device);
  return session;
}

/** A face is shown once there is a portrait to hold it against. */
const faceLast = (one: string, other: string): number =>
  Number(one === 'biometric') - Number(other === 'biometric');

/**
 * Begins a session, or joins one that waits: which of them the platform decides. On a link that was
 * reserved before, the session is that of whoever holds it, be it another phone.
 */
async function begin(
  call: Call,
  { link_uuid, status, app: { app_id } }: Preview,
  link: URL,
  options: PhoneCheckOptions,
): Promise<Running> {
  const begun = await call<{ link_session_id: string; check_token: string; client: string }>(
    'POST',
    '/v2/trust-checks',
    {
      body: { link_uuid, app_id, client: 'mobile', ...linkTokens(link) },
      idempotencyKey: newKey(),
    },
  );
  const isPage = begun.client === 'web';
  const whose = isPage
    ? 'the page that waits'
    : 'this phone; a page of the link has one of its own';
  options.say(`session ${begun.link_session_id}, of ${whose}`);
  const isOwn = begun.client === 'mobile' && status === 'active';
  return { call, id: begun.link_session_id, token: begun.check_token, options, isOwn };
}

async function enrolAndPair(begun: Running, appId: string): Promise<Running> {
  const { device, say } = begun.options;
  const isKept = device.enrolled !== null;
  await enrolAndKeep(begun, appId);
  say(`phone ${device.enrolled?.deviceId} is ${isKept ? 'the one kept here' : 'enrolled'}`);
  return pair(begun, appId);
}

/** Gives the link back. Never throws: what led to it is what is to be told. */
async function cancel({ call, id, token, options }: Running): Promise<void> {
  const canceled = call('POST', `/v2/trust-checks/${id}/cancel`, {
    token,
    idempotencyKey: newKey(),
    patienceMs: cancelMsMax,
  });
  const said = await canceled.then(
    () => 'is canceled',
    (error: unknown) => `could not be canceled, it ends by itself (${String(error)})`,
  );
  options.say(`session ${id} ${said}`);
}

async function enrolAndKeep({ call, options }: Running, appId: string): Promise<void> {
  if (options.device.enrolled) return;
  await enroll(call, options.device, appId);
  await options.keep?.(options.device);
}

function isPreview(answer: Partial<Preview>): answer is Preview {
  const { link_uuid, app, requester, required_proofs, requested_claims } = answer;
  return Boolean(link_uuid && app && requester && required_proofs && requested_claims);
}

/** What a phone kept from earlier may be refused for, which a new one is not. */
const outdated: Readonly<Record<string, string>> = {
  signature_invalid: 'this platform does not know the phone kept here',
  counter_replay: 'the phone kept here is older than what this platform knows of it',
};

/**
 * Pairs the phone with the session. One kept from earlier may be unknown here, which the platform
 * tells as a wrong signature, or its file an old one: then a new one is enrolled and goes on in its
 * place.
 */
async function pair(running: Running, appId: string): Promise<Running> {
  try {
    await step(running, 'pair', {});
    return running;
  } catch (error) {
    const why = error instanceof CallFailed && outdated[error.reasonCode ?? error.code];
    const device = why ? running.options.newDevice?.() : undefined;
    if (!device) throw error;
    const again = { ...running, options: { ...running.options, device } };
    await enrolAndKeep(again, appId);
    running.options.say(`${why}; ${device.enrolled?.deviceId} takes its place`);
    await step(again, 'pair', {});
    return again;
  }
}

/** One call about the session, signed by the phone where it is one that changes something. */
async function post<T>(running: Running, name: string, body: unknown): Promise<T> {
  const { call, id, token, options } = running;
  const { device, keep } = options;
  const isSigned = name === 'pair' || name.startsWith('proofs/');
  return call<T>('POST', `/v2/trust-checks/${id}/${name}`, {
    body,
    token,
    idempotencyKey: newKey(),
    ...(isSigned ? { device, onSigned: async () => keep?.(device) } : {}),
  });
}

async function step(running: Running, name: string, body: unknown): Promise<void> {
  const session = await post<CheckedSession>(running, name, body);
  running.options.say(`${name}: ${session.status}`);
}

async function handIn(running: Running, proof: string): Promise<string> {
  if (proof === 'device') return submit(running, proof, {});
  if (proof === 'phone') return handInCode(running);
  if (proof === 'nfc_passport') return untilJudged(() => handInPassport(running));
  if (proof === 'document') return untilJudged(() => handInDocument(running));
  throw new Error(`this phone has no ${proof} proof`);
}

async function submit(running: Running, proof: string, body: unknown): Promise<string> {
  const judged = await post<{ status: string; reason_code: string | null }>(
    running,
    `proofs/${proof}`,
    body,
  );
  running.options.say(
    `${proof}: ${judged.status}${judged.reason_code ? ` (${judged.reason_code})` : ''}`,
  );
  return judged.status;
}

/** Reads the chip: its files, and its answer to the challenge we were given for it. */
async function handInPassport(running: Running): Promise<string> {
  const { options } = running;
  const chip = insertChip(options.trust, new Date(), options.fail);
  const given = await post<{ challenge_id: string; challenge: string; expires_at: string }>(
    running,
    'challenges',
    { proof: 'nfc_passport' },
  );
  await dawdle(options, 'the challenge', given.expires_at);
  const answer = chip.answer(Buffer.from(given.challenge, 'base64url'));
  const groups: Record<string, string> = {};
  for (const [name, file] of Object.entries(chip.dataGroups)) {
    groups[name] = await upload(running, name, file);
  }
  return submit(running, 'nfc_passport', {
    sod: await upload(running, 'SOD', chip.sod),
    data_groups: groups,
    active_auth: {
      challenge_id: given.challenge_id,
      signature: await upload(running, 'AA', answer),
    },
  });
}

/** Takes a photograph of the page that a person would hold before the camera. */
async function handInDocument(running: Running): Promise<string> {
  // Drawing takes libraries that no other proof does.
  const { photographPassport } = await import('./camera.ts');
  const image = await photographPassport(new Date(), running.options.fail);
  return submit(running, 'document', { front: await upload(running, 'front.jpg', image) });
}

async function upload(running: Running, name: string, bytes: Uint8Array): Promise<string> {
  const { call, id, token } = running;
  const path = `/v2/trust-checks/${id}/evidence/${name}`;
  return (await call<{ evidence_id: string }>('PUT', path, { bytes, token })).evidence_id;
}

async function handInCode(running: Running): Promise<string> {
  const { options } = running;
  const sent = await post<{ sent_to: string; expires_at: string }>(running, 'phone/code', {
    phone_number: options.number,
  });
  options.say(`code sent to ${sent.sent_to}`);
  const code = await readCode(running.call, options.number);
  await dawdle(options, 'the code', sent.expires_at);
  const wrong = code === '000000' ? '000001' : '000000';
  const isWrong = options.fail === 'wrong_code';
  return untilJudged(() => submit(running, 'phone', { code: isWrong ? wrong : code }));
}

/** Tries again as often as it may. */
async function untilJudged(attempt: () => Promise<string>): Promise<string> {
  let status = 'requires_retry';
  for (let count = 0; status === 'requires_retry' && count < 10; count += 1) {
    status = await attempt();
  }
  return status;
}

/** A slow phone answers when what it answers has ended. */
async function dawdle(options: PhoneCheckOptions, what: string, end: string): Promise<void> {
  if (options.fail !== 'slow') return;
  const at = new Date(Date.parse(end) + 1000);
  options.say(`waits until ${what} has ended, at ${at.toISOString()}`);
  await (options.waitUntil ?? untilThen)(at);
}

const untilThen = (at: Date): Promise<void> => sleep(Math.max(0, at.getTime() - Date.now()));

const newKey = (): string => randomBytes(16).toString('hex');
