// State of the shell: panels, theme, toasts, dialogs, which tool is in hand. Nothing here is undoable
// and nothing here computes.
import { carried } from '../core/carried';
import { load, save, saveTheme } from './prefs';
import type { Mode } from '../logic/url';

export type Tool = 'select' | 'translate' | 'rotate' | 'path';
export type ShowFlag = 'body' | 'bones' | 'frames' | 'limits' | 'trails' | 'onion' | 'ellipsoid' | 'cloud' | 'clearance';

export interface ToastAction {
  label: string;
  run: () => void;
}

export interface Toast {
  id: number;
  tone: 'info' | 'ok' | 'warn' | 'bad';
  title: string;
  text: string;
  snippet?: { line: number; text: string; hit: boolean }[];
  actions: ToastAction[];
  sticky: boolean;
}

export type Dialog = 'help' | 'find' | 'export' | 'paste' | 'models' | 'menu' | null;
type Panel = 'tree' | 'inspector' | 'dock';
type Sizes = Record<string, number>;

const DEFAULT_SIZE: Record<string, number> = {
  tree: 236,
  'inspector.pose': 344,
  'inspector.step': 444,
  'inspector.chapter': 372,
  'dock.pose': 152,
  'dock.step': 206,
  'dock.compare': 344,
  'dock.build': 124,
};
const RANGE: Record<string, [number, number]> = {
  tree: [180, 420],
  'inspector.pose': [300, 560],
  'inspector.step': [380, 640],
  'inspector.chapter': [320, 640],
};

class Ui {
  theme = $state<'light' | 'dark'>('light');
  tool = $state<Tool>('translate');
  local = $state(false);
  units = $state<'deg' | 'rad'>(load('units', 'deg'));
  letters = $state(load('letters', true));
  show = $state<Record<ShowFlag, boolean>>({
    body: true,
    bones: true,
    frames: false,
    limits: true,
    trails: false,
    onion: false,
    ellipsoid: false,
    cloud: false,
    clearance: false,
  });
  opacity = $state(1);
  /** Ghosts along a direction of the null space: the one moved last. */
  nullRange = $state(false);
  nullDirection = $state(0);
  dialog = $state<Dialog>(null);
  /** A frame in another page: the view and its status line only. */
  readonly embed = carried?.given.embed === true || typeof location !== 'undefined' && new URLSearchParams(location.search).has('embed');
  /** The gallery over a running scene: Back returns to it unchanged. */
  gallery = $state(false);
  /** What is chosen there is put beside the scene's model. */
  adding = $state(false);
  toasts = $state<Toast[]>([]);
  sizes = $state<Sizes>(load('sizes', {}));
  collapsed = $state<Record<string, boolean>>(load('collapsed', {}));
  folded = $state<Record<string, boolean>>(load('folded', {}));
  width = $state(1440);
  height = $state(900);
  /** The tree as an overlay, where it has no column. */
  treeOpen = $state(false);
  /** The timeline shows curves below its rows. */
  curves = $state(false);
  /** Phone: which tab, and how high the sheet stands. */
  tab = $state<'goals' | 'joints' | 'method' | 'tree' | 'time' | 'more'>('goals');
  sheet = $state<'peek' | 'half' | 'full'>('half');
  /** Tablets: which tab of the shelf, and how high it stands. */
  shelfTab = $state('');
  shelf = $state<'low' | 'half' | 'high'>('half');
  /** Which tab of Pose's inspector; what a size does not have falls back. */
  inspectorTab = $state<'drive' | 'pose' | 'goals' | 'joints' | 'bodies' | 'solutions' | ''>('');
  /** Build: which tab of the dock. */
  buildTab = $state<'checks' | 'history' | 'parts'>('checks');
  dropping = $state<{ name: string; known: boolean } | null>(null);
  /** Pixels of a model unit in the view, as last drawn. */
  scale = $state(1);
  /** Frames of a motion that is being solved beside the page. */
  solving = $state(0);
  /** Panels that are made: tree, dock, inspector, its joints; a large file begins with none. */
  parts = $state(4);
  get whole(): boolean {
    return this.parts > 3;
  }
  /** Files being read. */
  opening = $state(0);
  private nextToast = 1;

