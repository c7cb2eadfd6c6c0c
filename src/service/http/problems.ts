/** The body of an error response: `{"detail": "…", "problems": ["…"]}`, as FastAPI's `detail` that lmms-eval's users know. */
import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { PipelineError } from '../../../base/errors/errors.js'
import { storeProblem } from '../health.js'
import { clientProblems, withoutCommand } from '../client-wording.js'
import { visibleText } from '../../../base/text/visible-text.js'

/** The JSON of every error response. */
export const problemSchema = z
  .object({
    detail: z.string().openapi({ example: 'limit: expected a whole number of docs' }),
    problems: z.array(z.string()).optional().openapi({ description: 'each mistake by itself' }),
  })
  .openapi('Problem')

/** The status codes of refusals. */
type Refusal = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421 | 422 | 429 | 500 | 501 | 503

/** Ends a request with a refusal. Thrown by handlers and guards. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly status: Refusal
  readonly problems: readonly string[]
  readonly headers: Readonly<Record<string, string>>

  constructor(status: Refusal, problems: string | readonly string[], headers: Readonly<Record<string, string>> = {}) {
    const list = typeof problems === 'string' ? [problems] : problems
    super(list.join('\n'))
    this.status = status
    this.problems = list
    this.headers = headers
  }
}

/** Answers with what went wrong. Only mistakes of the client are described; of others the log has the text. */
export function answerProblem(error: Error, context: Context, log: (line: string) => void): Response {
  if (error instanceof RefusedError) return problem(context, error.status, error.problems, error.headers)
  if (error instanceof HTTPException)
    return problem(context, error.status as Refusal, [error.message || 'the request is malformed'])
  if (error instanceof PipelineError) {
    if (error.code !== 'store') return problem(context, 422, clientProblems(error))
    log(`store: ${visibleText(error.message)}`)
    return problem(context, 503, [storeProblem(error)], {
      'retry-after': '5',
    })
  }
  log(`internal error: ${visibleText(error.stack ?? error.message)}`)
  return problem(context, 500, ['internal error; the log of the server says more'])
}

function problem(
  context: Context,
  status: Refusal,
  problems: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Response {
  const texts = problems.slice(0, mostProblems).map(text => withoutCommand(visibleText(text)).slice(0, 1000))
  const body = { detail: texts.join('; ').replaceAll('.; ', '. '), ...(texts.length > 1 && { problems: texts }) }
  return context.json(body, status, { ...headers, 'cache-control': 'no-store' })
}

const mostProblems = 50

/** The refusals that any operation may answer with, for the OpenAPI document. */
export const refusals = Object.fromEntries(
  (
    [
      [400, 'The request is malformed.'],
      [401, 'A token is missing or unknown.'],
      [403, 'The token may not do this, or the request comes from another site.'],
      [404, 'There is no such thing.'],
      [405, 'The address has no such method.'],
      [409, 'This cannot be done in the present state.'],
      [413, 'The request is too large.'],
      [415, 'The body is not JSON.'],
      [421, 'The server has another name.'],
      [422, 'The request contains mistakes.'],
      [429, 'Too many requests.'],
      [503, 'The service cannot do this now.'],
    ] as const
  ).map(([status, description]) => [
    status,
    { description, content: { 'application/json': { schema: problemSchema } } },
  ]),
)
