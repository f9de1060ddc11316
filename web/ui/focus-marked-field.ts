/**
 * Focuses the field marked `data-autofocus` of a dialog as soon as the dialog is in the page, so that keys pressed right after the
 * one that opened the dialog reach the field. Mantine does so in a later task. Pass it as `ref` of `Modal.Content`.
 */
export function focusMarkedField(dialog: HTMLElement | null): void {
  dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true });
}
