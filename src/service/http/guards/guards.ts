/** The checks that each request must pass before a handler sees it. */
import { isUtf8 } from 'node:buffer'
import type { Context, MiddlewareHandler } from 'hono'
import type { ServiceSettings } from '../../service.js'
import { RefusedError } from '../problems.js'

/**
 * Rejects requests with an unknown `Host`. This prevents DNS rebinding: a web page can make a browser resolve the page's host name to this machine,
 * but the browser then sends that name.
 */
export const hostGuard =
  ({ hosts }: Pick<ServiceSettings, 'hosts'>): MiddlewareHandler =>
  async (context, next) => {
    const host = context.req.header('host')?.toLowerCase()
    if (host === undefined || !(hosts.includes(host) || hosts.includes(withoutPort(host))))
      throw new RefusedError(421, 'this server does not answer to that host name; --allow-host NAME allows it')
    await next()
  }

const withoutPort = (host: string): string => host.replace(/:\d+$/, '')

/** Rejects requests that web pages of other sites make (CSRF). Programs send no `Origin`. */
export const originGuard =
  ({ hosts, origins }: Pick<ServiceSettings, 'hosts' | 'origins'>): MiddlewareHandler =>
  async (context, next) => {
    const origin = context.req.header('origin')
    if (
      origin !== undefined &&
      !origins.includes(origin.toLowerCase()) &&
      !isOwn(origin, context.req.header('host'), hosts)
    )
      throw new RefusedError(
        403,
        'requests of web pages of other sites are not accepted; --allow-origin URL allows one',
      )
    if (origin === undefined && isOfOtherSite(context))
      throw new RefusedError(403, 'requests of web pages of other sites are not accepted')
    await next()
  }

/** Browsers send no `Origin` with images, scripts and frames of another site; only a link that a person follows is accepted. */
function isOfOtherSite({ req }: Context): boolean {
  const site = req.header('sec-fetch-site')
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  return (
    req.method !== 'GET' || req.header('sec-fetch-mode') !== 'navigate' || req.header('sec-fetch-dest') !== 'document'
  )
}

function isOwn(origin: string, host: string | undefined, hosts: readonly string[]): boolean {
  if (!URL.canParse(origin)) return false
  const { host: originHost, protocol } = new URL(origin)
  return (
    (protocol === 'http:' || protocol === 'https:') &&
    originHost === host?.toLowerCase() &&
    hosts.includes(withoutPort(originHost))
  )
}

const withBody = new Set(['POST', 'PUT', 'PATCH'])

/** Bodies are JSON, as large as allowed, and not compressed. A form of a web page cannot have this content type. */
export const bodyGuard =
  ({ maxBodyBytes }: Pick<ServiceSettings, 'maxBodyBytes'>): MiddlewareHandler =>
  async (context, next) => {
    if (!withBody.has(context.req.method)) return next()
    const type = context.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (type !== 'application/json')
      throw new RefusedError(415, 'send the body as JSON, with content-type: application/json')
    if (context.req.header('content-encoding') !== undefined)
      throw new RefusedError(415, 'send the body uncompressed, without content-encoding')
    const announced = Number(context.req.header('content-length') ?? 0)
    if (announced > maxBodyBytes) throw tooLarge(maxBodyBytes)
    const { raw } = context.req
    if (raw.body === null) return next()
    const body = await readUpTo(raw.body, maxBodyBytes)
    // A text that is read with replacement characters is another one than the client sent.
    if (!isUtf8(body)) throw new RefusedError(400, 'the body is not valid UTF-8')
    const { url, method, headers, signal } = raw
    context.req.raw = new Request(url, { method, headers, signal, body })
    return next()
  }

const tooLarge = (bytes: number): RefusedError =>
  new RefusedError(413, `the body is larger than ${Math.floor(bytes / 1024)} KiB; --max-body-kb allows more`)

async function readUpTo(body: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > most) throw tooLarge(most)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** Headers of all answers: nothing is to be framed, sniffed or run. */
export const safeHeaders: MiddlewareHandler = async (context, next) => {
  await next()
  context.header('x-content-type-options', 'nosniff')
  context.header('x-frame-options', 'DENY')
  context.header('referrer-policy', 'no-referrer')
  context.header('cross-origin-resource-policy', 'same-origin')
  if (context.res.headers.get('content-security-policy') === null)
    context.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
}
