import { describe, expect, it } from 'vitest';
import { splitExport } from '../../../domain/evidence/split-export.ts';

async function split(text: string | Uint8Array, pieceBytes = 7): Promise<string[]> {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      yield await Promise.resolve(bytes.subarray(at, at + pieceBytes));
    }
  }
  const files: string[] = [];
  for await (const file of splitExport(pieces())) files.push(Buffer.from(file).toString().trim());
  return files;
}

const one = '{"a":"[{\\"","b":[1]}';
const pretty = JSON.stringify({ a: '}{', b: [{ c: 1 }] }, null, 2);

describe('splitExport', () => {
  it.each([1, 7, 4096])(
    'reads one file, or one file per line, in chunks of %i bytes',
    async (pieceBytes) => {
      const of = (text: string) => split(text, pieceBytes);
      expect(await of(one)).toEqual([one]);
      expect(await of(`${one}\n`)).toEqual([one]);
      expect(await of(`${one}\n{}\n\n${one}`)).toEqual([one, '{}', one]);
      expect(await of(`\n \r\n${one}\r\n\t\n{}\r\n`)).toEqual([one, '{}']);
      expect(await of(pretty)).toEqual([pretty]);
      expect(await of(`\n${pretty}\n\n`)).toEqual([pretty]);
    },
  );

  it('reads a single file when its first line is incomplete JSON', async () => {
    expect(await split(`{\n{}\n{}\n`)).toEqual(['{\n{}\n{}']);
  });

  it.each(['', ' ', '\n\n\r\n'])('refuses an empty export: %j', async (text) => {
    await expect(split(text)).rejects.toThrow('the file is empty');
  });

  it('accepts at most a thousand files', async () => {
    expect(await split('{}\n'.repeat(1000), 4096)).toHaveLength(1000);
    await expect(split('{}\n'.repeat(1001), 4096)).rejects.toThrow('over 1000 files in one');
  });

  it('accepts no file over 32 MiB', async () => {
    const limit = 32 * 1024 * 1024;
    const fill = (length: number) => Buffer.alloc(length, '1');
    expect(await split(Buffer.concat([fill(limit - 1), Buffer.from('\n{}')]), limit)).toHaveLength(
      2,
    );
    await expect(split(fill(limit + 1), 1 << 20)).rejects.toThrow('the file is over 32 MiB');
  });
});

it('stops at endless white space', async () => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) yield await Promise.resolve(Buffer.alloc(1 << 20, ' '));
  }
  await expect(splitExport(endless()).next()).rejects.toThrow('over 32 MiB of white space');
});
