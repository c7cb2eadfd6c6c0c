import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { didYouMean } from '../../../../base/text/suggest.js'
import { formatClientValue } from '../../policy/job-policy.js'
import { makePathPattern } from './method-guard.js'
import { RefusedError } from '../problems.js'

interface Operation {
  readonly method: string
  readonly pattern: RegExp
  readonly names: readonly string[]
}

/** Rejects parameters that an operation does not have. A mistyped filter would otherwise answer with everything. */
export function queryGuard(app: OpenAPIHono): MiddlewareHandler {
  let operations: readonly Operation[] | undefined
  return async (context, next) => {
    // Routes are added after the guards.
    operations ??= listOperations(app)
    const { method, path, url } = context.req
    const operation = operations.find(candidate => candidate.method === method && candidate.pattern.test(path))
    const parameterNames = operation === undefined ? [] : [...new URL(url).searchParams.keys()]
    const unknown = parameterNames.filter(name => operation?.names.includes(name) !== true)
    if (unknown.length > 0)
      throw new RefusedError(
        422,
        [...new Set(unknown)].map(
          name =>
            `${formatClientValue(name)}: there is no such parameter.${didYouMean(name.slice(0, 100), operation?.names ?? [])}`,
        ),
      )
    await next()
  }
}

/** Pages of the server that the document does not have. They take no parameters. */
const plainPages = ['/metrics', '/docs', '/openapi.json']

const listOperations = (app: OpenAPIHono): readonly Operation[] => [
  ...app.routes
    .filter(({ path }) => plainPages.includes(path))
    .map(({ method, path }) => ({ method, pattern: makePathPattern(path), names: [] })),
  ...app.openAPIRegistry.definitions.flatMap(definition => {
    if (definition.type !== 'route') return []
    const { method, path, request } = definition.route
    const query: unknown = request?.query
    const pattern = makePathPattern(path.replace(/\{(\w+)\}/g, ':$1'))
    const names = query instanceof z.ZodObject ? Object.keys(query.shape) : []
    return [{ method: method.toUpperCase(), pattern, names }]
  }),
]
