import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Letter } from '../../../activities/delivery/letters/compose.ts';
import { checkMail } from '../../../activities/delivery/mail/port.ts';
import { writeEmail } from '../../../activities/identity/email/write.ts';
import { writeMemberInvitation } from '../../../activities/identity/members/write.ts';
import { writeInvitation } from '../../../activities/links/write.ts';
import { plainLine } from '../../../domain/languages/format.ts';
import { say } from '../../../domain/languages/say.ts';
import { directionOf, languages, type Language } from '../../../domain/languages/languages.ts';
import { compiledPath, compileLetter } from '../../support/runner/compile-letters.ts';
import { attributeOf, readHtml } from '../../unit/mail/read-html.ts';

const url =
  'https://trust.test/v2/example-app/3e1c7f0a#t=nJ2yqk8Q9QyqBzv1bq8l1m0xw6Vb0oYw&p=attach';
const until = new Date('2026-12-01T10:00:00Z');
/** Names that try to be more than a name. */
const hostile = [
  '<script>alert(1)</script>',
  '"><img src=https://elsewhere.test/x onerror=alert(1)>',
  "'{{url}}' {{{action}}} {{#note}} {requester} $& ${x} %s &lt;b&gt; #",
  '</title></style><!--[if mso]><a href=javascript:alert(1)>',
  'A\r\nBcc: x@example.test\r\n\r\nbody',
  'left\u202egnp.exe\u2068 \u2069\u2069 and \u0000 \ud800',
  'שלום (1) ليلى',
];

const letters: Readonly<Record<string, (language: Language, name: string) => Letter>> = {
  invitation: (language, name) =>
    writeInvitation({
      language,
      url,
      until,
      requester: name,
      appName: name,
      recipientName: name,
      note: name,
    }),
  login: (language, site) => writeEmail({ language, purpose: 'login', url, site }),
  attach: (language, site) => writeEmail({ language, purpose: 'attach', url, site }),
  'a login to an app': (language, name) =>
    writeEmail({
      language,
      purpose: 'login',
      url,
      site: name,
      asker: { account: name, isVerified: false },
    }),
  'a member': (language, account) =>
    writeMemberInvitation({ language, url, account, site: 'trust.test', until }),
};
const each = Object.entries(letters).flatMap(([name, write]) =>
  languages.map((language) => ({ name, language, write })),
);

/** Matches attributes that can load or run something. */
const active = /^(on|src|srcset|background|data|poster|action|formaction|ping|code|xlink)/;

