import { Buffer } from 'node:buffer';
import type { Spelling } from '../plans.ts';

/** What the service reads at most of a JSON body. */
const bodyBytesMax = 256 * 1024;

/** Puts a member in front of those of an object; another value stays as it is. */
const withMember = (text: string, member: string): string =>
  text.startsWith('{') ? `{${member}${text === '{}' ? '' : ','}${text.slice(1)}` : text;

/** Writes a JSON text as some client might, whose author meant harm or did not look. */
export function spell(text: string, spelling: Spelling | null): Buffer {
  const [first = '"a":1'] = /"(?:[^"\\]|\\.)*":(?:"(?:[^"\\]|\\.)*"|[\w.]+)/.exec(text) ?? [];
  switch (spelling) {
    case null:
      return Buffer.from(text);
    case 'duplicate':
      return Buffer.from(withMember(text, first));
    case 'proto':
      return Buffer.from(withMember(text, '"__proto__":{"isAdmin":true}'));
    case 'constructor':
      return Buffer.from(withMember(text, '"constructor":{"prototype":{"isAdmin":true}}'));
    case 'deep':
      return Buffer.from(withMember(text, `"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}`));
    case 'truncated':
      return Buffer.from(text.slice(0, -1));
    case 'trailing':
      return Buffer.from(`${text},`);
    case 'bom':
      return Buffer.from(`\ufeff${text}`);
    case 'utf-16':
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 'half-character':
      return Buffer.from(withMember(text, String.raw`"half":"\ud800"`));
    case 'nul':
      return Buffer.from(withMember(text, String.raw`"nul\u0000":"\u0000"`));
    case 'not-utf-8':
      return Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xc3, 0x28, 0xff])]);
    case 'huge-number':
      return Buffer.from(withMember(text, `"huge":1${'0'.repeat(4_000)}`));
    case 'padded':
      return Buffer.from(text.padEnd(bodyBytesMax));
    case 'too-long':
      return Buffer.from(text.padEnd(bodyBytesMax + 1));
  }
}
