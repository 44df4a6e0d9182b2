import type { Frame, Page } from 'playwright-core';
import type { MessageValues } from '../../../domain/languages/format.ts';
import type { Language } from '../../../domain/languages/languages.ts';
import { say, type Phrase } from '../../../domain/languages/say.ts';
import type { View } from './view.ts';

/** A person at the page of a check, who finds everything by the words of their language. */
export interface Person {
  /** Where the page of the check is displayed: a page, or a frame of one. */
  readonly at: View;
  press(phrase: Phrase, values?: MessageValues): Promise<void>;
  type(label: Phrase, text: string): Promise<void>;
  choose(label: Phrase, value: string): Promise<void>;
}

export function withMouse(at: Page | Frame, language: Language = 'en'): Person {
  const named = (phrase: Phrase, values?: MessageValues) => ({
    name: say(language, phrase, values),
    exact: true,
  });
  return {
    at,
    press: (phrase, values) => at.getByRole('button', named(phrase, values)).click(),
    type: (label, text) => at.getByRole('textbox', named(label)).fill(text),
    async choose(label, value) {
      await at.getByRole('combobox', named(label)).selectOption(value);
    },
  };
}

const tabsMax = 80;
const linesMax = 400;

/** What has the focus inside a frame, by its accessible name: text, label, or label around it. */
const focusedName = `(() => {
  const { activeElement: at } = document;
  return at?.getAttribute('aria-label') ?? at?.labels?.[0]?.firstChild?.textContent ??
    at?.textContent ?? '';
})()`;

/** A person without a mouse, who goes from field to field with the Tab key. */
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
    async choose(label, value) {
      await go(say(language, label));
      await page.keyboard.press('Home');
      for (let lines = 0; lines < linesMax; lines += 1) {
        if ((await at.evaluate<string>('document.activeElement.value')) === value) return;
        await page.keyboard.press('ArrowDown');
      }
      throw new Error(`no line ${value} in the list`);
    },
  };
}
