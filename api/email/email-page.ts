import { html } from '../http/html/markup.ts';
import { pageOf, type Page } from '../http/html/page.ts';

/** Where a mailed link leads that names no page of an app: it asks before it does anything. */
export function emailPage(): Page {
  const title = 'Confirm your address';
  const body = html`<main>
    <div class="sheet">
      <h1>${title}</h1>
      <p>Opening this page has changed nothing yet.</p>
      <form data-part="login" hidden>
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
      <form data-part="attach" hidden>
        <p>
          Confirming makes this address a way to sign in for the person who asked for this mail with
          their phone. What belongs to the address here, accounts and roles, becomes theirs.
        </p>
        <p>
          <strong>If you did not ask for it yourself, close this page: nothing happens.</strong>
        </p>
        <p>
          <label>
            <input type="checkbox" name="asked" required />
            I asked for this mail myself, on my own phone
          </label>
        </p>
        <button type="submit">Confirm this address</button>
      </form>
      <div data-part="token" hidden>
        <p>To finish, hand this in on your phone, where you asked, and give it to nobody:</p>
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
