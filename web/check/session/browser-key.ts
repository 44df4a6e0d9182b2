import {
  createBrowserKey,
  makeKeyPair,
  type BrowserKey,
  type BrowserKeyPair,
} from '../../../client/browser-key.ts';

const database = 'trustcheck';
const store = 'keys';
const name = 'browser';
/** A storage that is damaged or blocked may never answer. */
const storageMsMax = 5_000;

/**
 * The key of this browser for all its checks, over reloads. Where storage is refused, as in a
 * private window, the key is kept in memory and ends with the page.
 * @throws Error over plain http, where browsers hide WebCrypto, and in an outdated browser
 */
export async function keyOfBrowser(): Promise<BrowserKey> {
  // Browsers before 2023: the page calls both at later steps.
  if (!('toSorted' in Array.prototype && 'timeout' in AbortSignal)) throw new Error('outdated');
  const made = await makeKeyPair();
  const late = new Promise<BrowserKeyPair>((resolve) => {
    setTimeout(() => resolve(made), storageMsMax);
  });
  return createBrowserKey(await Promise.race([keep(made).catch(() => made), late]));
}

/** Stores a pair unless there is one already; returns the stored one. Two tabs get the same. */
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
