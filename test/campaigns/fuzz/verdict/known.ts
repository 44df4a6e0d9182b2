/** Number of values that are kept per name: the newest. */
const keptMax = 40;

/** Other names of the same object. */
const aliases: Readonly<Record<string, string>> = {
  id: 'link_session_id',
  trust_check_session_id: 'link_session_id',
};
const nameOf = (name: string): string => aliases[name] ?? name;

/** Existing objects, by their names in answers and paths. */
export class Known {
  readonly #kept = new Map<string, (string | number)[]>();

  add(name: string, value: string | number): void {
    const kept = this.#kept.get(nameOf(name)) ?? [];
    if (kept.includes(value)) return;
    kept.push(value);
    if (kept.length > keptMax) kept.shift();
    this.#kept.set(nameOf(name), kept);
  }

  lookUp(name: string, pick: number): string | number | undefined {
    const kept = this.#kept.get(nameOf(name)) ?? [];
    return kept[pick % Math.max(1, kept.length)];
  }

  /** Stores every id and token of an answer. */
  learn(value: unknown, name = ''): void {
    if (Array.isArray(value)) for (const each of value.slice(0, 3)) this.learn(each, name);
    else if (typeof value === 'object' && value !== null) {
      for (const [member, inner] of Object.entries(value)) this.learn(inner, member);
    } else if (/(_id|_uuid|token|jwt|challenge)$/.test(name) && name !== 'key_id') {
      if (typeof value === 'string' || typeof value === 'number') this.add(name, value);
    }
  }
}
