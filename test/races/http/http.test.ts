import { holdRaces } from '../hold.ts';
import { httpRaces } from './all.ts';

holdRaces('http', httpRaces);
