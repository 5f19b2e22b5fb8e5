// Node's own fetch cannot open a path, and the module's loader would try it first; without it the loader reads the file.
if (typeof process === 'object') globalThis.fetch = undefined;
// A module has an environment of its own: the tests look for their data there.
Module['preRun'] = [() => { for (const name of ['ARMATURE_ROOT', 'ARMATURE_DATA']) if (process.env[name] && typeof ENV === 'object') ENV[name] = process.env[name]; }];
