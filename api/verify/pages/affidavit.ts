import type { Language } from '../../../domain/languages/languages.ts';
import { say, type Phrase } from '../../../domain/languages/say.ts';
import { html, nothing } from '../../http/html/markup.ts';
import { pageOf, type Page } from '../../http/html/page.ts';
import type { AffidavitFacts } from '../contract.ts';
import { marksMarkup } from './marks-markup.ts';

/**
 * Renders the page behind an affidavit's QR code: which file is meant, and how to verify it
 * independently.
 */
export function affidavitPage(facts: AffidavitFacts, baseUrl: string, language: Language): Page {
  const t = (phrase: Phrase): string => say(language, phrase);
  const title = t('verify.about.title');
  const { livemode, development } = facts;
  const isOnRecord = development !== null;
  const body = html`<main>
    <div class="sheet">
      <h1>${title}</h1>
      ${marksMarkup({ livemode, development: development === true }, language)}
      <p>${t('verify.about.lead')}</p>
      ${isOnRecord ? nothing : html`<p>${t('verify.about.no_record')}</p>`}
      <dl>
        ${rowsOf(facts, t).map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
        )}
      </dl>
      <p class="actions"><a class="button main" href="/verify">${t('verify.about.go')}</a></p>
      <p>
        ${t('verify.about.stays')} ${t('verify.about.proof')}
        <a href="/log/proof/${facts.affidavit_id}" download="affidavit.tlog-proof" dir="ltr"
          >affidavit.tlog-proof</a
        >
      </p>
      <p>
        ${t('verify.about.anchor')}
        <a href="/pki/trust-bundle.pem" download="root.pem" dir="ltr">root.pem</a>
      </p>
      <pre dir="ltr"><code>curl -o root.pem ${baseUrl}/pki/trust-bundle.pem
openssl x509 -in root.pem -outform DER | openssl sha256</code></pre>
      <p>${t('verify.about.tools')}</p>
      <pre dir="ltr"><code>sha256sum affidavit.pdf
pdfsig affidavit.pdf</code></pre>
      <p>${say(language, 'verify.about.command', { command: 'npm ci' })}</p>
      <pre dir="ltr"><code>npx trustcheck verify affidavit.pdf --root root.pem</code></pre>
      <p>${t('verify.about.compare')}</p>
    </div>
  </main>`;
  return pageOf({ title, language, body, style });
}

/** Returns the rows of the page: a name, and a value in words or as in the file. */
function rowsOf(facts: AffidavitFacts, t: (phrase: Phrase) => string) {
  const isRevoked = facts.outcome_validity === 'revoked';
  return [
    [t('verify.about.number'), code(facts.affidavit_id)],
    [t('verify.about.sha256'), code(facts.sha256)],
    [t('verify.about.sealed'), code(`${facts.sealed_at} (UTC)`)],
    [t('verify.about.signature'), code(facts.pades_level)],
    [
      t('verify.about.outcome'),
      html`${t(isRevoked ? 'verify.about.revoked' : 'verify.about.standing')}`,
    ],
    [t('verify.about.log'), code(facts.log_origin)],
    [t('verify.log_key'), code(facts.log_key)],
  ] as const;
}

const code = (value: string) => html`<code dir="ltr">${value}</code>`;

const style = 'main{max-width:44rem}dt{font-weight:600;margin-block-start:.6rem}dd{margin:0}';
