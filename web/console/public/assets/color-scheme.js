// Runs before the first paint, so that the page never appears in the wrong scheme.
(() => {
  let scheme = null;
  try {
    scheme = localStorage.getItem('ninefold-color-scheme');
  } catch {
    // Storage is disabled: follow the system.
  }
  if (scheme !== 'light' && scheme !== 'dark') {
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();
