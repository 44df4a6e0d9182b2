import { afterAll } from 'vitest';
import { holdRaces } from '../hold.ts';
import { storeRaces } from './all.ts';
import { closeStage } from './stage.ts';

afterAll(closeStage);
holdRaces('store', storeRaces);
