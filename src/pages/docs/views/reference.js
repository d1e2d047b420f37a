/*
 * The validator of the page tries whether it may compile code, which the page's policy refuses: it is told not to try, because
 * a browser reports every refusal.
 */
globalThis.__zod_globalConfig = { jitless: true };

/* What the page draws without a name for a screen reader gets the words beside it. */
const NAMES = {
  'td [role="combobox"]': (field) => field.closest('td').textContent.split(':')[0],
  '.group\\/scopes-accordion div > button[aria-expanded]': () => 'Scopes',
  '.cm-content': () => 'Body',
};
new MutationObserver(() => {
  for (const [place, nameOf] of Object.entries(NAMES))
    for (const control of document.querySelectorAll(`${place}:not([aria-label])`))
      control.ariaLabel = nameOf(control);
}).observe(document, { childList: true, subtree: true });
