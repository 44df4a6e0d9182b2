import type { Browser, Page } from 'playwright-core';
import type { ProofType } from '../../../workflows/proofs.ts';
import { openPage } from '../../support/browser/browser.ts';
import { giveCamera, type FaceFilms } from '../../support/browser/camera.ts';
import { faceAttempts, giveNumber, showDocument, showFace } from '../../support/browser/finish.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { withMouse, type Person } from '../../support/browser/person.ts';
import { call, newLink } from '../../support/http/client.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

/** Pictures drawn in advance, because drawing takes seconds of processor time. */
export interface Pictures {
  readonly passport: Uint8Array;
  readonly face: FaceFilms;
}

/** The cost for one person to finish a check in a browser. */
export interface Visit {
  /** Number of pressed buttons, filled fields and selected list items. */
  readonly steps: number;
  /** From opening the address to an affidavit that can be downloaded. */
  readonly seconds: number;
  readonly requests: number;
  /** Bytes received and sent on the wire, including headers. */
  readonly received: number;
  readonly sent: number;
  /** Number of face attempts; 0 without a biometric proof. */
  readonly faceAttempts: number;
}

/** Counts the actions of a person. */
function counted(person: Person): { person: Person; steps: () => number } {
  let steps = 0;
  const count =
    <A extends unknown[]>(act: (...given: A) => Promise<void>) =>
    (...given: A): Promise<void> => {
      steps += 1;
      return act(...given);
    };
  const { at, press, type, choose } = person;
  return {
    person: { at, press: count(press), type: count(type), choose: count(choose) },
    steps: () => steps,
  };
}

/** Counts bytes and requests of a page, once all requests have ended. */
function listen(page: Page): () => Promise<Pick<Visit, 'requests' | 'received' | 'sent'>> {
  const sizes: Promise<{ received: number; sent: number }>[] = [];
  page.on('requestfinished', (request) => {
    const size = request.sizes().then((of) => ({
      received: of.responseHeadersSize + of.responseBodySize,
      sent: of.requestHeadersSize + of.requestBodySize,
    }));
    sizes.push(size.catch(() => ({ received: 0, sent: 0 })));
  });
  return async () => {
    const known = await Promise.all(sizes);
    const sum = (part: 'received' | 'sent') => known.reduce((all, one) => all + one[part], 0);
    return { requests: known.length, received: sum('received'), sent: sum('sent') };
  };
}

/**
 * Runs one check with these proofs for one person with a pointer and a camera. Returns null if no
 * face attempt was accepted, so that the check failed.
 */
export async function visit(
  browser: Browser,
  proofs: readonly ProofType[],
  { passport, face }: Pictures,
): Promise<Visit | null> {
  const { own } = ownPlatform();
  const link = await newLink({ required_proofs: [...proofs], max_attempts: faceAttempts });
  const { page, close } = await openPage(browser);
  const { person, steps } = counted(withMouse(page));
  const traffic = listen(page);
  await giveCamera(page);
  const begunMs = performance.now();
  await page.goto(addressOf(link));
  await person.press('check.welcome.here');
  await waitForScreen(page, 'consent');
  await person.press('check.consent.agree');
  if (proofs.includes('phone')) await giveNumber(person);
  if (proofs.includes('document')) await showDocument(person, passport);
  const attempts = proofs.includes('biometric')
    ? await showFace(person, undefined, face).catch(async (error: unknown) => {
        if (await page.locator('[data-screen="failed"]').isVisible()) return null;
        throw error;
      })
    : 0;
  if (attempts === null) {
    await close();
    return null;
  }
  await waitForScreen(page, 'passed');
  const reference = await page.locator('#reference code').innerText();
  await eventually('its affidavit', async () => {
    const { body } = await call('GET', `/v2/trust-checks/${reference}`, { token: own.api_key });
    return (body['affidavit'] as { status: string }).status === 'available';
  });
  const seconds = (performance.now() - begunMs) / 1000;
  const measured = { steps: steps(), seconds, faceAttempts: attempts, ...(await traffic()) };
  await close();
  return measured;
}

/**
 * Returns the first paint of the page of a link in ms. `slower` is the factor by which the
 * processor is slowed.
 */
export async function firstPaint(browser: Browser, slower: number): Promise<number> {
  const link = await newLink({ required_proofs: ['phone', 'document', 'biometric'] });
  const { page, context, close } = await openPage(browser);
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
  await page.goto(addressOf(link), { waitUntil: 'load' });
  const ms = await page.evaluate<number>(
    `new Promise((resolve) => new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName('first-contentful-paint');
      if (paint) resolve(paint.startTime);
    }).observe({ type: 'paint', buffered: true }))`,
  );
  await close();
  return ms;
}
