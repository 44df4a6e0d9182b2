import { describe, expect, it } from 'vitest';
import {
  cmac,
  counterOf,
  openResponse,
  protectCommand,
  sessionKeysOf,
  type SessionKeys,
} from '../../../../../domain/proofs/passport/chip/secure-messaging.ts';
import { flipped } from '../../../../support/fixtures/passports/fixtures.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const word = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The example of ICAO 9303-11, appendix D.4: keys, counter, commands and responses. */
const keys: SessionKeys = {
  cipher: '3des',
  encryption: hex('979ec13b1cbfe9dcd01ab0fed307eae5'),
  mac: hex('f1cb1f1fb5adf208806b89dc579dc1f8'),
};
const at = (count: bigint): Buffer => counterOf('3des', 0x887022120c06c226n + count);
const read = hex('8709019ff0ec34f9922651990290008e08ad55cc17140b2ded9000');

describe('secure messaging', () => {
  it('derives the keys of ICAO 9303-11, appendix D.1 (without parity) and G.1', () => {
    const old = sessionKeysOf(hex('239ab9cb282daf66231dc5a4df6bfbae'), '3des');
    const bits = (key: Buffer): string => word(key.map((octet) => octet & 0xfe));
    expect(bits(old.encryption)).toBe(bits(hex('ab94fdecf2674fdfb9b391f85d7f76f2')));
    expect(bits(old.mac)).toBe(bits(hex('7962d9ece03d1acd4c76089dce131543')));
    const secret = hex('28768d20701247dae81804c9e780ede582a9996db4a315020b2733197db84925');
    const { encryption, mac } = sessionKeysOf(secret, 'aes-128');
    expect(word(encryption)).toBe('f5f0e35c0d7161ee6724ee513a0d9a7f');
    expect(word(mac)).toBe('fe251c7858b356b24514b3bd5f4297d1');
    expect(sessionKeysOf(secret, 'aes-192').mac).toHaveLength(24);
    expect(sessionKeysOf(secret, 'aes-256').mac).toHaveLength(32);
  });

  it('exchanges the commands and responses of appendix D.4', () => {
    const select = { ins: 0xa4, p1: 0x02, p2: 0x0c, data: hex('011e') };
    expect(word(protectCommand(keys, at(1n), select))).toBe(
      '0ca4020c158709016375432908c044f68e08bf8b92d635ff24f800',
    );
    const selected = openResponse(keys, at(2n), hex('990290008e08fa855a5d4c50a8ed9000'));
    expect(selected).toEqual({ status: 0x9000, data: Buffer.alloc(0) });
    expect(word(protectCommand(keys, at(3n), { ins: 0xb0, p1: 0, p2: 0, le: 4 }))).toBe(
      '0cb000000d9701048e08ed6705417e96ba5500',
    );
    expect(openResponse(keys, at(4n), read)).toEqual({ status: 0x9000, data: hex('60145f01') });
  });

  it('computes the CMAC values of RFC 4493 §4', () => {
    const key = hex('2b7e151628aed2a6abf7158809cf4f3c');
    const message =
      '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51' +
      '30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710';
    expect(word(cmac('aes-128', key, hex(message.slice(0, 32))))).toBe('070a16b46b4d4144');
    expect(word(cmac('aes-128', key, hex(message)))).toBe('51f0bebf7e3b9d92');
  });

  it('refuses a response with another counter, other keys or a flipped bit', () => {
    expect(openResponse(keys, at(5n), read)).toBeNull();
    expect(openResponse({ ...keys, mac: keys.encryption }, at(4n), read)).toBeNull();
    for (let bit = 0; bit < read.length * 8; bit += 1) {
      const opened = (() => {
        try {
          return openResponse(keys, at(4n), flipped(read, bit));
        } catch (error) {
          return error instanceof Error ? error.name : error;
        }
      })();
      expect([null, 'MalformedDer'], `bit ${bit}`).toContain(opened);
    }
  });

  it.each([
    ['an empty response', ''],
    ['a missing code', '990290009000'],
    ['a missing status', '8e08ad55cc17140b2ded9000'],
    ['two statuses', '990290008e08fa855a5d4c50a8ed6a82'],
    ['a short code', '990290008e07fa855a5d4c50a89000'],
    ['another object', '810100990290008e08fa855a5d4c50a8ed9000'],
    ['more bytes than a chip sends', `8282ffff${'00'.repeat(600)}9000`],
  ])('refuses %s', (_what, response) => {
    const open = (): unknown => openResponse(keys, at(2n), hex(response));
    expect(open).toThrow(expect.objectContaining({ name: 'MalformedDer' }));
  });

  it('returns null for a bare status', () => {
    expect(openResponse(keys, at(2n), hex('6988'))).toBeNull();
  });
});
