// In which unit Build shows and reads lengths. The linkage itself keeps metres (or, where it has none, units of its own).
import { formatLength, significant } from '../logic/numbers';
import { load, save } from './prefs';
import { studio } from './studio.svelte';

export const UNITS = { auto: 1, m: 1, cm: 100, mm: 1000 };
export type Unit = keyof typeof UNITS;

class Lengths {
  chosen = $state<Unit>(load('build.unit', 'auto'));
  choose(unit: Unit): void {
    save('build.unit', (this.chosen = unit));
  }
  /** Behind the number of a field; a bare number typed there has it too. */
  get unit(): string {
    return this.chosen !== 'auto' ? this.chosen : studio.style === 'metric' ? 'm' : '';
  }
  field = (value: number): string => significant(value * UNITS[this.chosen], 4);
  /** A round number, as short as it is. */
  round(value: number): string {
    const unit = this.chosen !== 'auto' ? this.chosen : studio.style === 'metric' ? 'mm' : 'auto';
    return `${Number((value * UNITS[unit]).toPrecision(6))}${unit === 'auto' ? '' : `\u00a0${unit}`}`;
  }
  text(value: number): string {
    return this.chosen === 'auto' ? formatLength(value, studio.style) : `${significant(value * UNITS[this.chosen], 3)}\u00a0${this.chosen}`;
  }
}
export const lengths = new Lengths();
