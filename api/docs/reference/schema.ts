import { html, nothing, type Markup } from '../../http/html/markup.ts';
import { refPrefix, type Schema } from '../operations.ts';
import { inline } from './descriptions.ts';

/** The address of a schema below `/docs/reference/` is this and its name. */
export const schemaPrefix = 'schema-';

/** A schema in a few words: its type, bounds and choices, or a link to the schema of its name. */
export function schemaText(schema: Schema): Markup {
  if (schema.$ref) {
    const name = schema.$ref.slice(refPrefix.length);
    return html`<a href="/docs/reference/${schemaPrefix}${name}">${name}</a>`;
  }
  const choices = schema.anyOf ?? schema.allOf;
  if (choices) return joined(choices.map(schemaText), schema.anyOf ? ' or ' : ' and ');
  if (schema.items) return html`list of ${schemaText(schema.items)}${bounds(schema)}`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum)
    return html`<code>${schema.enum.map(String).join(' | ')}</code>${bounds(schema)}`;
  if (schema.properties) return html`${schemaMembers(schema)}`;
  if (typeof schema.additionalProperties === 'object') {
    return html`map of ${schemaText(schema.additionalProperties)}`;
  }
  return html`${typeText(schema)}${bounds(schema)}`;
}

/** The members of an object schema as a table; any other schema in a few words. */
export function schemaMembers(schema: Schema): Markup {
  if (!schema.properties) return html`<div>${schemaText(schema)}</div>`;
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties).map(
    ([name, member]) =>
      html`<tr>
        <td><code>${name}</code>${required.has(name) ? '' : ', optional'}</td>
        <td>${schemaText(member)}${describedIn(member)}</td>
      </tr>`,
  );
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Member</th>
        <th scope="col">Form</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** What a schema says of itself, on a line of its own; nothing where it says nothing. */
export function describedIn({ description }: Schema): Markup {
  return description ? html`<br />${inline(description)}` : nothing;
}

function typeText({ type, format }: Schema): string {
  if (format) return format;
  return typeof type === 'string' ? type : (type?.join(' or ') ?? 'any');
}

function bounds(schema: Schema): string {
  const named = [
    schema.pattern && !schema.format ? `of the form ${schema.pattern}` : '',
    schema.minimum !== undefined && schema.minimum > -1e9 ? `from ${schema.minimum}` : '',
    schema.maximum !== undefined && schema.maximum < 2 ** 53 - 1 ? `to ${schema.maximum}` : '',
    schema.maxLength === undefined ? '' : `up to ${schema.maxLength} characters`,
    schema.maxItems === undefined ? '' : `up to ${schema.maxItems}`,
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ].filter((text) => text !== '');
  return named.length > 0 ? `, ${named.join(', ')}` : '';
}

function joined(parts: readonly Markup[], word: string): Markup {
  const [first, ...rest] = parts;
  if (!first) return html``;
  return html`${first}${rest.map((part) => html`${word}${part}`)}`;
}
