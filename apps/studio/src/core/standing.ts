// A model in a world with another axis up, as files of some formats expect it; the caller deletes it.
import type { Model } from '@armature';
import { parseLinkage, turnedUp } from '../logic/linkage_edit';
import type { Core } from './core';

export function standing(core: Core, model: Model, up: 'y' | 'z'): Model {
  return core.module.readModel(JSON.stringify(turnedUp(parseLinkage(model.write('json').bytes), up)), 'standing.json');
}
