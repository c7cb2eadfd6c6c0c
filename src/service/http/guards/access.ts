/** Authenticates callers and checks their permissions. */
import type { Context, MiddlewareHandler } from 'hono'
import type { StoredToken, TokenScope, TokenStore } from '../../../../cache/store.js'
import type { Service } from '../../service.js'
import { findToken, includes } from '../../tokens.js'
import { sessionSecret } from '../../viewer/session/session-cookie.js'
import { RefusedError } from '../problems.js'
import { RateLimiter } from './rate-limiter.js'

/** The identity and the permissions of a client. */
export interface Caller {
  readonly scope: TokenScope
  /** The id of the token. Absent if no token is needed, and for the user who started the viewer. */
  readonly token?: string
}

declare module 'hono' {
  interface ContextVariableMap {
    caller: Caller
  }
}

/** The rate limit for failed attempts of one address. */
const guesses = { perSecond: 1, burst: 20 }

/** Returns the client's address, for rate limits. */
export const readClientAddress = (context: Context): string => {
  const bindings = context.env as
    { readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } } } | undefined
  return bindings?.incoming?.socket?.remoteAddress ?? 'unknown'
}

/** Finds tokens, and limits the rate of failed attempts. */
export class TokenCheck {
  readonly #tokens: TokenStore
  readonly #failures: RateLimiter

  /** @param now monotonic milliseconds */
  constructor(tokens: TokenStore, now: () => number) {
    this.#tokens = tokens
    this.#failures = new RateLimiter(guesses, now)
  }

  /**
   * Finds a token. A wrong token is rejected even if no token is needed, because the client believes that it has access.
   *
   * @throws RefusedError (401, 429)
   */
  async find(text: string, address: string): Promise<StoredToken> {
    // A valid token works despite failed attempts from the same address, because clients behind a proxy share one. No rate makes guessing 256 random
    // bits feasible.
    const token = await findToken(this.#tokens, text, Date.now())
    if (token !== undefined) return token
    const wait = this.#failures.take(address)
    if (wait > 0) throw tooMany(wait)
    throw new RefusedError(401, 'the token is unknown or has expired', challenge)
  }
}

/** Finds the caller by bearer token or session cookie, and limits the rate of requests. */
export function accessGuard(service: Service, tokens: TokenCheck, now: () => number): MiddlewareHandler {
  const { settings, store, viewer } = service
  const requests = new RateLimiter(settings.rate, now)
  return async (context, next) => {
    const address = readClientAddress(context)
    const text = parseBearer(context.req.header('authorization'))
    const caller = text === undefined ? await ofSession(context) : makeCaller(await tokens.find(text, address))
    if (caller === undefined && settings.needsToken && !isOpen(context, viewer !== undefined))
      throw makeRefusal(context)
    const wait = requests.take(caller?.token ?? address)
    if (wait > 0) throw tooMany(wait)
    context.set('caller', caller ?? { scope: settings.needsToken ? 'read' : 'admin' })
    await next()
  }

  /** Finds the caller of a session cookie. A session has the rights of its token while the token is valid. */
  async function ofSession(context: Context): Promise<Caller | undefined> {
    const secret = viewer === undefined ? undefined : sessionSecret(context)
    const session = secret === undefined ? undefined : viewer?.sessions.find(secret)
    if (session === undefined) return undefined
    if (!isReading(context) && !isOfOwnPage(context))
      throw new RefusedError(403, 'a session may change something only from pages of this server')
    if (session.token === undefined) return { scope: session.scope }
    const token = await store.tokens.find(session.token)
    return token === undefined || (token.expiresAt ?? Infinity) <= Date.now() ? undefined : makeCaller(token)
  }
}

const makeCaller = ({ scope, id }: StoredToken): Caller => ({ scope, token: id })

const isReading = ({ req }: Context): boolean => req.method === 'GET' || req.method === 'HEAD'

/**
 * Tells whether a request comes from the viewer's own pages. Browsers send the origin with each request that may change something. Sites of
 * `--allow-origin` may not use sessions.
 */
function isOfOwnPage({ req }: Context): boolean {
  const origin = req.header('origin') ?? ''
  return URL.canParse(origin) && new URL(origin).host === req.header('host')?.toLowerCase()
}

const makeRefusal = ({ req }: Context): RefusedError =>
  new RefusedError(
    401,
    req.path.startsWith('/view/')
      ? 'there is no session: open the address that the server printed, or sign in with a token'
      : 'this service needs a token: send authorization: Bearer pl_…',
    challenge,
  )

const challenge = { 'www-authenticate': 'Bearer' }

const tooMany = (seconds: number): RefusedError =>
  new RefusedError(429, 'too many requests', { 'retry-after': String(Math.ceil(seconds)) })

/** Tells whether a path needs no token: health checks, and the files of the pages, which contain no data. */
const isOpen = ({ req: { path, method } }: Context, hasViewer: boolean): boolean =>
  path === '/health' ||
  (hasViewer && (path === '/' || path === '/ui' || path.startsWith('/ui/'))) ||
  (hasViewer && path === '/view/session' && method === 'POST')

function parseBearer(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  return /^Bearer +([^\s]+)$/i.exec(header)?.[1] ?? ''
}

/** @throws RefusedError (403) where the caller's scope does not include the needed one */
export function requireScope(context: Context, scope: TokenScope): Caller {
  const caller = context.get('caller')
  if (!includes(caller.scope, scope)) throw new RefusedError(403, `this needs a token with scope "${scope}"`)
  return caller
}
