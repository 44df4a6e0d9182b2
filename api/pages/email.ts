import type { Page } from '../pages.ts';
import { html } from './markup.ts';
import { pageOf } from './page.ts';

/** Where a mailed link leads that names no page of an app: it asks before it does anything. */
export function emailPage(): Page {
  const title = 'Confirm your address';
  const body = html`<main>
    <div class="sheet">
      <h1>${title}</h1>
      <p>Opening this page has changed nothing yet.</p>
      <form hidden>
        <p data-part="code" hidden>
          <label>
            Code
            <input
              name="code"
              inputmode="numeric"
              autocomplete="one-time-code"
              pattern="[0-9]{6}"
              maxlength="6"
            />
          </label>
        </p>
        <button type="submit">Sign in</button>
      </form>
      <div data-part="token" hidden>
        <p>To finish, go back to where you asked for this mail and hand in:</p>
        <p><output></output></p>
      </div>
      <p role="status" aria-live="polite"></p>
      <noscript><p>This page needs JavaScript.</p></noscript>
    </div>
  </main>`;
  const script = { source: '/assets/email.js', data: {} };
  const headers = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };
  return pageOf({ title, body, style, script, headers });
}

const style = 'main{max-width:32rem;padding-block-start:8vh}output{overflow-wrap:anywhere}';
