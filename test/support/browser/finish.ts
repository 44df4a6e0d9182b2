import { photographDocument } from '../../../simulator/document/camera.ts';
import { printedPortrait } from '../../../simulator/face/face.ts';
import { clientOf, codeFor, newNumber } from '../http/client.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import { holdBefore, sitBefore, type FaceFilms } from './camera.ts';
import { waitForScreen } from './follow.ts';
import type { Person } from './person.ts';

/** A busy machine films few frames of a face, so some attempts fail. */
export const faceAttempts = 5;

/** The service under test, and an API key of an account that reviews there. */
export interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
}

const ownService = (): Service => ({
  baseUrl: ownPlatform().baseUrl,
  apiKey: ownPlatform().own.api_key,
});

export async function giveNumber(person: Person, { baseUrl } = ownService()): Promise<void> {
  await waitForScreen(person.at, 'phone');
  const number = newNumber();
  await person.choose('check.phone.country', 'DE');
  await person.type('check.phone.number', number);
  await person.press('check.phone.send');
  await waitForScreen(person.at, 'code');
  await person.type('check.code.code', await codeFor(number, baseUrl));
  await person.press('check.code.confirm');
}

/** Photographs the passport page with the portrait of the simulated person. */
export async function photographPassport(): Promise<Uint8Array> {
  return (await photographDocument(new Date(), { portrait: await printedPortrait() })).front;
}

export async function showDocument(person: Person, photograph?: Uint8Array): Promise<void> {
  await waitForScreen(person.at, 'document');
  const front = photograph ?? (await photographPassport());
  await person.press('check.kind.passport');
  await holdBefore(person.at, front);
  await waitForScreen(person.at, 'document-front');
  // The photograph is taken automatically when no hint is left.
  await waitForScreen(person.at, 'document-front-review');
  await person.press('check.document.use');
}

/**
 * Does what the page requests, and repeats it if it was not detected. The computed face is
 * sometimes suspected to be a copy. Then a reviewer approves it.
 * @returns the number of attempts
 */
export async function showFace(
  person: Person,
  { baseUrl, apiKey } = ownService(),
  films?: FaceFilms,
): Promise<number> {
  const { at } = person;
  await waitForScreen(at, 'face');
  await sitBefore(at, films);
  const ended = ['passed', 'failed', 'in_review'].map((name) => `[data-screen="${name}"]`);
  const answered = at.locator([...ended, '[data-screen="face"] [role="alert"]'].join());
  const isAt = (name: string) => at.locator(`[data-screen="${name}"]`).isVisible();
  let attempts = 0;
  for (; attempts < faceAttempts; attempts += 1) {
    await person.press('check.face.begin');
    await answered.first().waitFor({ timeout: 180_000 });
    if (!(await isAt('face'))) break;
  }
  if (await isAt('in_review')) {
    const id = await at.locator('#reference code').innerText();
    const body = { decision: 'approve', note: 'The face is the one of the document' } as const;
    await clientOf(apiKey, { baseUrl }).trustChecks.review({ id, body });
  }
  await waitForScreen(at, 'passed');
  return Math.min(attempts + 1, faceAttempts);
}
