import {
  createBrowserKey,
  makeKeyPair,
  type BrowserKey,
  type BrowserKeyPair,
} from '../../../client/browser-key.ts';

const database = 'trustcheck';
const store = 'keys';
const name = 'browser';
/** Damaged or blocked storage may never answer. */
const storageMsMax = 5_000;

/**
 * Returns the key of this browser for all its checks. It survives reloads. Where storage is denied,
 * as in a private window, the key is kept in memory and ends with the page.
 * @throws Error over plain HTTP, where browsers hide WebCrypto, and in an outdated browser
 */
export async function keyOfBrowser(): Promise<BrowserKey> {
  // Browsers before 2023 lack these methods, which the page calls in later steps.
  if (!('toSorted' in Array.prototype && 'timeout' in AbortSignal)) throw new Error('outdated');
  const made = await makeKeyPair();
  const late = new Promise<BrowserKeyPair>((resolve) => {
    setTimeout(() => resolve(made), storageMsMax);
  });
  return createBrowserKey(await Promise.race([keep(made).catch(() => made), late]));
}

/** Stores a key pair unless one exists. Returns the stored pair, so that two tabs share one. */
async function keep(made: BrowserKeyPair): Promise<BrowserKeyPair> {
  const opening = indexedDB.open(database, 1);
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(store));
  const opened = await done(opening);
  const keys = opened.transaction(store, 'readwrite').objectStore(store);
  const kept = (await done(keys.get(name))) as BrowserKeyPair | undefined;
  if (kept === undefined) await done(keys.put(made, name));
  opened.close();
  return kept ?? made;
}

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB')));
  });
