import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly user?: string;
  readonly read_only?: boolean;
  readonly tmpfs?: string[];
  readonly security_opt?: string[];
  readonly cap_drop?: string[];
}
const text = readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');
const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };

/** Services that run as root, and why. */
const rootOf: Readonly<Record<string, string>> = {
  objects: 'writes into what objects-bucket has made',
  'objects-bucket': 'a new volume belongs to root where the image has no such directory',
  proxy: 'its volumes belong to root in the image',
};
/** Services with a writable root file system, and why. */
const writableOf: Readonly<Record<string, string>> = {
  'temporal-ui': 'its start writes config/docker.yaml',
};

describe('docker-compose.yml', () => {
  it('gives every service only the rights that it needs', () => {
    const all = Object.entries(services);
    const without = (isHard: (service: Service) => boolean): string[] =>
      all.filter(([, service]) => !isHard(service)).map(([name]) => name);
    const isOfUser = ({ user = 'root' }: Service): boolean => !/^(root|0)\b/.test(user);
    const isUnprivileged = ({ security_opt = [] }: Service): boolean =>
      security_opt.includes('no-new-privileges:true');
    expect(without(isUnprivileged)).toEqual([]);
    expect(without(isOfUser).toSorted()).toEqual(Object.keys(rootOf).toSorted());
    expect(without(({ read_only }) => read_only === true).toSorted()).toEqual(
      Object.keys(writableOf),
    );
    // Even a service that runs as root has no capabilities.
    for (const name of ['api', 'worker', ...Object.keys(rootOf)]) {
      expect(services[name]?.cap_drop, name).toEqual(['ALL']);
    }
    for (const name of ['api', 'worker']) expect(services[name]?.user).toBe('node');
    expect(services['postgres']?.tmpfs).toEqual(['/var/run/postgresql', '/tmp']);
  });
});
