/** Is told when something was begun and, later, that it was done. */
export type OnStep = (step: string) => void;

/**
 * The same object, of which each call is told twice: when what it asks is on its way, and when the
 * answer is there. Connections that it gives are watched, too.
 * @param kind stands before the name of the step
 */
export function watched<Target extends object>(
  target: Target,
  kind: string,
  onStep: OnStep,
): Target {
  return new Proxy(target, {
    get(on, name) {
      const value: unknown = Reflect.get(on, name, on);
      if (typeof value !== 'function') return value;
      if (!asks.has(String(name))) return value.bind(on);
      return (...given: unknown[]) => {
        const answer: unknown = value.apply(on, given);
        if (!(answer instanceof Promise)) return answer;
        if (name === 'connect') return answer.then((client) => watched(client, kind, onStep));
        const step = `${kind} ${labelOf(String(name), given[0])}`;
        onStep(`${step} begun`);
        return answer.then((result) => {
          onStep(`${step} done`);
          return result;
        });
      };
    },
  });
}

/** What is asked of outside, or takes long. */
const asks = new Set([
  'connect',
  'query',
  'get',
  'put',
  'sign',
  'renderAffidavit',
  'verifyAffidavit',
]);

/** A prepared statement has a name, any other a first word. */
function labelOf(call: string, given: unknown): string {
  if (call !== 'query') return call;
  const { name, text } = Object(typeof given === 'string' ? { text: given } : given);
  return String(name ?? String(text).split(' ')[0]);
}
