import type { MessageValues } from '../../../domain/languages/format.ts';
import type { Language } from '../../../domain/languages/languages.ts';
import { catalogs, say, type Phrase } from '../../../domain/languages/say.ts';
import { html, jsonBlock, type Markup } from '../../http/html/markup.ts';
import { pageOf, type Page } from '../../http/html/page.ts';
import { marksMarkup } from './marks-markup.ts';
import { verifierStyle } from './verifier-style.ts';

/** The parts of the verifier's page. */
export interface VerifierFacts {
  /** The judging program, compressed, as base64. */
  readonly judge: string;
  /** The script of the page itself. */
  readonly page: string;
  /** The platform's root, PEM. */
  readonly root: string;
  readonly rootSha256: string;
  /** The key of the platform's public log, in the form of note verifiers. */
  readonly logKey: string;
  readonly language: Language;
}

type Say = (phrase: Phrase, values?: MessageValues) => string;

/**
 * Renders the verifier of affidavits, one file that works wherever it is opened. It contains its
 * trust anchors and its texts, and its policy allows no connections.
 */
export function verifierPage(facts: VerifierFacts, isDevelopment: boolean): Page {
  const { language } = facts;
  const t: Say = (phrase, values) => say(language, phrase, values);
  const title = t('verify.title');
  const marks = marksMarkup({ livemode: true, development: isDevelopment }, language);
  // Base64 has no character that could end the element.
  const judge: Markup = {
    markup: `<script type="application/gzip" id="judge">${facts.judge}</script>`,
  };
  const body = html`<main>
      <h1>${title}</h1>
      <p class="lead">${t('verify.lead')}</p>
      ${marks}
      <p id="needs" class="sheet">${t('verify.script', { command: 'npx trustcheck verify' })}</p>
      ${question(facts, t)} ${answer(t)}
      <p class="actions">
        <a id="save" class="button" href="/verify" download="verify.html">${t('verify.save')}</a>
      </p>
      <p class="soft small">${t('verify.save_note', { command: 'trustcheck verify' })}</p>
    </main>
    ${judge} ${jsonBlock('words', wordsOf(language))}`;
  return pageOf({
    title,
    language,
    body,
    style: verifierStyle,
    inline: facts.page,
    headers: {
      'Cache-Control': 'public, max-age=300',
      'Referrer-Policy': 'no-referrer',
      Vary: 'Accept-Language',
    },
  });
}

/**
 * Returns the texts of the script, by the names of phrases. The script replaces names in braces by
 * values: none of these phrases has a plural or a date.
 */
function wordsOf(language: Language): Record<string, string> {
  const phrases = Object.entries(catalogs[language]);
  return Object.fromEntries(
    phrases.filter(([name]) => name.startsWith('verify.') && !name.startsWith('verify.about.')),
  );
}

function question({ root, rootSha256, logKey }: VerifierFacts, t: Say): Markup {
  return html`<form id="question" class="sheet" hidden>
    <div id="drop">
      <label for="pdf">${t('verify.file')}</label>
      <input id="pdf" type="file" accept=".pdf,application/pdf" />
      <p class="soft small">${t('verify.drop')}</p>
    </div>
    <details open>
      <summary>${t('verify.trust')}</summary>
      <label for="root">${t('verify.root')}</label>
      <textarea id="root" rows="4" dir="ltr" spellcheck="false" autocomplete="off">
${root}</textarea>
      <p class="small">${t('verify.root_hash')}</p>
      <p><code dir="ltr">${rootSha256}</code></p>
      <p class="notice wait small">${t('verify.root_compare')}</p>
      <label for="root-file">${t('verify.root_file')}</label>
      <input id="root-file" type="file" accept=".pem,.crt,.cer" />
      <label for="tsa-roots">${t('verify.tsa_roots')}</label>
      <input id="tsa-roots" type="file" accept=".pem,.crt,.cer" multiple />
      <label for="lists">${t('verify.lists')}</label>
      <input id="lists" type="file" accept=".crl,.pem" multiple />
      <label for="at">${t('verify.at')}</label>
      <input id="at" type="datetime-local" step="1" />
    </details>
    <details>
      <summary>${t('verify.more')}</summary>
      <label for="proof">${t('verify.proof', { file: '.tlog-proof' })}</label>
      <input id="proof" type="file" accept=".tlog-proof" />
      <label for="log-key">${t('verify.log_key')}</label>
      <textarea id="log-key" rows="2" dir="ltr" spellcheck="false" autocomplete="off">
${logKey}</textarea>
      <label for="evidence">${t('verify.evidence')}</label>
      <input id="evidence" type="file" accept=".json,.jsonl,.ndjson" />
      <p class="soft small">
        ${t('verify.evidence_note', { command: 'trustcheck evidence verify' })}
      </p>
    </details>
    <p class="actions">
      <button id="go" type="submit" class="main">${t('verify.go')}</button>
      <button id="stop" type="button" hidden>${t('verify.stop')}</button>
    </p>
  </form>`;
}

function answer(t: Say): Markup {
  return html`<p id="state" role="status" aria-atomic="true" hidden>
      <strong></strong> <span></span>
    </p>
    <section id="answer" class="sheet" aria-label="${t('verify.verdict')}" hidden>
      <ul id="marks" class="plain notice wait"></ul>
      <ul id="about" class="plain"></ul>
      <h2>${t('verify.checks')}</h2>
      <ul id="checks" class="plain"></ul>
      <ul id="end" class="plain"></ul>
      <h2>${t('verify.anchors')}</h2>
      <ul id="anchors" class="plain"></ul>
      <p id="own" class="notice wait small">${t('verify.own_root')}</p>
      <div id="map">
        <h2>${t('verify.signed')}</h2>
        <ul id="revisions" class="plain"></ul>
      </div>
      <div id="proves">
        <h2>${t('verify.proves')}</h2>
        <p>${t('verify.proves_yes')}</p>
        <p>${t('verify.proves_no')}</p>
      </div>
    </section>`;
}
