// Node's own fetch cannot open a path, and the module's loader would try it first; without it the loader reads the file.
if (typeof process === 'object') globalThis.fetch = undefined;
