import generated from './generated/admin-calls.json' with { type: 'json' };

/** The roles of a builder on an app, from most privileges to fewest. */
export const appRoles = ['owner', 'developer', 'reader'] as const;
export type AppRole = (typeof appRoles)[number];

/**
 * The minimum role of a caller: any builder, a builder who may create apps, an owner of the node, the operator, or a
 * role on the app.
 */
export type Least = 'builder' | 'creator' | 'node owner' | 'operator' | AppRole;

/** A call of the management API by its method and path below /admin/v1. */
export type AdminRoute = keyof typeof generated.leastRoles;

/** The minimum role for each call of the management API, as the definition of the call in src/admin says it. */
export const leastRoles = generated.leastRoles as Readonly<Record<AdminRoute, Least>>;

/**
 * The calls of the management API that need a recent proof of identity, some of them only for some requests. Each text
 * completes the sentence “You are about to …”.
 */
export const sensitiveCalls: Readonly<Record<string, string>> = generated.sensitiveCalls;
