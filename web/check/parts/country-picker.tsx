import type { TargetedKeyboardEvent } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { Icon } from './icon.tsx';
import { useWords } from './say.ts';

interface Props {
  readonly facts: CheckFacts;
  /** The chosen country (ISO 3166-1). */
  readonly chosen: string;
  readonly choose: (country: string) => void;
}

/**
 * A button that shows the chosen country, and a list with a search. The list is a popover of the
 * browser, which Escape or a click outside closes. A browser without popovers always displays it.
 */
export function CountryPicker({ facts, chosen, choose }: Props) {
  const { say } = useWords();
  const [sought, seek] = useState('');
  const countries = useMemo(() => countriesOf(facts), [facts]);
  const found = find(countries, sought);
  return (
    <>
      <button type="button" class="field" popoverTarget="countries">
        {say('check.phone.country')}{' '}
        <span>{countries.find(({ country }) => country === chosen)?.label}</span>
      </button>
      <div
        id="countries"
        popover
        tabIndex={-1}
        onKeyDown={moveByKey}
        onToggle={({ currentTarget }) => {
          seek('');
          // The `autofocus` attribute would also apply to the page, where browsers log it as an
          // error.
          currentTarget.querySelector('input')?.focus();
        }}
      >
        <label>
          {say('check.phone.search')}
          <input
            type="search"
            autoComplete="off"
            value={sought}
            onInput={({ currentTarget }) => seek(currentTarget.value)}
          />
        </label>
        <p role="status">{found.length === 0 && say('check.phone.none')}</p>
        <ul class="choices">
          {found.map(({ country, label }) => (
            <li key={country}>
              <button
                type="button"
                popoverTarget="countries"
                aria-current={country === chosen}
                onClick={() => choose(country)}
              >
                {label}
                {country === chosen && <Icon name="tick" />}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

interface Country {
  readonly country: string;
  readonly label: string;
  /** The text that the search compares, folded. */
  readonly text: string;
}

/** Common search terms besides the name and the code. */
const aliases: Readonly<Record<string, string>> = { AE: 'UAE', GB: 'UK', US: 'USA' };

/** All countries in the alphabetical order of the language. */
function countriesOf({ language, callingCodes }: CheckFacts): Country[] {
  const names = new Intl.DisplayNames(language, { type: 'region' });
  return Object.entries(callingCodes)
    .map(([country, code]) => {
      const name = names.of(country) ?? country;
      // Without the mark, right-to-left text would place the plus sign after the digits.
      const label = `${name} (\u200e+${code})`;
      return { country, label, text: fold(`${country}+${code}${aliases[country] ?? ''}${name}`) };
    })
    .toSorted((a, b) => a.label.localeCompare(b.label, language));
}

/**
 * Returns the countries that contain a text. The codes come before the name, so the earliest match
 * is the best one: `DE` finds Germany before Denmark.
 */
function find(countries: readonly Country[], sought: string): Country[] {
  const folded = fold(sought).replace(/^00/, '+');
  const placeIn = ({ text }: Country): number => text.indexOf(folded);
  return countries.filter((each) => placeIn(each) >= 0).toSorted((a, b) => placeIn(a) - placeIn(b));
}

/** Normalizes a text for comparison: removes case, diacritics, spaces and punctuation. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}+]/gu, '')
    // Arabic and Persian digits: the last four bits of each are its value.
    .replaceAll(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .toLowerCase()
    // Unicode does not decompose these two letters.
    .replaceAll('ł', 'l')
    .replaceAll('ı', 'i');

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * Moves between the search and the list with arrow keys. Enter in the search chooses the first
 * match.
 */
function moveByKey(event: TargetedKeyboardEvent<HTMLElement>): void {
  const { key, currentTarget } = event;
  // Ignores keys while a word is being composed, as in Japanese. Safari reports the Enter that ends
  // a composition only by this key code.
  if (event.isComposing || event.keyCode === 229) return;
  const stops = [...currentTarget.querySelectorAll<HTMLElement>('input, button')];
  const at = stops.findIndex((each) => each.matches(':focus'));
  const step = steps[key];
  if (step) stops[at + step]?.focus();
  else if (key === 'Enter' && at === 0) stops[1]?.click();
  else return;
  event.preventDefault();
}
