import { Link } from '@tanstack/react-router';
import { usePortal } from '../data/client.ts';
import { useSession } from '../sign-in/signed-in.tsx';
import { Frame } from './frame.tsx';

/** The first page of a member who is signed in. */
export function HomePage() {
  const { app } = usePortal();
  const { user } = useSession();
  const name = user.user_metadata.name;
  return (
    <Frame
      title={typeof name === 'string' && name !== '' ? `Welcome, ${name}` : 'Welcome'}
      sentence={app.purpose ?? `You are signed in to ${app.name}.`}
    >
      <p>
        <Link to="/account">Your account</Link>
      </p>
    </Frame>
  );
}
