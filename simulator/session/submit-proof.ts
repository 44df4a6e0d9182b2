import { setTimeout as sleep } from 'node:timers/promises';
import type { FaceAction } from '../../domain/proofs/face/challenge.ts';
import { leftOutWith } from '../passport/chip-faults.ts';
import { answersOf, insertChip, type ChipChallenge } from '../passport/chip.ts';
import { readCode } from './read-code.ts';
import { post, type PhoneCheckOptions, type PhoneSession } from './session-calls.ts';

/** Submits one proof, with the allowed retries. Returns its final state. */
export async function submitProof(running: PhoneSession, proof: string): Promise<string> {
  if (proof === 'device') return submit(running, proof, {});
  if (proof === 'phone') return handInCode(running);
  if (proof === 'nfc_passport') return untilJudged(() => handInPassport(running));
  if (proof === 'document') return untilJudged(() => handInDocument(running));
  if (proof === 'biometric') return untilJudged(() => handInFace(running));
  throw new Error(`this phone has no ${proof} proof`);
}

interface JudgedProof {
  readonly type: string;
  readonly status: string;
  readonly reason_code: string | null;
}

const askAgainMs = 1_000;

async function submit(running: PhoneSession, proof: string, body: unknown): Promise<string> {
  const { say } = running.options;
  let judged = await post<JudgedProof>(running, `proofs/${proof}`, body);
  if (judged.status === 'processing') say(`${proof}: is still judged`);
  while (judged.status === 'processing') {
    await sleep(askAgainMs);
    judged = await proofOf(running, proof);
  }
  say(`${proof}: ${judged.status}${judged.reason_code ? ` (${judged.reason_code})` : ''}`);
  return judged.status;
}

/** Returns the current state of a proof in the session. */
async function proofOf({ call, id, token }: PhoneSession, type: string): Promise<JudgedProof> {
  const path = `/v2/trust-checks/${id}`;
  const { proofs } = await call<{ proofs: JudgedProof[] }>('GET', path, { token });
  const found = proofs.find((proof) => proof.type === type);
  if (!found) throw new Error(`the session requests no ${type}`);
  return found;
}

/** Reads the chip: its files, and its responses to the challenge of the session. */
async function handInPassport(running: PhoneSession): Promise<string> {
  const { options } = running;
  const { fail } = options;
  const chip = insertChip(options.trust, new Date(), fail, await portraitInChip(running));
  const groups: Record<string, string> = {};
  for (const [name, file] of Object.entries(chip.dataGroups)) {
    groups[name] = await upload(running, name, file);
  }
  const body = { proof: 'nfc_passport', dg14: groups['DG14'] };
  const given = await post<ChipChallenge>(running, 'challenges', body);
  await dawdle(options, 'the challenge', given.expires_at);
  const leftOut = leftOutWith(fail);
  const named = Object.entries(groups).filter(([name]) => name !== leftOut);
  return submit(running, 'nfc_passport', {
    sod: await upload(running, 'SOD', chip.sod),
    data_groups: Object.fromEntries(named),
    ...(await answersOf(chip, given, (name, bytes) => upload(running, name, bytes))),
  });
}

async function portraitInChip(running: PhoneSession): Promise<Uint8Array | undefined> {
  if (!asksForFace(running) && !running.claims.includes('photo')) return undefined;
  const { chipPortrait, emptyPortrait } = await import('../face/face.ts');
  return running.options.fail === 'portrait_empty' ? emptyPortrait() : chipPortrait();
}

/** Photographs the document that a person would hold in front of the camera. */
async function handInDocument(running: PhoneSession): Promise<string> {
  // Only this proof needs the drawing libraries.
  const { photographDocument } = await import('../document/camera.ts');
  const { document, fail } = running.options;
  const portrait = asksForFace(running)
    ? await (await import('../face/face.ts')).printedPortrait()
    : undefined;
  const { front, back } = await photographDocument(new Date(), { document, fail, portrait });
  return submit(running, 'document', {
    front: await upload(running, 'front.jpg', front),
    ...(back ? { back: await upload(running, 'back.jpg', back) } : {}),
  });
}

/**
 * Returns true if the session compares a face with the portrait; otherwise no portrait is drawn.
 */
const asksForFace = ({ asked }: PhoneSession): boolean => asked.includes('biometric');

/** Performs the challenge in front of the camera, in the time a person needs. */
async function handInFace(running: PhoneSession): Promise<string> {
  const { options } = running;
  // Only this proof needs the face detection networks.
  const { showFace } = await import('../face/face.ts');
  const given = await post<{ challenge_id: string; actions?: FaceAction[]; expires_at: string }>(
    running,
    'challenges',
    { proof: 'biometric' },
  );
  if (!given.actions) throw new Error('a provider judges faces here: no camera of it is simulated');
  const begunMs = Date.now();
  options.say(`asked to: ${given.actions.join(', ')}`);
  const seen = await showFace(given.actions, options.fail);
  const frames: { image: string; at_ms: number; action: number }[] = [];
  for (const { image, atMs, action } of seen) {
    const name = `frame-${given.challenge_id}-${frames.length}.jpg`;
    frames.push({ image: await upload(running, name, image), at_ms: atMs, action });
  }
  await untilThen(new Date(begunMs + (frames.at(-1)?.at_ms ?? 0)));
  await dawdle(options, 'the challenge', given.expires_at);
  return submit(running, 'biometric', { challenge_id: given.challenge_id, frames });
}

async function upload(running: PhoneSession, name: string, bytes: Uint8Array): Promise<string> {
  const { call, id, token } = running;
  const path = `/v2/trust-checks/${id}/evidence/${name}`;
  return (await call<{ evidence_id: string }>('PUT', path, { bytes, token })).evidence_id;
}

async function handInCode(running: PhoneSession): Promise<string> {
  const { options } = running;
  if (options.fail === 'no_code') {
    return untilJudged(() => submit(running, 'phone', { code: '000000' }));
  }
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

/** Repeats the attempt while a retry is allowed, at most ten times. */
async function untilJudged(attempt: () => Promise<string>): Promise<string> {
  let status = 'requires_retry';
  for (let count = 0; status === 'requires_retry' && count < 10; count += 1) {
    status = await attempt();
  }
  return status;
}

/** Waits, as a slow phone, until the deadline of its response is over. */
async function dawdle(options: PhoneCheckOptions, what: string, end: string): Promise<void> {
  if (options.fail !== 'slow') return;
  const at = new Date(Date.parse(end) + 1000);
  options.say(`waits until ${what} has ended, at ${at.toISOString()}`);
  await (options.waitUntil ?? untilThen)(at);
}

const untilThen = (at: Date): Promise<void> => sleep(Math.max(0, at.getTime() - Date.now()));
