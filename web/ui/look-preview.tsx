import type { CSSProperties } from 'react';
import { hueOf } from '../../contract/accent.ts';
import styles from './look-preview.module.css';

/** Preview of the look of an app's pages for members, in the light and the dark theme. */
export function LookPreview({ name, accent, logo }: { name: string; accent: string | null; logo: string | null }) {
  const hue = accent === null ? null : hueOf(accent);
  const style = (hue === null ? {} : { '--hue': hue }) as CSSProperties;
  return (
    <div className={styles.both} style={style}>
      {(['light', 'dark'] as const).map((theme) => (
        <figure key={theme} className={styles.page} data-theme={theme} aria-label={`Preview, ${theme} theme`}>
          <div className={styles.brand}>
            {logo === null ? (
              <span className={styles.mark} aria-hidden="true">
                {[...name][0]?.toUpperCase() ?? ''}
              </span>
            ) : (
              <img className={styles.logo} src={logo} alt="Logo" />
            )}
            <b>{name}</b>
          </div>
          <p className={styles.current}>Current page</p>
          <p className={styles.link}>A link</p>
          <span className={styles.button}>Save</span>
        </figure>
      ))}
    </div>
  );
}
