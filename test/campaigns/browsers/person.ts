import { within } from '../../../activities/vendors/provider.ts';
import type { Language } from '../../../domain/languages/languages.ts';
import { say } from '../../../domain/languages/say.ts';
import { openList, type Person } from '../../support/browser/person.ts';
import { answerMsMax, viewOf, visible, waitUntil, type Driven } from './driven.ts';

/**
 * Returns an expression for the visible element with an accessible name, once the page has loaded.
 */
const named = (selector: string, name: string): string => `(document.readyState === 'complete' &&
  [...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => {
    const text = each.matches('.field') ? each.firstChild.textContent : each.textContent;
    const label = each.labels?.[0]?.firstChild?.textContent ?? text;
    const found = each.getAttribute('aria-label') ?? label;
    return each.checkVisibility() && !each.disabled && found.trim() === ${JSON.stringify(name)};
  }))`;

/** Waits for an element with a name; returns the expression that finds it. */
async function find(driven: Driven, selector: string, name: string): Promise<string> {
  const element = named(selector, name);
  await waitUntil(driven, element, `${selector} ${name}`);
  return element;
}

/** Presses the element of a selector that has a name. */
export async function press(driven: Driven, selector: string, name: string): Promise<void> {
  await driven.click(await find(driven, selector, name));
}

/**
 * Presses an element that replaces the page or removes the frame: a driver may never report such a
 * click.
 */
export async function leaveBy(driven: Driven, selector: string, name: string): Promise<void> {
  const element = await find(driven, selector, name);
  await within(answerMsMax, driven.click(element)).catch(() => undefined);
}

/** A person who finds everything by its text in their language, in any engine. */
export function personAt(driven: Driven, language: Language = 'en'): Person {
  return {
    at: viewOf(driven),
    press: (phrase, values) => press(driven, 'button', say(language, phrase, values)),
    async type(label, text) {
      await driven.type(await find(driven, 'input, textarea', say(language, label)), text);
    },
    async choose(label, sought) {
      await press(driven, '.field', say(language, label));
      await waitUntil(driven, visible(openList.search), 'the list is open');
      await driven.type(visible(openList.search), sought);
      await driven.click(visible(openList.first));
    },
  };
}
