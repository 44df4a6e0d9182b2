import { describe, expect, it } from 'vitest';
import { say } from '../../../domain/languages/say.ts';
import { cameraScript } from '../../support/browser/camera.ts';
import { faceAttempts, giveNumber, showDocument, showFace } from '../../support/browser/finish.ts';
import { addressOf, waitForScreen } from '../../support/browser/follow.ts';
import { linkFor, startHost } from '../../support/browser/host-page.ts';
import { clientOf, newLink } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { verifyAffidavitOf } from '../../support/commands/verify-affidavit.ts';
import { viewOf, waitUntil, type Driven, type Tab } from './driven.ts';
import { engineNames, engines, enginesSetting } from './engines.ts';
import { leaveBy, personAt, press } from './person.ts';

const chosen = (process.env[enginesSetting] ?? '').split(',');
const { own } = ownPlatform();
const referenceOf = (driven: Driven) => viewOf(driven).locator('#reference code').innerText();

/** Records browser errors and violations of the page’s policy from now on. */
const noteComplaints = `(() => {
  const complaints = window.complaints = [];
  const note = (text) => void complaints.push(text);
  addEventListener('error', ({ message }) => note(message));
  addEventListener('unhandledrejection', ({ reason }) => note(String(reason)));
  addEventListener('securitypolicyviolation', (event) =>
    note(event.violatedDirective + ' ' + event.blockedURI));
})()`;

/** Displays a check in the page of another site; returns its frame once that is connected. */
async function displayCheck(tab: Tab, url: string): Promise<Driven> {
  await waitUntil(tab, `'display' in window`, 'the page has loaded the dialog');
  await tab.evaluate(`void display(${JSON.stringify({ url })}, null)`);
  const isReady = `window.events.some(({ type }) => type === 'ready')`;
  await waitUntil(tab, isReady, 'the frame is connected');
  return tab.frame(`document.querySelector('iframe[sandbox]')`);
}

type Paths = Readonly<Record<string, (tab: Tab) => Promise<void>>>;

const paths: Paths = {
  async 'finishes a check with phone, document and face, and its affidavit verifies'(tab) {
    process.stdout.write(`${tab.version}\n`);
    const required_proofs = ['phone', 'document', 'biometric'] as const;
    const link = { required_proofs: [...required_proofs], max_attempts: faceAttempts };
    const person = personAt(tab);
    await tab.open(addressOf(await newLink(link)));
    await tab.evaluate(noteComplaints);
    await tab.evaluate(`(() => ${cameraScript})()`);
    await person.press('check.welcome.here');
    await waitForScreen(person.at, 'consent');
    await person.press('check.consent.agree');
    await giveNumber(person);
    await showDocument(person);
    await showFace(person);
    const { code, stdout } = await verifyAffidavitOf(await referenceOf(tab));
    expect([code, stdout]).toEqual([0, expect.stringContaining('valid (DEVELOPMENT)')]);
    expect(await tab.evaluate('window.complaints')).toEqual([]);
  },

  async 'switches to Arabic, which runs from right to left'(tab) {
    await tab.open(addressOf(await newLink()));
    await press(tab, 'summary', say('en', 'check.language'));
    await leaveBy(tab, 'a', 'العربية');
    await waitUntil(tab, `document.documentElement.dir === 'rtl'`, 'the page is in Arabic');
    await personAt(tab, 'ar').press('check.welcome.here');
    await waitForScreen(viewOf(tab), 'consent');
    expect(await tab.evaluate('getComputedStyle(document.body).direction')).toBe('rtl');
  },

  async 'resumes the same check after each reload'(tab) {
    const person = personAt(tab);
    await tab.open(addressOf(await newLink({ required_proofs: ['phone', 'document'] })));
    await person.press('check.welcome.here');
    await waitForScreen(person.at, 'consent');
    const reference = await referenceOf(tab);
    await tab.reload();
    await waitForScreen(person.at, 'consent');
    await person.press('check.consent.agree');
    await giveNumber(person);
    await waitForScreen(person.at, 'document');
    await tab.reload();
    await waitForScreen(person.at, 'document');
    expect(await referenceOf(tab)).toBe(reference);
  },

  async 'begins a check in the dialog of @trustcheck/web on another site, and resumes it there'(
    tab,
  ) {
    const host = await startHost();
    try {
      const url = await linkFor([host.origin]);
      await tab.open(host.origin);
      const first = await displayCheck(tab, url);
      await personAt(first).press('check.welcome.here');
      await waitForScreen(viewOf(first), 'consent');
      const reference = await referenceOf(first);
      await tab.reload();
      const second = await displayCheck(tab, url);
      await waitForScreen(viewOf(second), 'consent');
      expect(await referenceOf(second)).toBe(reference);
      await personAt(second).press('check.consent.refuse');
      await waitForScreen(viewOf(second), 'declined');
      await leaveBy(second, 'button', say('en', 'check.redirect.go', { app: 'Example shop' }));
      const result = await tab.evaluate('window.result');
      const outcome = { link_session_id: reference, outcome: 'declined' };
      expect(result).toEqual({ status: 'finished', ...outcome });
    } finally {
      await host.close();
    }
  },

  async 'photographs with the camera of the engine itself, which shows a test picture'(tab) {
    const person = personAt(tab);
    await tab.open(addressOf(await newLink({ required_proofs: ['document'] })));
    await person.press('check.welcome.here');
    await waitForScreen(person.at, 'consent');
    await person.press('check.consent.agree');
    await person.press('check.kind.passport');
    await person.at.locator('[data-camera="live"]').waitFor();
    await person.press('check.document.shoot');
    await waitForScreen(person.at, 'document-front-review');
    const isWhole = `document.querySelector('img.taken').naturalWidth === 1920`;
    await waitUntil(tab, isWhole, 'the photograph is as wide as the page asked the camera for');
  },
};

const withoutCamera: Paths = {
  async 'says that there is no camera, and asks for a review instead'(tab) {
    const policy = { review_on_unsure: true };
    const person = personAt(tab);
    await tab.open(addressOf(await newLink({ required_proofs: ['document'], policy })));
    await person.press('check.welcome.here');
    await waitForScreen(person.at, 'consent');
    await person.press('check.consent.agree');
    await person.press('check.kind.passport');
    await person.at.locator('[data-fault="missing"]').waitFor();
    await person.press('check.review.offer');
    await waitForScreen(person.at, 'review');
    await tab.type(`document.querySelector('textarea')`, 'No camera');
    await person.press('check.review.title');
    await waitForScreen(person.at, 'in_review');
    const id = await referenceOf(tab);
    const { review_requests } = await clientOf(own.api_key).trustChecks.get({ id });
    expect(review_requests.map(({ note }) => note)).toEqual(['No camera']);
  },
};

const rows = [
  ...Object.entries(paths).map(([path, follow]) => [path, follow, true] as const),
  ...Object.entries(withoutCamera).map(([path, follow]) => [path, follow, false] as const),
];

describe.each(engineNames)('%s', (name) => {
  it.skipIf(!chosen.includes(name)).each(rows)(
    '%s',
    { timeout: 900_000 },
    async (_path, follow, hasCamera) => {
      const tab = await engines[name].open(hasCamera);
      try {
        await follow(tab);
      } finally {
        await tab.close();
      }
    },
  );
});
