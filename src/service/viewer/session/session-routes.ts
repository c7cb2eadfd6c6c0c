/** Routes at `/view/session`: sign in with a token, read the session's rights, sign out. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { z } from 'zod'
import { readClientAddress, requireScope, type TokenCheck } from '../../http/guards/access.js'
import { RefusedError } from '../../http/problems.js'
import { clearSessionCookie, sessionSecret, setSessionCookie } from './session-cookie.js'
import type { Viewer } from '../viewer.js'

const signIn = z.object({ token: z.string().max(200) })

/** Adds the routes that sign a browser in and out. */
export function addSessionRoutes(app: OpenAPIHono, { sessions }: Viewer, tokens: TokenCheck): void {
  app.get('/view/session', context => {
    const { scope } = requireScope(context, 'read')
    context.header('cache-control', 'no-store')
    return context.json({ scope, hasSession: sessionSecret(context) !== undefined })
  })

  app.post('/view/session', async context => {
    const body = signIn.safeParse(await context.req.json().catch(() => undefined))
    if (!body.success) throw new RefusedError(422, 'token: expected a text, pl_…')
    const { scope, id } = await tokens.find(body.data.token.trim(), readClientAddress(context))
    setSessionCookie(context, sessions.begin({ scope, token: id }))
    return context.json({ scope, hasSession: true })
  })

  app.delete('/view/session', context => {
    const secret = sessionSecret(context)
    if (secret !== undefined) sessions.end(secret)
    clearSessionCookie(context)
    return context.json({})
  })
}
