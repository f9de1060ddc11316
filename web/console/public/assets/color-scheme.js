// Runs before the first paint, so that the page never appears in the wrong colour scheme first.
(() => {
  let scheme = null;
  try {
    scheme = localStorage.getItem('ninefold-color-scheme');
  } catch {
    // The browser does not allow storage, so the page follows the colour scheme of the system.
  }
  if (scheme !== 'light' && scheme !== 'dark') {
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();
