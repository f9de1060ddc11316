import type { User } from '@supabase/auth-js';
import { mutationOptions } from '@tanstack/react-query';
import { objectUrl, removeFiles, uploadFile } from '../../files/object-calls.ts';
import type { Portal } from './client.ts';
import { memberFiles } from './files.ts';
import { orThrow, queryClient } from './session.ts';

const BUCKET = 'avatars';
const PLACE = `/storage/v1/object/public/${BUCKET}/`;
/** Width and height of a stored picture in pixels. */
const SIZE = 512;

/** Returns the path of the member's picture in the bucket; null if there is none, or if it is elsewhere. Pure. */
export function avatarPath({ user_metadata: data }: Pick<User, 'user_metadata'>, origin: string): string | null {
  const { avatar_url: address } = data;
  if (typeof address !== 'string' || !address.startsWith(`${origin}${PLACE}`)) return null;
  try {
    return decodeURIComponent(address.slice(origin.length + PLACE.length));
  } catch {
    return null;
  }
}

/** Stores a picture of the member, or removes it with null. The earlier picture is deleted. */
export const changeAvatar = (portal: Portal, user: User) =>
  mutationOptions({
    mutationFn: async (file: File | null) => {
      const access = memberFiles(portal, user.id);
      const path = `${user.id}/${crypto.randomUUID()}.jpg`;
      if (file !== null) await uploadFile(access, { bucket: BUCKET, path, file: await squareOf(file) });
      const address = file === null ? null : `${location.origin}${PLACE}${objectUrl('', path).slice(1)}`;
      orThrow(await portal.auth.updateUser({ data: { avatar_url: address } }));
      const earlier = avatarPath(user, location.origin);
      // The account no longer names it, so a picture that cannot be deleted now only takes space.
      if (earlier?.startsWith(`${user.id}/`)) await removeFiles(access, BUCKET, [earlier]).catch(() => undefined);
    },
    onSuccess: () => queryClient.invalidateQueries(),
  });

/** Returns the middle square of a picture, without what the camera noted in it. */
async function squareOf(file: File): Promise<File> {
  const image = await createImageBitmap(file);
  const side = Math.min(image.width, image.height);
  const size = Math.min(side, SIZE);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  canvas
    .getContext('2d')
    ?.drawImage(image, (image.width - side) / 2, (image.height - side) / 2, side, side, 0, 0, size, size);
  image.close();
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.9));
  if (!blob) throw new Error('The browser cannot write pictures.');
  return new File([blob], 'picture.jpg', { type: 'image/jpeg' });
}
