// The JavaScript half of the module's edge (edge.hpp): what C++ returns as an Error is thrown as an ArmatureError
// (armature.mjs hands its class in), and the module's stack is put back where it was when an exception crossed it.
Module['onRuntimeInitialized'] = function () {
  var Mistake = Module['ArmatureError'] || Error;
  function edge(entry) {
    var guarded = function () {
      var stack = stackSave();
      var result;
      try {
        result = entry.apply(this, arguments);
      } catch (error) {
        stackRestore(stack);
        if (error instanceof WebAssembly.RuntimeError) throw error;
        throw new Mistake(error instanceof Error ? error.message : 'The solver core failed without saying why.');
      }
      if (result instanceof Error) throw new Mistake(result.message);
      return result;
    };
    guarded.overloadTable = entry.overloadTable; // embind looks for it there, by the method's name
    return guarded;
  }
  ['version', 'simd', 'models', 'formats', 'methods', 'builtin', 'read', 'retarget', 'registerMethod', 'exercises', 'checkExercise', 'measures', 'makeScene', 'makeFollower'].forEach(function (name) {
    Module[name] = edge(Module[name]);
  });
  ['ModelHandle', 'SceneHandle', 'FollowerHandle'].forEach(function (type) {
    var prototype = Module[type].prototype;
    Object.getOwnPropertyNames(prototype).forEach(function (name) {
      if (name !== 'constructor' && typeof prototype[name] === 'function') prototype[name] = edge(prototype[name]);
    });
  });
};
