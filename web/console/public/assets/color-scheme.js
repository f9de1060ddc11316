// Runs before the first paint, so that a page is never shown in the other scheme first.
(() => {
  let scheme = null;
  try {
    scheme = localStorage.getItem('ninefold-color-scheme');
  } catch {
    // Storage is switched off: follow the system.
  }
  if (scheme !== 'light' && scheme !== 'dark') {
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();
