/** Sessions of the viewer. A browser cannot send a bearer token with a link or a picture, so it gets a cookie. */
import { hexDigits, sha256 } from '../../../../cache/digest.js'
import { randomBytes } from 'node:crypto'
import type { TokenScope } from '../../../../cache/store.js'

/** The identity and the permissions of a session. */
export interface Session {
  readonly scope: TokenScope
  /** The token of the session. The session ends when the token is removed or expires. Absent for the user who started the viewer. */
  readonly token?: string
}

interface KeptSession extends Session {
  readonly until: number
}

/** The lifetime of a session, in seconds. It also ends with the server, because sessions are only kept in memory. */
export const sessionSeconds = 30 * 24 * 3600
/** Sessions that are kept; the oldest are forgotten first. */
const mostSessions = 1000
/** The lifetime of a link that opens a browser, in milliseconds. */
const openingMs = 120_000

/** The sessions of one server. Secrets are stored and looked up by digest, so lookups leak nothing through their timing. */
export class Sessions {
  readonly #now: () => number
  readonly #sessions = new Map<string, KeptSession>()
  readonly #links = new Map<string, { readonly session: Session; readonly until: number; readonly isOnce: boolean }>()

  /** @param now milliseconds since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /**
   * Makes the secret of a link that begins a session.
   *
   * @param isOnce whether the link works only once, within two minutes. Use it on the command line of a browser, which other users of the machine can
   * read. A link that only the terminal shows may work until the server ends.
   */
  link(session: Session, { isOnce }: { readonly isOnce: boolean }): string {
    const secret = newSecret()
    this.#links.set(computeSecretDigest(secret), {
      session,
      isOnce,
      until: isOnce ? this.#now() + openingMs : Infinity,
    })
    return secret
  }

  /** Begins the session of a link. @returns the secret of its cookie; undefined if the link means nothing */
  exchange(link: string): string | undefined {
    const digest = computeSecretDigest(link)
    const linkEntry = this.#links.get(digest)
    if (linkEntry === undefined) return undefined
    if (linkEntry.isOnce) this.#links.delete(digest)
    return linkEntry.until < this.#now() ? undefined : this.begin(linkEntry.session)
  }

  /** @returns the secret of the session's cookie */
  begin(session: Session): string {
    const secret = newSecret()
    this.#sessions.set(computeSecretDigest(secret), { ...session, until: this.#now() + sessionSeconds * 1000 })
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > mostSessions && oldest !== undefined) this.#sessions.delete(oldest)
    return secret
  }

  find(secret: string): Session | undefined {
    const session = this.#sessions.get(computeSecretDigest(secret))
    if (session === undefined || session.until < this.#now()) return undefined
    const { scope, token } = session
    return { scope, ...(token !== undefined && { token }) }
  }

  end(secret: string): void {
    this.#sessions.delete(computeSecretDigest(secret))
  }
}

/** 256 random bits. */
const newSecret = (): string => randomBytes(32).toString('base64url')

const computeSecretDigest = (secret: string): string => hexDigits(sha256(secret))
