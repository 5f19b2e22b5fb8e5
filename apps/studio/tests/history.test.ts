import { describe, expect, it } from 'vitest';
import { History } from '../src/logic/history';

describe('History', () => {
  it('undoes and redoes the very same values', () => {
    const h = new History<object>();
    const a = {}, b = {}, c = {};
    h.push('one', a, b);
    h.push('two', b, c);
    expect(h.undoLabel).toBe('two');
    expect(h.undo()).toBe(b);
    expect(h.undo()).toBe(a);
    expect(h.undo()).toBeNull();
    expect(h.redo()).toBe(b);
    expect(h.redo()).toBe(c);
    expect(h.redo()).toBeNull();
  });
  it('goes to any entry at once, and lists what was done and undone', () => {
    const h = new History<number>();
    for (const v of [1, 2, 3, 4]) h.push(`to ${v}`, v - 1, v);
    expect(h.goTo(1)).toBe(1);
    expect(h.labels).toEqual(['to 1', 'to 2', 'to 3', 'to 4']);
    expect(h.size).toBe(1);
    expect(h.goTo(3)).toBe(3);
    expect(h.goTo(3)).toBeNull();
    expect(h.goTo(-1)).toBe(0);
    expect(h.goTo(9)).toBe(4);
  });
  it('forgets redo after a new change, and ignores no change', () => {
    const h = new History<number>();
    h.push('one', 1, 2);
    h.undo();
    h.push('other', 1, 3);
    expect(h.redo()).toBeNull();
    expect(h.push('same', 3, 3)).toBe(false);
    expect(h.size).toBe(1);
  });
  it('joins changes of one field within a second', () => {
    const h = new History<number>();
    h.push('damping', 1, 2, { key: 'd', time: 0 });
    expect(h.push('damping', 2, 3, { key: 'd', time: 900 })).toBe(true);
    h.push('damping', 3, 4, { key: 'd', time: 2500 });
    expect(h.size).toBe(2);
    expect(h.undo()).toBe(3);
    expect(h.undo()).toBe(1);
  });
  it('starts its own entry after seal', () => {
    const h = new History<number>();
    h.push('x', 1, 2, { key: 'k', time: 0 });
    h.seal();
    h.push('x', 2, 3, { key: 'k', time: 10 });
    expect(h.size).toBe(2);
  });
  it('is bounded by number and by bytes', () => {
    const h = new History<number>(3, 1000);
    for (let i = 0; i < 10; i++) h.push('x', i, i + 1);
    expect(h.size).toBe(3);
    h.push('big', 10, 11, { bytes: 900 });
    expect(h.size).toBe(1);
    expect(h.undo()).toBe(10);
  });
});
