import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../../../activities/affidavit/verify.ts';
import { createDevPki } from '../../../../activities/keys/changes/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../../activities/keys/directory/load-keys.ts';
import { rendererId } from '../../../../activities/pdf/renderer-id.ts';
import { sealAffidavit } from '../../../../domain/pdf/signature/seal.ts';
import { createTimestampAuthority } from '../../../../domain/pki/timestamps/sign-token.ts';
import { commandHere } from '../../../support/commands/command-here.ts';
import { listsOfToday } from '../../../support/fixtures/affidavits/archives.ts';
import {
  denseContent as content,
  lightContent,
} from '../../../support/fixtures/affidavits/contents.ts';
import { foreignPages } from '../../../support/fixtures/affidavits/foreign-pages.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-affidavit-'));
let keys: PlatformKeys;
let lists: Buffer[];

beforeAll(async () => {
  const place = join(directory, 'own');
  await createDevPki(place, { now: new Date(), baseUrl: 'http://127.0.0.1:8080' });
  keys = loadKeys(place);
  lists = await listsOfToday(keys);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function seal(pages: Uint8Array): Promise<Buffer> {
  const authority = createTimestampAuthority(keys.tsa, () => new Date(), randomBytes);
  return sealAffidavit(pages, keys.seal, authority);
}

/** Seals pages that our renderer does not make with our own keys. */
const sealed = async (json: string): Promise<Buffer> => seal(await foreignPages(json));

const judge = (pdf: Uint8Array) =>
  verifyAffidavit(pdf, [keys.root.certificate], new Date(Date.now() + 1000), { lists });

describe('an affidavit of another renderer', () => {
  const another = 'trustcheck-pages/10 0123456789abcdef';

  it('is valid when this renderer makes the same pages', async () => {
    const verdict = await judge(
      await seal(await renderAffidavit({ ...content, renderer: another })),
    );
    expect(verdict).toMatchObject({ result: 'valid', facts: { renderer: another } });
  });

  it('is valid by its seal when the pages differ, and the verdict names the renderer', async () => {
    const said = { ...content, renderer: another };
    const json = canonicalize(said) ?? '';
    const pdf = await sealed(json);
    const verdict = await judge(pdf);
    expect(verdict).toMatchObject({
      result: 'valid',
      reason_code: null,
      facts: {
        affidavit_id: content.affidavit_id,
        outcome: 'failed',
        renderer: said.renderer,
        json_sha256: createHash('sha256').update(json).digest('hex'),
      },
    });
    const told = verdict.checks.map(({ name, result }) => `${name} ${result}`);
    expect(told).toEqual([
      'form ok',
      'signature ok',
      'timestamp ok',
      'document_timestamp skipped',
      'chains ok',
      'revocation skipped',
      'attachment ok',
      'revisions skipped',
      'pages skipped',
      'in_force ok',
      'standing ok',
    ]);
    const path = join(directory, 'another.pdf');
    writeFileSync(path, pdf);
    const root = join(directory, 'own', 'root.cer.pem');
    const at = new Date(Date.now() + 60_000).toISOString();
    const crls = lists.flatMap((list, index) => {
      writeFileSync(join(directory, `${index}.crl`), list);
      return ['--crl', join(directory, `${index}.crl`)];
    });
    const flags = ['verify', path, '--root', root, '--at', at, ...crls];
    const { code, stdout } = await commandHere(directory, flags);
    expect(stdout).toContain(
      `  – pages (not compared, because another version made them: ${another})\n`,
    );
    expect(stdout).toMatch(/\nvalid\n$/);
    expect(code).toBe(0);
  });

  it('is indeterminate with an unknown schema', async () => {
    const schema = 'trustcheck-affidavit/2';
    const verdict = await judge(await sealed(JSON.stringify({ ...content, schema })));
    expect(verdict).toMatchObject({
      result: 'indeterminate',
      reason_code: 'renderer_unknown',
      facts: { renderer: rendererId },
    });
  });

  it.each(['renderer', 'development', 'verified_claims_token', 'decision', 'proofs'] as const)(
    'is invalid without its member %s',
    async (name) => {
      const { [name]: _left, ...said } = { ...content, renderer: another };
      expect(await judge(await sealed(canonicalize(said) ?? ''))).toMatchObject({
        result: 'invalid',
        reason_code: 'attachment',
      });
    },
  );

  it('is invalid with other pages that name this renderer', async () => {
    const json = canonicalize({ ...content, renderer: rendererId }) ?? '';
    expect(await judge(await sealed(json))).toMatchObject({
      result: 'invalid',
      reason_code: 'pages_differ',
    });
  });

  it('is invalid when it was changed after its seal', async () => {
    const pdf = await seal(await renderAffidavit({ ...content, renderer: another }));
    pdf[pdf.length - 10] = (pdf[pdf.length - 10] ?? 0) ^ 1;
    expect((await judge(pdf)).result).toBe('invalid');
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no schema', '{}'],
    ['another schema', '{"schema":"another/1","renderer":"x"}'],
    [
      'a renderer to deceive a terminal',
      '{"schema":"trustcheck-affidavit/4","renderer":"\\u001b[2J"}',
    ],
    ['spaces in its JSON', JSON.stringify(lightContent, null, 1)],
    ['depth', '['.repeat(200_000)],
  ])('is invalid with %s in the attachment', async (_name, json) => {
    const verdict = await judge(await sealed(json));
    expect(verdict.result).toBe('invalid');
  });
});