function expectQuietHtml(html: string): void {
  const { elements } = readHtml(html);
  const known = ['html', 'head', 'title', 'meta', 'style', 'body', 'div', 'table', 'tbody', 'tr']
    .concat('td', 'h1', 'a', 'p', 'bdi')
    .toSorted();
  expect([...new Set(elements.map(({ tagName }) => tagName))].toSorted()).toEqual(
    known.filter((tag) => tag !== 'bdi' || html.includes('<bdi>')),
  );
  const attributes = elements.flatMap(({ attrs }) => attrs);
  expect(attributes.filter(({ name }) => active.test(name))).toEqual([]);
  // No style loads anything, and no conditional comment contains an address.
  expect(html).not.toMatch(/url\(|@import|@font-face|javascript:/i);
  const names = /^(http:\/\/www\.w3\.org\/1999\/xhtml|urn:schemas-microsoft-com:)/;
  const addresses = html.matchAll(/(?:https?:|urn:|\/\/)[^\s"'<]+/g);
  const others = Array.from(addresses, ([address]) => address).filter(
    (address) => !names.test(address) && address !== url.replaceAll('&', '&amp;'),
  );
  expect(others).toEqual([]);
}

describe.each(each)('the letter of $name in $language', ({ language, write }) => {
  it('has the same text in HTML and plain text, in its direction, with one address', () => {
    const { subject, text, html } = write(language, 'Example & Söhne');
    const { elements, blocks } = readHtml(html);
    const paragraphs = text.split('\n\n');
    expect(blocks.filter((block) => block !== say(language, 'letter.copy'))).toEqual(paragraphs);
    expect(blocks).toHaveLength(paragraphs.length + 1);
    expect(paragraphs[0]).toBe(subject);
    const find = (tag: string) => elements.filter(({ tagName }) => tagName === tag);
    const [root] = find('html');
    expect([attributeOf(root, 'lang'), attributeOf(root, 'dir')]).toEqual([
      language,
      directionOf(language),
    ]);
    // The address and the button; the address itself always runs from left to right.
    expect(find('a').map((link) => attributeOf(link, 'href'))).toEqual([url, url]);
    expect(paragraphs.filter((line) => line.includes('://'))).toEqual([url]);
    expect(/<div dir="ltr">\s*<a href="([^"]+)"/.exec(html)?.[1]).toBe(url.replace('&', '&amp;'));
    const wrongSide = directionOf(language) === 'rtl' ? 'left' : 'right';
    expect(html).not.toContain(`text-align:${wrongSide}`);
    expectQuietHtml(html);
  });

  it('shows a hostile name as plain text', () => {
    const name = hostile.join(' ');
    const letter = write(language, name);
    const { html, subject, text } = letter;
    const shown = plainLine(name);
    expect(() => checkMail({ ...letter, to: 'a@example.test', idempotencyKey: 'x' })).not.toThrow();
    expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029\u202e\ud800]/u);
    const { blocks, elements } = readHtml(html);
    expect(blocks.filter((block) => block !== say(language, 'letter.copy'))).toEqual(
      text.replaceAll(/ {2,}/g, ' ').split('\n\n'),
    );
    expect(text.split('\n\n').at(-1)).toBe(shown);
    expect(text).not.toMatch(/[\u202a-\u202e\u2066\u2067]/);
    expect(elements.some(({ tagName }) => /^(script|img)$/.test(tagName))).toBe(false);
    const links = elements.filter(({ tagName }) => tagName === 'a');
    expect(links.map((link) => attributeOf(link, 'href'))).toEqual([url, url]);
  });
});

describe('an invitation', () => {
  const plain = { language: 'en', url, requester: 'Example', appName: 'App', until: null } as const;

  it('has no name, no note and no end when those are empty', () => {
    const { subject, text } = writeInvitation({ ...plain, recipientName: '\u200b', note: ' \n ' });
    expect(subject).toBe('Example asks you to confirm who you are');
    expect(text.split('\n\n')).toEqual([
      'Example asks you to confirm who you are',
      'Hello,',
      'Example asks you to confirm who you are with App.',
      'Confirm who you are',
      url,
      'The link is for you alone and works once. Opening it changes nothing yet.',
      'If you did not expect this message, ignore it.',
      'Example',
    ]);
  });

  it('attributes the note to its author, and says until when the link works', () => {
    const facts = { ...plain, recipientName: 'A. Person', note: 'Bring\nit.', until };
    const paragraphs = writeInvitation(facts).text.split('\n\n');
    expect(paragraphs.slice(1, 5)).toEqual([
      'Hello A. Person,',
      'Example asks you to confirm who you are with App.',
      'Example writes:',
      'Bring it.',
    ]);
    expect(paragraphs).toContain('It works until December 1, 2026 at 10:00 AM UTC.');
  });
});

describe('the template', () => {
  it('is the MJML output of its source: run `npm run letters`', async () => {
    expect(readFileSync(compiledPath, 'utf8')).toBe(await compileLetter());
  });

  it('uses the colors of the pages', () => {
    const colorsOf = (text: string): string[] => text.match(/#[0-9a-f]{6}\b/g) ?? [];
    const tokens = readFileSync(new URL('../../../web/style/tokens.css', import.meta.url), 'utf8');
    const colors = [...new Set(colorsOf(readFileSync(compiledPath, 'utf8')))];
    expect(colors.length).toBeGreaterThan(10);
    expect(colors.filter((each) => !tokens.includes(each))).toEqual([]);
  });

  it('is compiled by no module that a service loads', () => {
    const sources = [
      '../../../activities/delivery/letters/compose.ts',
      '../../../workers/make-deps.ts',
    ];
    for (const source of sources) {
      expect(readFileSync(new URL(source, import.meta.url), 'utf8')).not.toContain("'mjml'");
    }
  });
});
