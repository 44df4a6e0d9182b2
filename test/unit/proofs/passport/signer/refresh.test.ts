import { createServer, type Server } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTrustListActivities } from '../../../../../activities/proofs/passport/activities.ts';
import {
  loadCountryCrls,
  openPassportTrust,
} from '../../../../../activities/proofs/passport/config.ts';
import { rereadMs, retryMs } from '../../../../../activities/proofs/passport/country-crls.ts';
import { createDiskStore } from '../../../../../activities/storage/disk.ts';
import { providerDown } from '../../../../../activities/vendors/provider.ts';
import { createPublishedLists } from '../../../../../activities/vendors/published-lists.ts';
import { encoded, readElement, tags } from '../../../../../domain/pki/read-der.ts';
import { readCountryCertificate } from '../../../../../domain/proofs/passport/signer/certificate.ts';
import { issueCrl } from '../../../../../simulator/roots/crl.ts';
import {
  createDevCsca,
  exportDevCsca,
  issueSigner,
  linkCsca,
} from '../../../../../simulator/roots/passport.ts';
import { Failure } from '../../../../../workflows/failures.ts';
import { at, csca, mintMasterList } from '../../../../support/fixtures/passports/fixtures.ts';

const root = createDevCsca(at, { commonName: 'CSCA Utopia list' });
const stranger = createDevCsca(at, { commonName: 'CSCA Stranger' });
const later = (ms: number): Date => new Date(at.getTime() + ms);
const signer = readCountryCertificate(issueSigner(csca, at).certificate);

let directory = '';
let server: Server;
let base = '';
let now = at;
/** What is published, by path; a number is a status code. */
let published: Record<string, Uint8Array | number> = {};
let said: unknown[] = [];
/** Whether the object store is unavailable. */
let isStoreAway = false;
const clock = (): Date => now;
const log = { warn: (line: object) => void said.push(line) };

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-lists-'));
  [now, said, published, isStoreAway] = [at, [], {}, false];
  server = createServer((request, response) => {
    const answer = published[request.url ?? ''] ?? 404;
    if (typeof answer === 'number') response.writeHead(answer, { location: '/list' }).end();
    else response.end(answer);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.close();
  await rm(directory, { recursive: true, force: true });
});

/** Everything a worker creates from these settings; each call stands for another worker. */
async function open(settings: { CSCA_MASTER_LIST?: string; CSCA_LINKS?: string } = {}) {
  const rootFile = join(directory, 'root.pem');
  await writeFile(rootFile, exportDevCsca(root).certificate);
  const config = {
    CSCA_MASTER_LIST_URL: `${base}/list`,
    CSCA_MASTER_LIST_ROOT: rootFile,
    CSCA_CRL_URLS: [`${base}/crl`],
    CSCA_CRLS_REQUIRED: 'no' as const,
    PASSPORT_LEGACY_ALGORITHMS: 'flag' as const,
    ...settings,
  };
  const store = createDiskStore({
    directory,
    baseUrl: base,
    secret: () => Buffer.alloc(32),
    clock,
  });
  const get: typeof store.get = async (key) => {
    if (isStoreAway) throw providerDown('object store', 503);
    return await store.get(key);
  };
  const deps = { lists: createPublishedLists({ ...store, get }), clock, log };
  const trust = await openPassportTrust(config, null, deps);
  const { crls } = await loadCountryCrls(config, trust, deps);
  const sources = {
    masterList: { url: config.CSCA_MASTER_LIST_URL, rootDer: root.certificate },
    crlUrls: config.CSCA_CRL_URLS,
  };
  const { refreshTrustLists } = createTrustListActivities({
    sources,
    trust,
    legacyAlgorithms: config.PASSPORT_LEGACY_ALGORITHMS,
    ...deps,
  });
  const held = async (): Promise<[number, number]> => [
    (await trust.current()).published.size,
    (await crls?.listsFor(signer))?.length ?? 0,
  ];
  const heldOf = async (other: Uint8Array): Promise<number> =>
    (await crls?.listsFor(readCountryCertificate(other)))?.length ?? 0;
  return { refresh: refreshTrustLists, held, heldOf, trust };
}

const away = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof Failure ? error.code : String(error)),
  );

