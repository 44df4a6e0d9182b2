import type { Page } from 'playwright-core';
import { createDevice } from '../../../simulator/device/device.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import type { PhoneCheckOptions } from '../../../simulator/session/running.ts';
import { devTrust } from '../checks/phone.ts';
import { newNumber } from '../http/client.ts';
import { ownPlatform } from '../platform/own-platform.ts';

/** Has the page note every state it shows from now on, its first one included. */
export async function noteStates(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`{
    const state = document.getElementById('state');
    const seen = window.seen = [state.dataset.state];
    new MutationObserver(() => {
      if (seen.at(-1) !== state.dataset.state) seen.push(state.dataset.state);
    }).observe(state, { attributes: true });
  }`);
  return () => page.evaluate<string[]>('window.seen');
}

export async function waitForState(page: Page, state: string): Promise<void> {
  await page.locator(`#state[data-state="${state}"]`).waitFor();
}

/** The lines of the history, without their times. */
export async function history(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll('#history li')].map((row) => row.lastChild.textContent)`,
  );
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
