// Undo and redo over immutable values. An entry holds the whole value before and after; the values
// share what did not change, so an entry costs only what did. Undo never computes anything.

export interface Entry<T> {
  label: string;
  before: T;
  after: T;
  /** Entries with the same key within a second become one. */
  key: string;
  time: number;
  bytes: number;
}

export class History<T> {
  private done: Entry<T>[] = [];
  private undone: Entry<T>[] = [];
  private bytes = 0;

  constructor(
    readonly limit = 200,
    readonly maxBytes = 32e6,
    readonly coalesceMs = 1000,
  ) {}

  /** Records a change. Returns whether it became part of the entry before. */
  push(label: string, before: T, after: T, options: { key?: string; time?: number; bytes?: number } = {}): boolean {
    if (before === after) return false;
    const time = options.time ?? Date.now();
    const key = options.key ?? '';
    this.undone = [];
    const last = this.done[this.done.length - 1];
    if (key && last && last.key === key && last.after === before && time - last.time <= this.coalesceMs) {
      last.after = after;
      last.time = time;
      return true;
    }
    const entry = { label, before, after, key, time, bytes: options.bytes ?? 256 };
    this.done.push(entry);
    this.bytes += entry.bytes;
    while (this.done.length > this.limit || (this.bytes > this.maxBytes && this.done.length > 1)) {
      this.bytes -= this.done.shift()!.bytes;
    }
    return false;
  }

  /** Ends coalescing: the next change starts its own entry. */
  seal(): void {
    const last = this.done[this.done.length - 1];
    if (last) last.key = '';
  }

  undo(): T | null {
    const entry = this.done.pop();
    if (!entry) return null;
    this.bytes -= entry.bytes;
    entry.key = '';
    this.undone.push(entry);
    return entry.before;
  }

  redo(): T | null {
    const entry = this.undone.pop();
    if (!entry) return null;
    this.bytes += entry.bytes;
    this.done.push(entry);
    return entry.after;
  }

  /** Back or forth until `size` entries are done; null when nothing changes. */
  goTo(size: number): T | null {
    let value: T | null = null;
    while (this.done.length > Math.max(0, size)) value = this.undo();
    while (this.done.length < size && this.undone.length > 0) value = this.redo();
    return value;
  }
  /** What was done and, after that, what was undone and can be done again. */
  get labels(): string[] {
    return [...this.done, ...[...this.undone].reverse()].map((e) => e.label);
  }

  clear(): void {
    this.done = [];
    this.undone = [];
    this.bytes = 0;
  }

  get undoLabel(): string | null {
    return this.done[this.done.length - 1]?.label ?? null;
  }
  get redoLabel(): string | null {
    return this.undone[this.undone.length - 1]?.label ?? null;
  }
  get size(): number {
    return this.done.length;
  }
}
