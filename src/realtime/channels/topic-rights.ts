/** What a caller may do on a private topic. */
export interface TopicRights {
  readonly broadcast: { readonly read: boolean; readonly write: boolean };
  readonly presence: { readonly read: boolean; readonly write: boolean };
}
