import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as der from '../../../../domain/pki/write-der.ts';

export interface OpensslAuthority {
  /** Root certificate of its chain, PEM. */
  readonly root: string;
  /** Returns a TimeStampResp over a SHA-256 digest with this nonce. */
  readonly reply: (digest: Buffer, nonce: Buffer) => Buffer;
}

/** A time-stamp authority with `openssl ts` in a folder: RSA, a root and a CA. */
export function opensslAuthority(directory: string): OpensslAuthority {
  const run = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  const certify = (name: string, subject: string, extensions: string, issuer?: string) => {
    writeFileSync(join(directory, `${name}.ext`), `${extensions}\n`);
    const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`];
    run('req', '-new', ...key, '-subj', `/CN=${subject}`, '-out', `${name}.csr`);
    const signedBy = issuer
      ? ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-CAcreateserial']
      : ['-signkey', `${name}.key`];
    const out = ['-extfile', `${name}.ext`, '-days', '2', '-out', `${name}.pem`];
    run('x509', '-req', '-in', `${name}.csr`, '-sha384', ...signedBy, ...out);
  };
  const forCas = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign';
  certify('other-root', 'other root', forCas);
  certify('other-ca', 'other CA', forCas, 'other-root');
  const forStamps = 'keyUsage=critical,digitalSignature\nextendedKeyUsage=critical,timeStamping';
  certify('other-tsa', 'other stamps', forStamps, 'other-ca');
  const settings = [
    '[tsa]\ndefault_tsa=a\n[a]\nserial=serial\ncrypto_device=builtin',
    'signer_digest=sha512\ndefault_policy=1.2.3.4.1\ndigests=sha256\nordering=yes\ntsa_name=yes',
    'accuracy=secs:1\nclock_precision_digits=3\ness_cert_id_alg=sha1\ness_cert_id_chain=yes',
  ];
  writeFileSync(join(directory, 'tsa.cnf'), settings.join('\n'));
  return {
    root: readFileSync(join(directory, 'other-root.pem'), 'utf8'),
    reply(digest: Buffer, nonce: Buffer): Buffer {
      const algorithm = der.sequence(der.oid('2.16.840.1.101.3.4.2.1'));
      const hashed = der.sequence(algorithm, der.octets(digest));
      const parts = [der.integer(1), hashed, der.integer(nonce), der.tlv(1, Buffer.of(0xff))];
      writeFileSync(join(directory, 'query.tsq'), der.sequence(...parts));
      const signer = ['-inkey', 'other-tsa.key', '-signer', 'other-tsa.pem'];
      const made = ['-config', 'tsa.cnf', '-queryfile', 'query.tsq', ...signer];
      return run('ts', '-reply', ...made, '-chain', 'other-ca.pem');
    },
  };
}
