/** Tokens of the service: `pl_<id>_<secret>`. Only the hash is stored; the text is shown once. */
import { hexDigits, sha256 } from '../../cache/digest.js'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { StoredToken, TokenScope, TokenStore } from '../../cache/store.js'

/** The scopes of tokens, from the weakest to the strongest. */
const scopes: readonly TokenScope[] = ['read', 'submit', 'admin']

/** Makes a token. @returns the text, which is never stored, and the record to store */
export function newToken(options: {
  readonly name: string
  readonly scope: TokenScope
  readonly now: number
  readonly days?: number
}): {
  readonly text: string
  readonly stored: StoredToken
} {
  const id = randomBytes(6).toString('hex')
  const text = `pl_${id}_${randomBytes(32).toString('base64url')}`
  const { name, scope, now, days } = options
  const expiry = days === undefined ? {} : { expiresAt: now + days * 86_400_000 }
  return { text, stored: { id, name, scope, hash: computeHash(text), createdAt: now, ...expiry } }
}

/** Finds the unexpired token of a text. A fast hash is sufficient, because the text is random. */
export async function findToken(tokens: TokenStore, text: string, now: number): Promise<StoredToken | undefined> {
  const id = /^pl_([0-9a-f]{12})_[\w-]{43}$/.exec(text)?.[1]
  const token = id === undefined ? undefined : await tokens.find(id)
  if (token === undefined || (token.expiresAt ?? Infinity) <= now) return undefined
  return timingSafeEqual(Buffer.from(token.hash, 'hex'), Buffer.from(computeHash(text), 'hex')) ? token : undefined
}

/** Tells whether a scope includes another. */
export const includes = (scope: TokenScope, needed: TokenScope): boolean =>
  scopes.indexOf(scope) >= scopes.indexOf(needed)

const computeHash = (text: string): string => hexDigits(sha256(text))
