/** The scopes of tokens. Each includes the earlier ones. */
export const tokenScopes = ['read', 'submit', 'admin'] as const
/** The scope of a token. */
export type TokenScope = (typeof tokenScopes)[number]

/** A stored token of the service. Its secret is not stored. */
export interface StoredToken {
  /** The public part of the token, which is in its text. */
  readonly id: string
  readonly name: string
  readonly scope: TokenScope
  /** The SHA-256 of the whole token, in hexadecimal. */
  readonly hash: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly expiresAt?: number
}

/** Stores the tokens that give access to the service. */
export interface TokenStore {
  add(token: StoredToken): Promise<void>
  find(id: string): Promise<StoredToken | undefined>
  /** Oldest first. */
  list(): Promise<readonly StoredToken[]>
  /** @returns whether the token existed */
  remove(id: string): Promise<boolean>
}
