import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { RefusedError } from '../problems.js'

/** Refuses methods that an address does not have, and names those that it has. Addresses that do not exist pass, and are not found later. */
export function methodGuard(app: OpenAPIHono): MiddlewareHandler {
  let known: ReturnType<typeof methodsByPath> | undefined
  return async (context, next) => {
    // Routes are added after the guards.
    known ??= methodsByPath(app)
    const { method, path } = context.req
    const methods = known.filter(({ pattern }) => pattern.test(path)).flatMap(one => [...one.methods])
    if (methods.length > 0 && !methods.includes(method)) {
      const allow = [...new Set(methods)].join(', ')
      throw new RefusedError(405, `this address has no ${shownMethod(method)}; it has ${allow}`, { allow })
    }
    await next()
  }
}

function methodsByPath(app: OpenAPIHono): readonly { readonly pattern: RegExp; readonly methods: Set<string> }[] {
  const found = new Map<string, Set<string>>()
  // Guards are routes for all methods, too. An address that has a handler for all methods refuses by itself.
  const open = new Set(app.routes.flatMap(({ path, method }) => (method === 'ALL' ? [path] : [])))
  for (const { path, method } of app.routes) {
    if (open.has(path)) continue
    const methods = found.get(path) ?? new Set()
    methods.add(method)
    if (method === 'GET') methods.add('HEAD')
    found.set(path, methods)
  }
  return [...found].map(([path, methods]) => ({ pattern: makePathPattern(path), methods }))
}

/** Paths of routes consist of letters, `-`, `.` and parameters such as `:job_id`. */
export const makePathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`)

/** Methods come from clients, and the log may show them. */
const shownMethod = (method: string): string => (/^[A-Z]{1,20}$/.test(method) ? method : 'such method')
