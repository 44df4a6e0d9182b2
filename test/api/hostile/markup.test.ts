import { beforeAll, describe, expect, it } from 'vitest';
import { writeInvitation } from '../../../activities/links/write.ts';
import { outboxPage } from '../../../api/system/outbox-page.ts';
import { randomIds } from '../../../db/ids.ts';
import { plainLine, withoutDirectionMarks } from '../../../domain/languages/format.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { eachOf } from '../authz/cells.ts';
import { hostileMarkup } from './lists.ts';
import { outlineOfImage, outlineOfPage, type Outline } from './outline.ts';

const { baseUrl } = ownPlatform();
const plain = 'plain words';
/** Number of accounts that are renamed and shown in parallel. */
const lanes = 4;

/**
 * Returns a text as a document contains it: without forbidden control characters, with one kind of
 * line end.
 */
const told = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\t\n\u007f-\u009f]|[\ufffe\uffff]/gu, '')
    .trim();

interface Stage {
  /** Renames an account, its app and the title of its link; returns the accepted names. */
  name(text: string): Promise<{ readonly label: string; readonly title: string }>;
  /** Requests every page and image that contains the names. */
  show(): Promise<Readonly<Record<string, Answer>>>;
}

async function newStage(lane: number): Promise<Stage> {
  const mark = `markup-${lane}-${randomIds.bytes(4).toString('hex')}`;
  const { account_id, app_id, api_key: token } = await newAccount(mark);
  const made = await call('PUT', `/v2/${app_id}`, { token, body: { required_proofs: ['phone'] } });
  const link = String(made.body['link_uuid']);
  const account = `/v2/accounts/${account_id}`;
  const known = { label: plain, title: plain };
  const patch = async (path: string, body: unknown): Promise<boolean> =>
    (await call('PATCH', path, { token, body })).status === 200;
  const asImage = { headers: { accept: 'image/svg+xml,image/*' } };
  const asPage = { headers: { accept: 'text/html' } };
  return {
    async name(text) {
      const isLabel = await patch(account, { name: text });
      if (isLabel) {
        await patch(`${account}/apps/${app_id}`, { name: text });
        known.label = text;
      }
      if (await patch(`/v2/${link}`, { title: text, metadata: { text } })) known.title = text;
      return { ...known };
    },
    show: async () => ({
      page: await call('GET', `/v2/${app_id}/${link}?format_type=H`, asPage),
      image: await call('GET', `/v2/${app_id}/${link}?format_type=S`),
      'image of success': await call('GET', `/success/${link}`, asImage),
      success: await call('GET', `/success/by-app/${app_id}`, asPage),
    }),
  };
}

function outlineOf(what: string, { status, headers, text }: Answer): Outline {
  const isImage = what.startsWith('image');
  const type = isImage ? 'image/svg+xml; charset=utf-8' : 'text/html; charset=utf-8';
  expect([what, status, headers.get('content-type')]).toEqual([what, 200, type]);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  return isImage ? outlineOfImage(text) : outlineOfPage(text);
}

describe('hostile texts', () => {
  const stages: Stage[] = [];
  beforeAll(async () => {
    for (let lane = 0; lane < lanes; lane += 1) stages.push(await newStage(lane));
  });

  it('the corpus has at least 100 distinct hostile texts', () => {
    expect(hostileMarkup.length).toBeGreaterThanOrEqual(100);
    expect(new Set(hostileMarkup).size).toBe(hostileMarkup.length);
  });

  it('remain plain text in every page and image', async () => {
    const wrong: unknown[] = [];
    const named = { label: 0, title: 0 };
    const left = hostileMarkup.values();
    await eachOf(stages, lanes, async (stage) => {
      await stage.name(plain);
      const usual = Object.entries(await stage.show()).map(
        ([what, answer]) => [what, outlineOf(what, answer).structure] as const,
      );
      for (const text of left) {
        const { label, title } = await stage.name(text);
        named.label += Number(label === text);
        named.title += Number(title === text);
        const shown = await stage.show();
        for (const [what, structure] of usual) {
          try {
            const outline = outlineOf(what, shown[what] ?? expect.fail(what));
            const isSuccess = what.endsWith('success');
            const words = told(isSuccess ? label : withoutDirectionMarks(title));
            if (outline.structure !== structure) wrong.push([what, text, 'is markup']);
            if (!outline.words.includes(words)) wrong.push([what, text, 'is not what is read']);
          } catch (error) {
            wrong.push([what, text, String(error)]);
          }
        }
      }
    });
    expect(wrong).toEqual([]);
    // Only texts with forbidden characters are rejected, and for names those without visible ones.
    expect(named.title).toBeGreaterThanOrEqual(hostileMarkup.length - 5);
    expect(named.label).toBeGreaterThanOrEqual(hostileMarkup.length - 20);
  });

  it('remain plain text in an email and in the outbox page', () => {
    const letter = (text: string): string => {
      const facts = { requester: text, appName: text, recipientName: text, note: text };
      const rest = { language: 'en', url: `${baseUrl}/v2/x`, until: null } as const;
      return writeInvitation({ ...facts, ...rest }).html;
    };
    const outbox = (text: string): string => {
      const at = new Date(0);
      const message = { channel: text, recipient: text, subject: text, text, created_at: at };
      return outboxPage([message], baseUrl).content;
    };
    const usual = [letter, outbox].map((write) => outlineOfPage(write(plain)).structure);
    // Texts without any legible character are removed, and an empty note is omitted.
    const legible = hostileMarkup.filter((each) => plainLine(each) !== '');
    expect(legible.length).toBeGreaterThan(hostileMarkup.length - 5);
    for (const text of legible.map((each) => each.replaceAll('\u0000', ''))) {
      const structures = [letter, outbox].map((write) => outlineOfPage(write(text)).structure);
      expect(structures, text).toEqual(usual);
    }
  });

  it('are detected by the outline if they are not escaped', () => {
    const page = (text: string): string => `<!doctype html><p title="${text}">${text}</p>`;
    const usual = outlineOfPage(page(plain)).structure;
    const seen = hostileMarkup.filter((text) => outlineOfPage(page(text)).structure !== usual);
    expect(seen.length).toBeGreaterThan(100);
    const image = (text: string): string => `<svg xmlns="http://www.w3.org/2000/svg">${text}</svg>`;
    const refused = hostileMarkup.filter((text) => {
      try {
        return outlineOfImage(image(text)).structure !== outlineOfImage(image(plain)).structure;
      } catch {
        return true;
      }
    });
    expect(refused.length).toBeGreaterThan(100);
  });
});
