import { promisify } from 'node:util';
import { CustodyError } from './custody-error.ts';

/** A handle or a flag is a CK_ULONG, of 8 bytes on the supported machines. */
type Argument = bigint | number | Buffer | null;

/**
 * Calls one function of a module on another thread, and returns its CK_RV. A module runs in this
 * process, so a crash of the module ends it. A process of its own would log in for each signature.
 */
type Call = (...given: readonly Argument[]) => Promise<number>;

const [word, pointer] = ['ulong', 'void *'];

/**
 * Position of each function in CK_FUNCTION_LIST, after the version, and its parameter types
 * (PKCS#11 2.40, pkcs11f.h). Every module has this list, but not every module exports the functions
 * by name.
 */
const functions = {
  initialize: [0, [pointer]],
  slotList: [4, ['uint8_t', pointer, pointer]],
  tokenInfo: [6, [word, pointer]],
  openSession: [12, [word, word, pointer, pointer, pointer]],
  closeSession: [13, [word]],
  login: [18, [word, word, pointer, word]],
  attributes: [24, [word, word, pointer, word]],
  findBegin: [26, [word, pointer, word]],
  find: [27, [word, pointer, word, pointer]],
  findEnd: [28, [word]],
  signBegin: [42, [word, pointer, word]],
  sign: [43, [word, pointer, word, pointer, pointer]],
} as const;

export interface Cryptoki extends Readonly<Record<keyof typeof functions, Call>> {
  /** Returns an array of attributes or a mechanism in C layout: number, address and length each. */
  rows(rows: readonly (readonly [kind: number, content: Buffer | null])[]): Buffer;
}

export const wordBytes = 8;
const rowBytes = 3 * wordBytes;

/** Returns a CK_ULONG as it is in memory. */
export function wordOf(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(wordBytes);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/**
 * Loads a module from a path and wraps its C functions.
 * @throws CustodyError `unset` when the module, or the package that calls C, cannot be loaded
 */
export async function loadCryptoki(path: string): Promise<Cryptoki> {
  const { default: koffi } = await import('koffi').catch(() => {
    throw new CustodyError('unset', 'PKCS#11 takes the package koffi, which is not installed');
  });
  if (koffi.sizeof(word) !== wordBytes || koffi.sizeof(pointer) !== wordBytes) {
    throw new CustodyError('unset', 'PKCS#11 takes Linux or macOS on 64 bits');
  }
  const list: unknown[] = [null];
  try {
    const into = koffi.out(koffi.pointer(pointer));
    const result: unknown = koffi.load(path).func('C_GetFunctionList', word, [into])(list);
    if (Number(result) !== 0 || typeof list[0] !== 'bigint') throw new Error('no list');
  } catch {
    throw new CustodyError('unset', 'KEYS_PKCS11_MODULE: no PKCS#11 module can be loaded from it');
  }
  // C code holds only addresses. The buffers must not be collected while a call is running.
  const underWay = new Set<readonly Argument[]>();
  const heldBy = new WeakMap<Buffer, unknown>();
  const callOf = ([at, takes]: readonly [number, readonly string[]]): Call => {
    // The version comes first, padded to the size of a pointer.
    const address: unknown = koffi.decode(list[0], wordBytes * (at + 1), pointer);
    const call = koffi.decode(address, koffi.proto(word, [...takes])) as {
      async: (...given: readonly unknown[]) => void;
    };
    const later: (...given: unknown[]) => Promise<unknown> = promisify(call.async);
    return async (...given) => {
      underWay.add(given);
      try {
        return Number(await later(...given));
      } finally {
        underWay.delete(given);
      }
    };
  };
  const calls = Object.entries(functions).map(([name, one]) => [name, callOf(one)]);
  return {
    ...(Object.fromEntries(calls) as Record<keyof typeof functions, Call>),
    rows(rows) {
      const table = Buffer.alloc(rows.length * rowBytes);
      for (const [index, [kind, content]] of rows.entries()) {
        const address = content && content.length > 0 ? koffi.address(content) : 0n;
        const row = [BigInt(kind), address, BigInt(content?.length ?? 0)];
        for (const [column, value] of row.entries()) {
          table.writeBigUInt64LE(value, index * rowBytes + column * wordBytes);
        }
      }
      heldBy.set(table, rows);
      return table;
    },
  };
}
