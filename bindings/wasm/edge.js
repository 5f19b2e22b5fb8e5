// The JavaScript half of the module's edge (edge.hpp): what C++ returns as an Error is thrown, what is thrown is always an
// Error, and the module's stack is put back where it was when an exception crossed it.
Module['onRuntimeInitialized'] = function () {
  function edge(entry) {
    var guarded = function () {
      var stack = stackSave();
      var result;
      try {
        result = entry.apply(this, arguments);
      } catch (error) {
        stackRestore(stack);
        throw error instanceof Error ? error : new Error('The solver core failed without saying why.');
      }
      if (result instanceof Error) throw result;
      return result;
    };
    guarded.overloadTable = entry.overloadTable; // embind looks for it there, by the method's name
    return guarded;
  }
  ['version', 'simd', 'models', 'formats', 'solvers', 'builtin', 'open'].forEach(function (name) {
    Module[name] = edge(Module[name]);
  });
  var figure = Module['Figure'].prototype;
  Object.getOwnPropertyNames(figure).forEach(function (name) {
    if (name !== 'constructor' && typeof figure[name] === 'function') figure[name] = edge(figure[name]);
  });
};
