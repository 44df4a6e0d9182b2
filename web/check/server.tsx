import { renderToString } from 'preact-render-to-string';
import type { CheckRenderer } from '../../api/links/visitor/pages/check-facts.ts';
import { App } from './app.tsx';
import style from './check.css?inline';

export const renderCheck: CheckRenderer['renderCheck'] = (facts) =>
  renderToString(<App facts={facts} />);
export const checkStyle: CheckRenderer['checkStyle'] = style;
