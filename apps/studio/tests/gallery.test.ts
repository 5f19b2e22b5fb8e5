import { describe, expect, it } from 'vitest';
import { allItems, chosenItems, GALLERY } from '../src/logic/gallery';

const entry = (name: string, doc = '') => ({ name, label: '', doc, v_size: 1, links: 2 });
const models = [...GALLERY.filter((g) => g.model).map((g) => entry(g.model)), entry('chain10'), entry('stewart', 'six legs'), entry('puma560', 'Unimation')];
const all = allItems(models);
const ids = (kind: Parameters<typeof chosenItems>[2], text = '') => chosenItems(all, models, kind, text).map((i) => i.id);

describe('the gallery', () => {
  it('begins with ten, and has every built-in model once', () => {
    expect(ids('all')).toEqual(GALLERY.map((g) => g.id));
    expect(all.map((i) => i.id)).toEqual([...GALLERY.map((g) => g.id), 'chain10_model', 'stewart', 'puma560']);
    expect(new Set(all.map((i) => i.id)).size).toBe(all.length);
  });
  it('filters by kind and finds words in titles, names and descriptions', () => {
    expect(ids('mechanisms')).toEqual(['four_bar', 'jansen', 'stewart']);
    expect(ids('all', 'LEGS')).toEqual(['stewart']);
    expect(ids('all', 'leg jansen')).toEqual(['jansen']);
    expect(ids('robots', 'puma')).toEqual(['puma560']);
    expect(ids('figures', 'puma')).toEqual([]);
  });
});
