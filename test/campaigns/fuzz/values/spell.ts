import { Buffer } from 'node:buffer';
import type { Spelling } from '../plans.ts';

/** Limit of a JSON body that the service reads. */
const bodyBytesMax = 256 * 1024;

/** Adds a member at the start of an object; returns other values unchanged. */
const withMember = (text: string, member: string): string =>
  text.startsWith('{') ? `{${member}${text === '{}' ? '' : ','}${text.slice(1)}` : text;

/** Writes a JSON text as a malicious or careless client might. */
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
