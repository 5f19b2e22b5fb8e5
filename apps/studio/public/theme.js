// Theme before first paint: the saved choice, or what the system prefers. A file of its own, because the page's
// Content-Security-Policy allows no scripts inside the page.
(function () {
  var saved = null;
  try { saved = localStorage.getItem('armature.theme'); } catch (e) {}
  var dark = saved ? saved === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
