import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { specimenNames } from '../../../api/links/visitor/pages/specimens.ts';
import { buildPages } from '../../../web/build.ts';
import {
  expectAccessible,
  missing,
  openBrowser,
  openPage,
  type WatchedPage,
} from '../../support/browser/browser.ts';
import { specimenHtml } from '../../support/browser/specimens.ts';

/** The controls in document order, with the position and the name of each. */
const controls = `[...document.querySelectorAll('a[href], button, input, select, summary, textarea')]
  .filter((each) => !each.disabled && each.checkVisibility())`;

interface Control {
  readonly name: string;
  readonly top: number;
  readonly bottom: number;
  /** Distance from the side where lines begin. */
  readonly start: number;
}

const describeControls = `(() => {
  const isRtl = getComputedStyle(document.body).direction === 'rtl';
  return ${controls}.map((each) => {
    const { top, bottom, left, right } = each.getBoundingClientRect();
    const label = each.labels?.[0]?.textContent ?? each.textContent;
    const name = (each.getAttribute('aria-label') ?? label).trim();
    return { name, top, bottom, start: isRtl ? innerWidth - right : left };
  });
})()`;

/** Elements wider than the window or their own box, except those for screen readers. */
const cutOff = `[...document.querySelectorAll('main *')]
  .filter((each) => each.checkVisibility() && getComputedStyle(each).clipPath === 'none')
  .filter((each) => {
    const { left, right } = each.getBoundingClientRect();
    const isOutside = left < -0.5 || right > innerWidth + 0.5;
    const { overflowX } = getComputedStyle(each);
    return isOutside || (overflowX !== 'visible' && each.scrollWidth > each.clientWidth + 1);
  })
  .filter((each) => !each.closest('.frame, svg'))
  .map((each) => each.tagName + '.' + each.className)`;

/** The narrowest window that WCAG 2.2 names, and one of 1280 pixels at 200 %. */
const widths = [320, 640];

async function expectUncut(page: Page, what: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 450 });
    expect(await page.evaluate<string[]>(cutOff), `${what} at ${width} px`).toEqual([]);
    const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate<number>(sideways), `${what} at ${width} px`).toBe(0);
  }
}

/** While the camera is displayed, a person holds the phone with the other hand. */
const isCapture = (name: string): boolean => /^(document|face)_|^face$/.test(name);
const usualPhone = { width: 390, height: 844 };

/** Asserts that the primary action is in the window without scrolling. */
async function expectAboveFold(page: Page, what: string): Promise<void> {
  await page.setViewportSize(usualPhone);
  const bottoms = await page.evaluate<number[]>(
    `[...document.querySelectorAll('.main')].filter((each) => each.checkVisibility())
      .map((each) => each.getBoundingClientRect().bottom)`,
  );
  expect(Math.max(0, ...bottoms), what).toBeLessThanOrEqual(usualPhone.height);
}

/** Asserts that each control has a name and that Tab reaches the controls in visual order. */
async function expectReachable(page: Page, what: string): Promise<void> {
  const found = await page.evaluate<Control[]>(describeControls);
  expect(
    found.filter(({ name }) => name === ''),
    what,
  ).toEqual([]);
  for (const [index, { top, bottom, start, name }] of found.entries()) {
    const before = found[index - 1];
    if (!before) continue;
    const isBelow = top >= before.bottom - 1;
    const isBeside = top < before.bottom && bottom > before.top && start > before.start;
    expect(isBelow || isBeside, `${what}: ${name} after ${before.name}`).toBe(true);
  }
  const reached: number[] = [];
  for (const _ of found) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate<number>(`${controls}.indexOf(document.activeElement)`));
  }
  expect(reached, `${what} by Tab`).toEqual(found.map((_, index) => index));
}

describe.skipIf(missing)('each state of the page of a check', () => {
  let browser: Browser;
  let watched: WatchedPage;
  beforeAll(async () => {
    await buildPages();
    browser = await openBrowser();
    watched = await openPage(browser);
  });
  afterAll(() => browser.close());

  it.each(specimenNames)(
    '%s fits, is accessible and has at most one primary action',
    async (name) => {
      const { page } = watched;
      for (const language of ['en', 'ar'] as const) {
        const what = `${name} in ${language}`;
        await page.setContent(await specimenHtml(name, language));
        if (isCapture(name)) await expectAboveFold(page, what);
        await expectUncut(page, what);
        expect(await page.locator('.main:visible').count(), what).toBeLessThanOrEqual(1);
        await expectReachable(page, what);
        const direction = language === 'ar' ? 'rtl' : 'ltr';
        const colorScheme = language === 'ar' ? 'dark' : 'light';
        await expectAccessible(page, what, [{ colorScheme, direction }]);
      }
      expect(watched.complaints.splice(0)).toEqual([]);
    },
  );

  const onPhone = specimenNames.filter((name) => name.includes('_phone'));
  it.each(onPhone)(
    '%s shows no code to scan and does not offer to continue on a phone',
    async (name) => {
      const { page } = watched;
      await page.setContent(await specimenHtml(name, 'en'));
      expect(await page.locator('#code').count()).toBe(0);
      expect(await page.locator('main').innerText()).not.toContain('Continue on your phone');
    },
  );
});
