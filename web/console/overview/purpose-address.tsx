import { Navigate, useParams } from '@tanstack/react-router';

/** Leads from the former address of chapter 1 to its page, which is the overview of the app. */
export function PurposeAddress() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/purpose' });
  return <Navigate to="/app/$ref" params={{ ref }} replace />;
}
