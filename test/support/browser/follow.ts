import type { Page } from 'playwright-core';
import { createDevice } from '../../../simulator/device/device.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import type { PhoneCheckOptions } from '../../../simulator/session/session-calls.ts';
import { devTrust } from '../checks/phone.ts';
import { newNumber } from '../http/client.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import type { View } from './view.ts';

/** Makes the page begin a check that continues on a phone. */
export async function beginOnPhone(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue on your phone' }).click();
  await waitForState(page, 'opened');
}

/** Waits for a screen. On a timeout, the error names the screen that is displayed. */
export async function waitForScreen(page: View, name: string, msMax = 40_000): Promise<void> {
  const wanted = page.locator(`[data-screen="${name}"]`);
  await wanted.waitFor({ timeout: msMax }).catch(async (error: unknown) => {
    const shown = await page.locator('main').innerText();
    throw new Error(`no screen ${name}, but: ${shown}`, { cause: error });
  });
}

/** Records every state that the page displays from now on, including the current one. */
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

/** Waits for a state of the check. A page that waits for a phone displays its code. */
export async function waitForState(page: Page, state: string): Promise<void> {
  if (state === 'opened') return waitForScreen(page, 'scan');
  await page.locator(`#state[data-state="${state}"]`).waitFor();
}

/** Returns the lines of the history without their times. */
export async function history(page: Page): Promise<string[]> {
  return page.locator('#history li span').allTextContents();
}

/** Makes a page begin a session. Returns the address with which another device joins it. */
export async function addressOfSession(page: Page, begin: () => Promise<void>): Promise<string> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/v2/trust-checks'));
  await begin();
  const { pair_url } = (await (await answered).json()) as { pair_url: string };
  return pair_url;
}

/** Opens a link on the simulated phone and completes its check. */
export async function runPhone(
  link: string,
  fail?: PhoneCheckOptions['fail'],
  number = newNumber(),
) {
  const trust = await devTrust();
  const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
  return phoneCheck({ link, number, trust, device, fail, say: () => undefined });
}

/** Returns the public address of a link of the test account. */
export function addressOf(linkUuid: string, baseUrl = ownPlatform().baseUrl): string {
  return `${baseUrl}/v2/${ownPlatform().own.app_id}/${linkUuid}`;
}
