import { renderToString } from 'preact-render-to-string';
import type { CheckRenderer } from '../../api/links/visitor/pages/check-facts.ts';
import { App } from './app.tsx';
import style from './check.css?inline';
import drawings from './drawings/drawings.css?inline';
import countryPicker from './parts/country-picker.css?inline';
import pictures from './specimens/pictures.css?inline';
import { SpecimenPage } from './specimens/page.tsx';

export const renderCheck: CheckRenderer['renderCheck'] = (facts) =>
  renderToString(<App facts={facts} />);
export const checkStyle: CheckRenderer['checkStyle'] = style + drawings + countryPicker;
export const renderSpecimen: CheckRenderer['renderSpecimen'] = (name, facts) =>
  renderToString(<SpecimenPage name={name} facts={facts} />);
export const specimenStyle: CheckRenderer['specimenStyle'] = pictures;