describe('fetched lists', () => {
  it('are accepted once when signed, and reach every worker within ten minutes', async () => {
    const [one, other] = [await open(), await open()];
    expect(await one.held()).toEqual([0, 0]);
    published = {
      '/list': mintMasterList(root, [csca.certificate], at),
      '/crl': issueCrl(csca, [], at),
    };
    expect(await one.refresh()).toEqual({ taken: 2, unchanged: 0, refused: 0 });
    expect(await one.refresh()).toEqual({ taken: 0, unchanged: 2, refused: 0 });
    expect([await one.held(), await other.held()]).toEqual([
      [1, 0],
      [0, 0],
    ]);
    now = later(rereadMs);
    expect([await one.held(), await other.held()]).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(await (await open()).held()).toEqual([1, 1]);
  });

  it('are refused from another signer, when malformed and when older', async () => {
    const list = mintMasterList(root, [csca.certificate], at);
    const newer = mintMasterList(root, [csca.certificate, stranger.certificate], later(1_000));
    published = { '/list': newer, '/crl': issueCrl(stranger, [], later(1_000)) };
    const worker = await open();
    await worker.refresh();
    now = later(rereadMs);
    expect(await worker.held()).toEqual([2, 0]);
    const nobodys = createDevCsca(at, { commonName: 'CSCA Nobody' });
    for (const wrong of [
      list,
      mintMasterList(stranger, [nobodys.certificate], later(9_000)),
      Buffer.from('<html>moved</html>'),
      issueCrl(csca, [], later(9_000)),
    ]) {
      published['/list'] = wrong;
      published['/crl'] = wrong === list ? issueCrl(nobodys, [], at) : Buffer.from('none');
      said = [];
      expect(await worker.refresh()).toEqual({ taken: 0, unchanged: 0, refused: 2 });
      expect(said).toHaveLength(2);
    }
    now = later(2 * rereadMs);
    expect(await worker.held()).toEqual([2, 0]);
  });

  it('are fetched again after an unavailable source, and the others are accepted at once', async () => {
    const worker = await open();
    for (const answer of [404, 500, 302, Buffer.alloc(2 * 1024 * 1024 + 1)]) {
      published = { '/list': mintMasterList(root, [csca.certificate], now), '/crl': answer };
      expect(await away(worker.refresh())).toBe('dependency_unavailable');
      now = later(rereadMs + now.getTime() - at.getTime());
      expect(await worker.held()).toEqual([1, 0]);
    }
    published['/crl'] = issueCrl(csca, [], now);
    expect(await worker.refresh()).toMatchObject({ taken: 1, unchanged: 1 });
  });

  it('stay in use while the object store is unavailable, and are read again seconds after', async () => {
    const worker = await open();
    const both = [csca.certificate, stranger.certificate];
    published = {
      '/list': mintMasterList(root, [csca.certificate], at),
      '/crl': issueCrl(csca, [], at),
    };
    await worker.refresh();
    now = later(rereadMs);
    expect(await worker.held()).toEqual([1, 1]);
    published['/list'] = mintMasterList(root, both, later(1_000));
    await (await open()).refresh();
    isStoreAway = true;
    now = later(2 * rereadMs);
    expect(await worker.held()).toEqual([1, 1]);
    expect(await away(open())).toBe('dependency_unavailable');
    isStoreAway = false;
    now = later(2 * rereadMs + retryMs - 1);
    expect(await worker.held()).toEqual([1, 1]);
    now = later(2 * rereadMs + retryMs);
    expect(await worker.held()).toEqual([2, 1]);
  });

  it('of CRLs are kept per key of one address, each in its latest version', async () => {
    const worker = await open();
    now = later(10_000);
    const next = createDevCsca(at, { commonName: 'CSCA Utopia next' });
    const trusted = [csca, stranger, next];
    const take = async (crl: Uint8Array): Promise<object> => {
      published['/crl'] = crl;
      return await worker.refresh();
    };
    const list = trusted.map(({ certificate }) => certificate);
    published = { '/list': mintMasterList(root, list, at), '/crl': issueCrl(csca, [], at) };
    await worker.refresh();
    for (const other of [stranger, next]) {
      expect(await take(issueCrl(other, [], later(9_000)))).toMatchObject({ taken: 1 });
    }
    const newer = issueCrl(csca, [], later(1_000));
    expect(await take(newer)).toMatchObject({ taken: 1 });
    expect(await take(newer)).toMatchObject({ unchanged: 2 });
    expect(await take(issueCrl(csca, [], at))).toMatchObject({ refused: 1 });
    // An attacker on the network could add unsigned bytes, and fill the copy with them.
    const { contents } = readElement(issueCrl(csca, [], later(2_000)), tags.sequence);
    const stuffed = encoded(tags.sequence, contents, encoded(tags.octetString, Buffer.alloc(9)));
    expect(await take(stuffed)).toMatchObject({ refused: 1 });
    now = later(rereadMs);
    for (const each of trusted) {
      expect(await worker.heldOf(issueSigner(each, at).certificate)).toBe(1);
    }
    expect(said).toHaveLength(2);
  });
});

describe('the trusted country certificates', () => {
  it('come from the list that was signed later, local or fetched', async () => {
    const file = join(directory, 'list.ml');
    const both = [csca.certificate, stranger.certificate];
    await writeFile(file, mintMasterList(root, both, later(-1_000)));
    published = { '/list': mintMasterList(root, [csca.certificate], at), '/crl': 404 };
    const worker = await open({ CSCA_MASTER_LIST: file });
    expect(await worker.held()).toEqual([2, 0]);
    await away(worker.refresh());
    now = later(rereadMs);
    expect(await worker.held()).toEqual([1, 0]);
    await writeFile(file, mintMasterList(root, both, later(1_000)));
    expect(await (await open({ CSCA_MASTER_LIST: file })).held()).toEqual([2, 0]);
  });

  it('include link certificates of a directory, but only for trusted keys', async () => {
    const next = createDevCsca(at, { commonName: 'CSCA Utopia next' });
    await writeFile(join(directory, 'next.cer'), linkCsca(csca, next, at));
    await writeFile(join(directory, 'other.cer'), linkCsca(stranger, next, at));
    await writeFile(join(directory, 'odd.der'), 'no certificate');
    const file = join(directory, 'list.ml');
    await writeFile(file, mintMasterList(root, [csca.certificate], at));
    const { trust } = await open({ CSCA_MASTER_LIST: file, CSCA_LINKS: directory });
    const { linked, published: listed } = await trust.current();
    expect([listed.size, linked.size]).toEqual([1, 1]);
    expect(said).toEqual([{ file: 'odd.der' }]);
    await expect(open({ CSCA_LINKS: '/nowhere' })).rejects.toThrow(/^CSCA_LINKS: /);
  });
});
