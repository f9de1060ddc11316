import {
  type CSSVariablesResolver,
  createTheme,
  type InputProps,
  type InputWrapperProps,
  localStorageColorSchemeManager,
  type MenuProps,
  type ModalProps,
  type ModalRootProps,
  type PasswordInputProps,
  type PopoverProps,
  type SelectProps,
  type TooltipProps,
} from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { Icon } from './icon.tsx';
import styles from './theme.module.css';

const same = {
  '--mantine-color-body': 'var(--paper)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--ink-3)',
  '--mantine-color-placeholder': 'var(--ink-3)',
  '--mantine-color-anchor': 'var(--blue)',
  '--mantine-color-error': 'var(--error)',
  '--mantine-color-default': 'var(--raised)',
  '--mantine-color-default-hover': 'var(--paper-3)',
  '--mantine-color-default-border': 'var(--edge)',
};

/**
 * Sets Mantine's colour variables to the design tokens. Only tokens.css decides which colours a token has in the light
 * and the dark scheme.
 */
export const cssVariablesResolver: CSSVariablesResolver = () => ({ variables: {}, light: same, dark: same });

/** Stores whether the reader chose light or dark. public/assets/color-scheme.js reads the same key before the first paint. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'ninefold-color-scheme' });

/**
 * Returns the settings of a Mantine component. Mantine's `Button.extend` returns the same, but it would make the first
 * load of both applications contain every component.
 */
const part = <Props,>(settings: { defaultProps?: Partial<Props>; classNames?: Record<string, string> }) => settings;

/** Theme of Mantine's fields, menus, dialogs and tooltips. The styles of these components are in theme.module.css. */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 7, dark: 3 },
  autoContrast: true,
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
  focusRing: 'never',
  colors: {
    blue: [
      '#e9effb',
      '#cfdef8',
      '#a8c0ef',
      '#8fb3ff',
      '#6c9cf5',
      '#3f77e0',
      '#2a66d1',
      '#1650bd',
      '#0e3b91',
      '#0a2c6e',
    ],
    gray: [
      '#f5f5f1',
      '#ecece7',
      '#e2e2dc',
      '#c8c8c0',
      '#aeafa8',
      '#85867f',
      '#63666e',
      '#454850',
      '#2b2e35',
      '#16181d',
    ],
    dark: [
      '#e9e8e4',
      '#b9bbc0',
      '#979ba2',
      '#747a83',
      '#42474e',
      '#2a2e33',
      '#191c20',
      '#141619',
      '#0f1113',
      '#0b0d0f',
    ],
  },
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  headings: {
    fontFamily: 'var(--serif)',
    fontWeight: '400',
    sizes: { h1: { fontSize: '36px', lineHeight: '40px' }, h2: { fontSize: '17px', lineHeight: '25px' } },
  },
  fontSizes: { xs: '11px', sm: '12px', md: '13px', lg: '14px', xl: '17px' },
  radius: { xs: '2px', sm: '4px', md: '6px', lg: '6px', xl: '6px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  shadows: { xs: 'none', sm: 'none', md: 'var(--lift-1)', lg: 'var(--lift-1)', xl: 'var(--lift-2)' },
  components: {
    Input: part<InputProps>({ classNames: { wrapper: styles.wrapper ?? '', input: styles.input ?? '' } }),
    InputWrapper: part<InputWrapperProps>({
      defaultProps: { inputWrapperOrder: ['label', 'input', 'error', 'description'], withAsterisk: false },
      classNames: {
        root: styles.field ?? '',
        label: styles.label ?? '',
        description: styles.help ?? '',
        error: styles.error ?? '',
      },
    }),
    PasswordInput: part<PasswordInputProps>({
      defaultProps: { visibilityToggleIcon: ({ reveal }) => <Icon of={reveal ? IconEyeOff : IconEye} /> },
      classNames: { innerInput: styles.innerInput ?? '', input: styles.input ?? '' },
    }),
    Select: part<SelectProps>({
      defaultProps: { allowDeselect: false, checkIconPosition: 'right', comboboxProps: { shadow: 'md' } },
      classNames: { dropdown: styles.dropdown ?? '', option: styles.option ?? '' },
    }),
    Menu: part<MenuProps>({
      defaultProps: {
        shadow: 'md',
        offset: 4,
        transitionProps: { duration: 0 },
        withInitialFocusPlaceholder: false,
      },
      classNames: {
        dropdown: styles.dropdown ?? '',
        item: styles.option ?? '',
        label: styles.menuLabel ?? '',
        divider: styles.divider ?? '',
        itemSection: styles.section ?? '',
      },
    }),
    Popover: part<PopoverProps>({
      defaultProps: { shadow: 'md', offset: 4, transitionProps: { duration: 0 } },
      classNames: { dropdown: styles.dropdown ?? '' },
    }),
    Tooltip: part<TooltipProps>({
      defaultProps: { openDelay: 300, transitionProps: { duration: 80 }, withinPortal: true },
      classNames: { tooltip: styles.tooltip ?? '' },
    }),
    ModalRoot: part<ModalRootProps>({
      defaultProps: {
        yOffset: '112px',
        transitionProps: { duration: 140, transition: 'fade' },
      },
    }),
    Modal: part<ModalProps>({
      classNames: {
        content: styles.dialog ?? '',
        title: styles.dialogTitle ?? '',
        body: styles.dialogBody ?? '',
        close: styles.dialogClose ?? '',
        overlay: styles.overlay ?? '',
      },
    }),
  },
});
