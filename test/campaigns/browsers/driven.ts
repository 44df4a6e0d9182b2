import { within } from '../../../activities/vendors/provider.ts';
import type { View } from '../../support/browser/view.ts';

/** A page or a frame that a driver controls. An element is named by an expression of the page. */
export interface Driven {
  /** Evaluates an expression in the page, and awaits it if it is a promise. */
  evaluate<T>(expression: string): Promise<T>;
  /** Clicks the middle of an element with browser input. */
  click(element: string): Promise<void>;
  /** Types a text with browser keys. */
  type(element: string, text: string): Promise<void>;
}

/** A separate browser with one page. */
export interface Tab extends Driven {
  /** Engine and version, as the browser reports them. */
  readonly version: string;
  /** Loads an address and waits until it has loaded. */
  open(address: string): Promise<void>;
  reload(): Promise<void>;
  /** Returns the frame that an element of the page displays. */
  frame(element: string): Promise<Driven>;
  /** Ends the browser and its driver. */
  close(): Promise<void>;
}

const pollMs = 100;
const waitMsMax = 60_000;
/** WebKit may never answer an expression, or a click, when the page is replaced at that moment. */
export const answerMsMax = 15_000;

/**
 * Waits until an expression is true in the page. A page that is replaced by another one refuses an
 * expression, or never answers it; then it is evaluated again.
 * @throws after `msMax`, with the last error of the driver as its cause
 */
export async function waitUntil(
  driven: Driven,
  expression: string,
  what: string,
  msMax = waitMsMax,
): Promise<void> {
  const deadline = Date.now() + msMax;
  let cause: unknown;
  for (;;) {
    try {
      const value = driven.evaluate<boolean>(`Boolean(${expression})`);
      if (await within(answerMsMax, value)) return;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > deadline) throw new Error(`never came true: ${what}`, { cause });
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** The first visible element of a selector, as an expression. */
export const visible = (selector: string): string =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => each.checkVisibility())`;

/** Adapts a driven page to the methods of a Playwright page. */
export function viewOf(driven: Driven): View {
  return {
    evaluate: (expression) => driven.evaluate(expression),
    locator(selector) {
      const wait = (msMax?: number) =>
        waitUntil(driven, visible(selector), `${selector} is visible`, msMax);
      return {
        first() {
          return this;
        },
        waitFor: ({ timeout } = {}) => wait(timeout),
        isVisible: () => driven.evaluate<boolean>(`Boolean(${visible(selector)})`),
        async innerText() {
          await wait();
          return driven.evaluate<string>(`${visible(selector)}.innerText`);
        },
      };
    },
  };
}
