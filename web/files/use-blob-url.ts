import { useEffect, useState } from 'react';

/** Returns a URL of bytes for an element of the page, with a content type; null without bytes. It ends with the component. */
export function useBlobUrl(bytes: ArrayBuffer | null | undefined, type: string): string | null {
  const [made, setMade] = useState<{ of: ArrayBuffer; url: string } | null>(null);
  useEffect(() => {
    if (!bytes) return;
    const url = URL.createObjectURL(new Blob([bytes], { type }));
    setMade({ of: bytes, url });
    return () => URL.revokeObjectURL(url);
  }, [bytes, type]);
  return made && made.of === bytes ? made.url : null;
}
