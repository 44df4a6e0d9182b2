import type { Page } from 'playwright-core';
import { createDevice } from '../../../simulator/device/device.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import type { PhoneCheckOptions } from '../../../simulator/session/session-calls.ts';
import { devTrust } from '../checks/phone.ts';
import { newNumber } from '../http/client.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import type { View } from './view.ts';

/** Has the page begin a check that goes on on a phone. */
export async function beginOnPhone(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue on your phone' }).click();
  await waitForState(page, 'opened');
}

/** Waits for a screen; a page that shows another one says which. */
export async function waitForScreen(page: View, name: string, msMax = 40_000): Promise<void> {
  const wanted = page.locator(`[data-screen="${name}"]`);
  await wanted.waitFor({ timeout: msMax }).catch(async (error: unknown) => {
    const shown = await page.locator('main').innerText();
    throw new Error(`no screen ${name}, but: ${shown}`, { cause: error });
  });
}

/** Has the page note every state it shows from now on, its first one included. */
export async function noteStates(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`{
    const stateNow = () =>
      document.getElementById('state')?.dataset.state ??
      (document.querySelector('[data-screen=scan]') ? 'opened' : null);
    const seen = window.seen = [];
    const note = () => {
      const state = stateNow();
      if (state && seen.at(-1) !== state) seen.push(state);
    };
    note();
    new MutationObserver(note).observe(document, {
      attributes: true, childList: true, subtree: true,
    });
  }`);
  return () => page.evaluate<string[]>('window.seen');
}

/** Waits for the state of a check; a page that waits for a phone shows its code. */
export async function waitForState(page: Page, state: string): Promise<void> {
  if (state === 'opened') return waitForScreen(page, 'scan');
  await page.locator(`#state[data-state="${state}"]`).waitFor();
}

/** The lines of the history, without their times. */
export async function history(page: Page): Promise<string[]> {
  return page.locator('#history li span').allTextContents();
}

/** Has a page begin a session, and returns the address by which another device joins it. */
export async function addressOfSession(page: Page, begin: () => Promise<void>): Promise<string> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/v2/trust-checks'));
  await begin();
  const { pair_url } = (await (await answered).json()) as { pair_url: string };
  return pair_url;
}

/** The simulated phone opens a link and goes through it. */
export async function runPhone(
  link: string,
  fail?: PhoneCheckOptions['fail'],
  number = newNumber(),
) {
  const trust = await devTrust();
  const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
  return phoneCheck({ link, number, trust, device, fail, say: () => undefined });
}

/** The address of a link of the test account, as it is handed out. */
export function addressOf(linkUuid: string, baseUrl = ownPlatform().baseUrl): string {
  return `${baseUrl}/v2/${ownPlatform().own.app_id}/${linkUuid}`;
}
