import styles from './mark.module.css';

/**
 * Ninefold's logo with nine cells. With `chapter`, only the cell of this chapter is filled; without it, all cells are.
 * With `loading`, the cells are filled one after the other.
 */
export function Mark({ chapter, loading = false }: { chapter?: number | undefined; loading?: boolean }) {
  return (
    <svg className={styles.mark} viewBox="0 0 17 17" aria-hidden="true" data-loading={loading || undefined}>
      {[1, 2, 3, 4, 5, 6, 7, 8, 9].map((cell) => (
        <rect
          key={cell}
          className={!loading && (chapter === undefined || chapter === cell) ? styles.on : undefined}
          style={{ animationDelay: `${cell * 100}ms` }}
          x={((cell - 1) % 3) * 6}
          y={Math.floor((cell - 1) / 3) * 6}
          width="5"
          height="5"
        />
      ))}
    </svg>
  );
}
