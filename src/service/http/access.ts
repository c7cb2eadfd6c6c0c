/** Who asks, and whether they may. */
import type { Context, MiddlewareHandler } from 'hono'
import type { StoredToken, TokenScope } from '../../../cache/store.js'
import type { Service } from '../service.js'
import { findToken, includes } from '../tokens.js'
import { RefusedError } from './problems.js'
import { RateLimiter } from './rate-limiter.js'

/** Who makes a request. */
export interface Caller {
  readonly scope: TokenScope
  /** The id of the token; absent where none is needed. */
  readonly token?: string
}

declare module 'hono' {
  interface ContextVariableMap {
    caller: Caller
  }
}

/** Failed attempts of one address: one token a second, after twenty at once. */
const guesses = { perSecond: 1, burst: 20 }

/** The address that a request comes from, for limits. */
export const addressOf = (context: Context): string => {
  const bindings = context.env as
    { readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } } } | undefined
  return bindings?.incoming?.socket?.remoteAddress ?? 'unknown'
}

/** Finds the caller by the bearer token, and limits how fast a caller may ask. */
export function accessGuard(service: Service, now: () => number): MiddlewareHandler {
  const { settings, store } = service
  const failures = new RateLimiter(guesses, now)
  const requests = new RateLimiter(settings.rate, now)
  return async (context, next) => {
    const address = addressOf(context)
    const text = bearerOf(context.req.header('authorization'))
    const token = text === undefined ? undefined : await known(text, address)
    if (token === undefined && settings.needsToken && !isOpen(context.req.path))
      throw new RefusedError(401, 'this service needs a token: send authorization: Bearer pl_…', challenge)
    const wait = requests.take(token?.id ?? address)
    if (wait > 0) throw tooMany(wait)
    context.set(
      'caller',
      token === undefined ? { scope: settings.needsToken ? 'read' : 'admin' } : { scope: token.scope, token: token.id },
    )
    await next()
  }

  /** A wrong token is refused also where none is needed: the client believes that it has one. */
  async function known(text: string, address: string): Promise<StoredToken> {
    // A valid token works while others guess from the same address, as all clients behind a proxy do. Guessing its 256 random bits is hopeless at any rate.
    const token = await findToken(store.tokens, text, Date.now())
    if (token !== undefined) return token
    const wait = failures.take(address)
    if (wait > 0) throw tooMany(wait)
    throw new RefusedError(401, 'the token is unknown or has expired', challenge)
  }
}

const challenge = { 'www-authenticate': 'Bearer' }

const tooMany = (seconds: number): RefusedError =>
  new RefusedError(429, 'too many requests', { 'retry-after': String(Math.ceil(seconds)) })

/** Whoever watches whether the server lives has no token. */
const isOpen = (path: string): boolean => path === '/health'

function bearerOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  return /^Bearer +([^\s]+)$/i.exec(header)?.[1] ?? ''
}

/** @throws RefusedError (403) where the caller's scope does not include the needed one */
export function need(context: Context, scope: TokenScope): Caller {
  const caller = context.get('caller')
  if (!includes(caller.scope, scope)) throw new RefusedError(403, `this needs a token with scope "${scope}"`)
  return caller
}
