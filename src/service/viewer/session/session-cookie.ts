/** The cookie of a session. */
import type { Context } from 'hono'
import { sessionSeconds } from './sessions.js'

/** Cookies are shared by all ports of a host, so that the name has the port: two viewers on one machine do not end each other's sessions. */
const formatCookieName = (context: Context): string => {
  const port = /:(\d+)$/.exec(context.req.header('host') ?? '')?.[1]
  return port === undefined ? 'pipeline_session' : `pipeline_session_${port}`
}

/** The secret of the session that a request belongs to. */
export function sessionSecret(context: Context): string | undefined {
  const name = formatCookieName(context)
  for (const pair of (context.req.header('cookie') ?? '').split(';')) {
    const [key, value] = pair.trim().split('=')
    if (key === name && value !== undefined && /^[\w-]{43}$/.test(value)) return value
  }
  return undefined
}

/** Scripts cannot read the cookie, and browsers do not send it with requests that other sites cause. */
export function setSessionCookie(context: Context, secret: string): void {
  context.header(
    'set-cookie',
    `${formatCookieName(context)}=${secret}; Max-Age=${sessionSeconds}; ${attributes(context)}`,
  )
}

/** Makes the browser forget its session. */
export function clearSessionCookie(context: Context): void {
  context.header('set-cookie', `${formatCookieName(context)}=; Max-Age=0; ${attributes(context)}`)
}

/** A browser that reached the server over TLS, through a proxy, shall not send the cookie without TLS. */
const attributes = (context: Context): string =>
  `Path=/; HttpOnly; SameSite=Strict${/^https:/i.test(context.req.header('origin') ?? '') ? '; Secure' : ''}`
