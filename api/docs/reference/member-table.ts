import { html, type Markup } from '../../http/html/markup.ts';
import { inline } from './descriptions.ts';

/** Members with what each holds, as a table; words between backticks are code. */
export function memberTable(members: Readonly<Record<string, string>>): Markup {
  const rows = Object.entries(members).map(
    ([name, words]) =>
      html`<tr>
        <td><code>${name}</code></td>
        <td>${inline(words)}</td>
      </tr>`,
  );
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Member</th>
        <th scope="col">Value</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}
