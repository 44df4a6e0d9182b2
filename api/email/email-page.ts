import type { Language } from '../../domain/languages/languages.ts';
import { say, type Phrase } from '../../domain/languages/say.ts';
import { html } from '../http/html/markup.ts';
import { pageOf, type Page } from '../http/html/page.ts';

/** The page of a mailed link without a page of an app. It acts only after the person confirms. */
export function emailPage(language: Language): Page {
  const t = (phrase: Phrase): string => say(language, phrase);
  const title = t('email.title');
  const body = html`<main>
    <div class="sheet">
      <h1>${title}</h1>
      <p class="lead">${t('email.unchanged')}</p>
      <form data-part="login" hidden>
        <p data-part="code" hidden>
          <label>
            ${t('email.code')}
            <input
              name="code"
              class="code"
              dir="ltr"
              inputmode="numeric"
              autocomplete="one-time-code"
              pattern="[0-9]{6}"
              maxlength="6"
            />
          </label>
        </p>
        <p class="actions"><button type="submit" class="main">${t('login.act')}</button></p>
      </form>
      <form data-part="attach" hidden>
        <p>${t('attach.warn')}</p>
        <p><strong>${t('email.close')}</strong></p>
        <p>
          <label class="tick">
            <input type="checkbox" name="asked" required />
            ${t('email.asked')}
          </label>
        </p>
        <p class="actions"><button type="submit" class="main">${t('attach.act')}</button></p>
      </form>
      <div data-part="token" hidden>
        <p>${t('email.token')}</p>
        <p><output dir="ltr"></output></p>
      </div>
      <p role="status" aria-live="polite"></p>
      <noscript><p>${t('email.script')}</p></noscript>
    </div>
  </main>`;
  const script = { source: '/assets/email.js', data: wordsOf(language) };
  const headers = {
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept-Language',
  };
  return pageOf({ title, language, body, style, script, headers });
}

/** Texts of the script, by failure code or by its own names. */
const wordsOf = (language: Language): Record<string, string> => ({
  email_token_invalid: say(language, 'email.ended'),
  email_code_required: say(language, 'email.code_needed'),
  rate_limited: say(language, 'check.fault.rate_limited'),
  other: say(language, 'check.fault.other'),
  incomplete: say(language, 'email.incomplete'),
  busy: say(language, 'email.busy'),
  unanswered: say(language, 'email.unanswered'),
  // The script inserts the time in the reader's zone.
  signed_in: say(language, 'email.signed_in', { until: '{until}' }),
});

const style = 'output{overflow-wrap:anywhere}';
