/** Height of each picture in a sheet, and the space between pictures, in pixels. */
const HEIGHT = 180;
const GAP = 8;

/** Writes one picture with small copies of many: each row of pictures below the other, each picture with the same height. */
export async function sheetOf(rows: readonly (readonly Buffer[])[], file: string): Promise<void> {
  // The package is optional, so a machine without it still loads the tests.
  const { default: sharp } = await import('sharp');
  const small = await Promise.all(
    rows.map((row) =>
      Promise.all(
        row.map((picture) => sharp(picture).resize({ height: HEIGHT }).png().toBuffer({ resolveWithObject: true })),
      ),
    ),
  );
  const widthOf = (row: (typeof small)[number]) => row.reduce((sum, { info }) => sum + info.width + GAP, GAP);
  const parts = small.flatMap((row, line) => {
    let left = GAP;
    return row.map(({ data, info }) => {
      const part = { input: data, left, top: GAP + line * (HEIGHT + GAP) };
      left += info.width + GAP;
      return part;
    });
  });
  const size = { width: Math.max(...small.map(widthOf)), height: GAP + small.length * (HEIGHT + GAP) };
  await sharp({ create: { ...size, channels: 3, background: '#808890' } })
    .composite(parts)
    .webp({ quality: 50 })
    .toFile(file);
}
