import type { Frame, Page } from 'playwright-core';
import type { MessageValues } from '../../../domain/languages/format.ts';
import type { Language } from '../../../domain/languages/languages.ts';
import { say, type Phrase } from '../../../domain/languages/say.ts';
import type { View } from './view.ts';

/** A person at the page of a check, who finds every control by its text in their language. */
export interface Person {
  /** Where the page of the check is displayed: in a page, or in a frame. */
  readonly at: View;
  press(phrase: Phrase, values?: MessageValues): Promise<void>;
  type(label: Phrase, text: string): Promise<void>;
  /** Opens the list of a field, and chooses the first match of a search. */
  choose(label: Phrase, sought: string): Promise<void>;
}

/** The search field of an open list, and its first match. */
export const openList = {
  search: '[popover] [type="search"]',
  first: '[popover] li button',
} as const;

export function withMouse(at: Page | Frame, language: Language = 'en'): Person {
  const named = (phrase: Phrase, values?: MessageValues) => ({
    name: say(language, phrase, values),
    exact: true,
  });
  return {
    at,
    press: (phrase, values) => at.getByRole('button', named(phrase, values)).click(),
    type: (label, text) => at.getByRole('textbox', named(label)).fill(text),
    async choose(label, sought) {
      await at.locator('.field', { hasText: say(language, label) }).click();
      // The list clears its search when it has opened, and then moves the focus there.
      await at.locator(`${openList.search}:focus`).waitFor();
      await at.locator(openList.search).fill(sought);
      await at.locator(openList.first).first().click();
    },
  };
}

const tabsMax = 80;

/**
 * Returns the accessible name of the focused element in a frame: its text, label, or enclosing
 * label. The label of a field with a list precedes its value.
 */
const focusedName = `(() => {
  const { activeElement: at } = document;
  const text = at?.matches('.field') ? at.firstChild?.textContent : at?.textContent;
  return at?.getAttribute('aria-label') ?? at?.labels?.[0]?.firstChild?.textContent ?? text ?? '';
})()`;

/** Simulates a person without a mouse, who moves between fields with the Tab key. */
export function withKeyboard(page: Page, at: Frame, language: Language): Person {
  const go = async (name: string): Promise<void> => {
    for (let tabs = 0; tabs < tabsMax; tabs += 1) {
      const focused = await at.evaluate<string>(focusedName);
      if (focused.trim() === name) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`no element ${name} has the focus after ${tabsMax} tabs`);
  };
  return {
    at,
    async press(phrase, values) {
      const name = say(language, phrase, values);
      await at.getByRole('button', { name, exact: true }).waitFor();
      await go(name);
      await page.keyboard.press('Enter');
    },
    async type(label, text) {
      await go(say(language, label));
      await page.keyboard.type(text);
    },
    async choose(label, sought) {
      await go(say(language, label));
      await page.keyboard.press('Enter');
      await at.locator(`${openList.search}:focus`).waitFor();
      await page.keyboard.type(sought);
      await page.keyboard.press('Enter');
    },
  };
}
