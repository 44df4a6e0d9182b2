import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { useWords } from './say.ts';

/** A phone number as the person writes it. */
export interface Typed {
  readonly country: string;
  readonly number: string;
}

export const untyped = (facts: CheckFacts): Typed => ({ country: guessCountry(facts), number: '' });

/** The number as the service takes it. */
export const bodyOf = ({ country, number }: Typed) => ({ phone_number: number, country });

interface Props {
  readonly facts: CheckFacts;
  readonly typed: Typed;
  readonly setTyped: (typed: Typed) => void;
}

/** The fields of a form that asks for a phone number. */
export function NumberFields({ facts, typed, setTyped }: Props) {
  const { say } = useWords();
  return (
    <>
      <Countries facts={facts} typed={typed} setTyped={setTyped} />
      <label>
        {say('check.phone.number')}
        <input
          type="tel"
          name="phone_number"
          inputMode="tel"
          autoComplete="tel"
          required
          maxLength={32}
          dir="ltr"
          value={typed.number}
          onInput={({ currentTarget }) => setTyped({ ...typed, number: currentTarget.value })}
        />
      </label>
    </>
  );
}

/** A list that is searched by typing, as every list of a browser. */
function Countries({ facts, typed, setTyped }: Props) {
  const { say } = useWords();
  const names = new Intl.DisplayNames(facts.language, { type: 'region' });
  const countries = Object.entries(facts.callingCodes)
    .map(([country, code]) => ({ country, code, name: names.of(country) ?? country }))
    .toSorted((a, b) => a.name.localeCompare(b.name, facts.language));
  return (
    <label>
      {say('check.phone.country')}
      <select
        name="country"
        autoComplete="country"
        value={typed.country}
        onChange={({ currentTarget }) => setTyped({ ...typed, country: currentTarget.value })}
      >
        {countries.map(({ country, code, name }) => (
          <option key={country} value={country}>
            {`${name} (+${code})`}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The country in the language tag of the browser, else the likely one of the page's language. */
function guessCountry({
  language,
  callingCodes,
}: Pick<CheckFacts, 'language' | 'callingCodes'>): string {
  const [, named = ''] =
    /^[a-z]{2,3}-(?:[A-Z][a-z]{3}-)?([A-Z]{2})\b/.exec(navigator.language) ?? [];
  const likely = new Intl.Locale(language).maximize().region ?? '';
  const known = [named, likely].find((country) => country in callingCodes);
  return known ?? Object.keys(callingCodes)[0] ?? '';
}
