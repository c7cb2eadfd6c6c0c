import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { ServiceSettings } from '../../service.js'

/** Lets pages of the sites that are allowed by name (`--allow-origin`) read answers. All other pages were refused before. */
export function allowedOrigins({ origins }: Pick<ServiceSettings, 'origins'>): MiddlewareHandler {
  const allow = cors({
    origin: origin => origin,
    allowMethods: ['GET', 'POST', 'DELETE'],
    allowHeaders: ['authorization', 'content-type', 'idempotency-key', 'last-event-id', 'prefer'],
    exposeHeaders: ['preference-applied', 'retry-after'],
    maxAge: 600,
  })
  return async (context, next) =>
    origins.includes(context.req.header('origin')?.toLowerCase() ?? '') ? allow(context, next) : next()
}
