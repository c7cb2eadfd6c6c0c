/** What the holder of a token may do; each scope includes those before it. */
export const tokenScopes = ['read', 'submit', 'admin'] as const
export type TokenScope = (typeof tokenScopes)[number]

/** A token of the service as it is stored: its secret is nowhere. */
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

/** Tokens that open the service. */
export interface TokenStore {
  add(token: StoredToken): Promise<void>
  find(id: string): Promise<StoredToken | undefined>
  /** Oldest first. */
  list(): Promise<readonly StoredToken[]>
  /** @returns whether there was one */
  remove(id: string): Promise<boolean>
}
