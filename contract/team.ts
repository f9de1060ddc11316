/** Builders, their roles and the links with which they join: parts of the management API. */

import type { Builder } from './admin.ts';
import type { AppRole } from './least-roles.ts';

/**
 * The roles of a builder on the node. An owner may do everything on every app, a member may do only what the member's
 * roles on single apps allow.
 */
export const nodeRoles = ['owner', 'member'] as const;
export type NodeRole = (typeof nodeRoles)[number];

/** A builder of an app. */
export interface AppBuilder {
  id: string;
  name: string;
  email: string;
  role: AppRole;
  /** True for an owner of the node, who owns every app. */
  owns_node: boolean;
  /** True if the builder has a role on this app, whether or not the builder owns the node. */
  is_member: boolean;
  /** True if the builder has a second factor; null if the caller does not own the app. */
  has_second_factor: boolean | null;
  /** Time of the last call in ISO 8601, to a few minutes; null before the first call. */
  last_seen_at: string | null;
  /** The builder's roles on the apps that the caller can open, by ref. */
  apps: Readonly<Record<string, AppRole>>;
}

/** How a builder of an app signs in, and where the builder is signed in. */
export interface BuilderAccess {
  /** The second factors that the builder has verified. */
  factors: { name: string | null; type: string; created_at: string }[];
  passkeys: { name: string; created_at: string }[];
  sessions: { id: string; device: string; created_at: string }[];
}

export interface Invitation<Role = AppRole> {
  id: string;
  email: string;
  role: Role;
  /** The name of the builder who invited, or `operator`. */
  invited_by: string;
  /** Time at which the invitation expires, in ISO 8601. */
  expires_at: string;
}

export interface AppTeam {
  /** The role of the caller on the app. */
  own_role: AppRole;
  /** The caller's id; null for the operator. */
  own_id: string | null;
  builders: AppBuilder[];
  /** The open invitations; empty for builders who do not own the app. */
  invitations: Invitation[];
  /**
   * The time from which builders without a second factor can only add one, in ISO 8601; null if no builder needs one.
   */
  second_factor_required_from: string | null;
}

export interface NodeInvitation extends Invitation<NodeRole> {
  creates_apps: boolean;
}

export interface NodeTeam {
  /** The caller's id; null for the operator. */
  own_id: string | null;
  builders: Builder[];
  invitations: NodeInvitation[];
  /**
   * The time from which builders without a second factor can only add one, in ISO 8601; null if no builder needs one.
   */
  second_factor_required_from: string | null;
}

/** The rule that decides whether builders of the node need a second factor. */
export interface SecondFactorRule {
  required: boolean;
  /** The number of days for which builders without a second factor can continue to work. */
  grace_days: number;
}

export interface AppInvitationRequest {
  email: string;
  role: AppRole;
}

export interface NodeInvitationRequest {
  email: string;
  role: NodeRole;
  creates_apps: boolean;
}

export interface AppRoleRequest {
  role: AppRole;
}

export interface NodeRoleRequest {
  role: NodeRole;
  creates_apps: boolean;
}

/** A link that works once. Only this response contains it, because the node stores a hash of its secret. */
export interface BuilderLink {
  url: string;
  /** Time at which the link expires, in ISO 8601. */
  expires_at: string;
}

export interface ShownInvitation {
  email: string;
  role: AppRole | NodeRole;
  /** The name of the app; null for an invitation to the node. */
  app_name: string | null;
  invited_by: string;
  /** True if a builder with this address exists. This builder signs in to accept the invitation. */
  is_builder: boolean;
}

/** A new builder sends a name and a password; a builder who is signed in sends neither. */
export interface AcceptRequest {
  secret: string;
  name?: string;
  password?: string;
}

/** POST /admin/v1/builders/recover. */
export interface RecoveryLinkRequest {
  email: string;
  /** True removes the second factors and recovery codes of the builder at once. */
  remove_second_factor?: boolean;
}

export interface RecoveryRequest {
  secret: string;
  /** The new password. */
  password: string;
}

/** A session of the builder who makes the call. */
export interface BuilderDevice {
  id: string;
  /** The User-Agent in words. */
  device: string;
  ip: string | null;
  created_at: string;
  /** True for the session of the call. */
  is_current: boolean;
}

/** The password, which proves who holds the session. */
export interface ProofRequest {
  password: string;
}

export interface OwnPasswordRequest {
  current: string;
  /** The new password. */
  password: string;
}