  start(): void {
    this.theme = document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
  }

  shelfHeight(at: 'low' | 'half' | 'high'): number {
    return at === 'low' ? 66 : Math.round(Math.min(at === 'half' ? 532 : 860, this.height * (at === 'half' ? 0.46 : 0.72)));
  }

  /** What stands at the goal: nothing to pull while a path is drawn. */
  get gizmo(): 'select' | 'translate' | 'rotate' {
    return this.tool === 'path' ? 'select' : this.tool;
  }

  get adds(): boolean {
    return this.gallery && this.adding;
  }

  get phone(): boolean {
    return this.width < 600;
  }
  get narrow(): boolean {
    return this.width < 900;
  }
  get medium(): boolean {
    return this.width < 1200;
  }

  setTheme(theme: 'light' | 'dark'): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    saveTheme(theme);
  }

  private sizeKey(panel: Panel, mode: Mode): string {
    return panel === 'tree' ? 'tree' : `${panel}.${mode}`;
  }
  size(panel: Panel, mode: Mode): number {
    const key = this.sizeKey(panel, mode);
    if (key === 'dock.pose' && this.curves) return this.sizes[key] ?? Math.round(Math.min(392, this.height * 0.48));
    return this.sizes[key] ?? DEFAULT_SIZE[key] ?? DEFAULT_SIZE[`${panel}.pose`]!;
  }
  range(panel: Panel, mode: Mode): [number, number] {
    if (panel === 'dock') return [96, Math.round(this.height * 0.6)];
    return RANGE[this.sizeKey(panel, mode)] ?? RANGE['inspector.pose']!;
  }
  resize(panel: Panel, mode: Mode, to: number | null): void {
    const key = this.sizeKey(panel, mode);
    const sizes = { ...this.sizes };
    if (to === null) delete sizes[key];
    else {
      const [lo, hi] = this.range(panel, mode);
      sizes[key] = Math.round(Math.min(hi, Math.max(lo, to)));
    }
    this.sizes = sizes;
    save('sizes', sizes);
  }
  toggle(panel: Panel): void {
    if (panel === 'tree' && this.medium) this.treeOpen = !this.treeOpen;
    else if (this.narrow) this.shelf = this.shelf === 'low' ? 'half' : 'low';
    else {
      this.collapsed = { ...this.collapsed, [panel]: !this.shut(panel) };
      save('collapsed', this.collapsed);
    }
  }
  /** Away by hand, or (the dock) for want of height. */
  shut(panel: Panel): boolean {
    return this.collapsed[panel] ?? (panel === 'dock' && this.height < 760);
  }
  fold(section: string): void {
    this.folded = { ...this.folded, [section]: !this.folded[section] };
    save('folded', this.folded);
  }
  setUnits(units: 'deg' | 'rad'): void {
    this.units = units;
    save('units', units);
  }
  setLetters(on: boolean): void {
    this.letters = on;
    save('letters', on);
  }

  toast(toast: Partial<Toast> & { title: string }): number {
    const id = this.nextToast++;
    const full: Toast = { tone: 'info', text: '', actions: [], sticky: toast.tone === 'bad', ...toast, id };
    this.toasts = [...this.toasts, full];
    if (!full.sticky) setTimeout(() => this.dismiss(id), 8000);
    return id;
  }
  update(id: number, change: Partial<Toast>): void {
    this.toasts = this.toasts.map((t) => (t.id === id ? { ...t, ...change } : t));
  }
  dismiss(id: number): void {
    this.toasts = this.toasts.filter((t) => t.id !== id);
  }
}

export const ui = new Ui();
