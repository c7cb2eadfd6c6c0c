/** `/ui/`: the pages of the viewer. They contain no data, so everybody who reaches the server may read them. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { setSessionCookie } from './session/session-cookie.js'
import type { ViewerFile } from './viewer-files.js'
import type { Viewer } from './viewer.js'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Adds the routes that send the files of the pages. */
export function addStaticRoutes(app: OpenAPIHono, { files, sessions }: Viewer): void {
  for (const path of ['/', '/ui']) app.get(path, context => context.redirect('/ui/'))
  const page = files.get('index.html')
  app.get('/ui/', context => {
    const link = context.req.query('t')
    if (link !== undefined) return beginSession(context, link)
    return page === undefined ? context.notFound() : answer(context, page)
  })
  for (const [name, file] of files) if (name !== 'index.html') app.get(`/ui/${name}`, context => answer(context, file))

  /** Starts the session of a link. The redirect removes the secret from the address. After an invalid link, the page reports that a session is missing. */
  function beginSession(context: Context, link: string): Response {
    const secret = sessions.exchange(link)
    if (secret !== undefined) setSessionCookie(context, secret)
    context.header('cache-control', 'no-store')
    return context.redirect('/ui/', 303)
  }
}

function answer(context: Context, { type, bytes, gzip, etag, isImmutable }: ViewerFile): Response {
  context.header('content-security-policy', policy)
  context.header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
  context.header('etag', etag)
  context.header('vary', 'accept-encoding')
  if (context.req.header('if-none-match') === etag) return context.body(null, 304)
  context.header('content-type', type)
  if (gzip === undefined || !/\bgzip\b/.test(context.req.header('accept-encoding') ?? '')) return context.body(bytes)
  context.header('content-encoding', 'gzip')
  return context.body(gzip)
}
