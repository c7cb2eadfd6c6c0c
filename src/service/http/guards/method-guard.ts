import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { RefusedError } from '../problems.js'

/** Rejects unsupported methods of an address with 405, and lists the supported ones. Unknown addresses pass, and get 404 later. */
export function methodGuard(app: OpenAPIHono): MiddlewareHandler {
  let addresses: ReturnType<typeof methodsByPath> | undefined
  return async (context, next) => {
    // Routes are added after the guards.
    addresses ??= methodsByPath(app)
    const { method, path } = context.req
    const methods = addresses.filter(({ pattern }) => pattern.test(path)).flatMap(address => [...address.methods])
    if (methods.length > 0 && !methods.includes(method)) {
      const allow = [...new Set(methods)].join(', ')
      throw new RefusedError(405, `this address has no ${shownMethod(method)}; it has ${allow}`, { allow })
    }
    await next()
  }
}

function methodsByPath(app: OpenAPIHono): readonly { readonly pattern: RegExp; readonly methods: Set<string> }[] {
  const methodSets = new Map<string, Set<string>>()
  // Routes for all methods are skipped: guards, and addresses whose handler rejects methods itself.
  const open = new Set(app.routes.flatMap(({ path, method }) => (method === 'ALL' ? [path] : [])))
  for (const { path, method } of app.routes) {
    if (open.has(path)) continue
    const methods = methodSets.get(path) ?? new Set()
    methods.add(method)
    if (method === 'GET') methods.add('HEAD')
    methodSets.set(path, methods)
  }
  return [...methodSets].map(([path, methods]) => ({ pattern: makePathPattern(path), methods }))
}

/** Paths of routes consist of letters, `-`, `.` and parameters such as `:job_id`. */
export const makePathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`)

/** Returns a method that is safe to log. Methods come from clients. */
const shownMethod = (method: string): string => (/^[A-Z]{1,20}$/.test(method) ? method : 'such method')
