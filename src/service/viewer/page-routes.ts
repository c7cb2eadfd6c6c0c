/** Routes below `/view/` that return the data of the pages as JSON. */
import { createHash } from 'node:crypto'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { PipelineError } from '../../../base/errors/errors.js'
import type { TokenScope } from '../../../cache/store.js'
import { requireScope } from '../http/guards/access.js'
import { RefusedError } from '../http/problems.js'
import {
  parseAt,
  parseDocsQuery,
  parseLeaderboardQuery,
  parsePair,
  parsePowerQuery,
  parsePlace,
  parseRunsQuery,
  parseSampleFilter,
  parseSampleRows,
} from './queries.js'
import type { Viewer } from './viewer.js'

/** Adds the routes that send the data of pages. */
export function addPageRoutes(app: OpenAPIHono, { pages }: Viewer): void {
  app.get('/view/runs', context => answer(context, () => pages.runs(parseRunsQuery(context.req.url))))
  app.get('/view/runs/:run', context => answer(context, () => pages.run(context.req.param('run'))))
  app.get('/view/runs/:run/samples', context =>
    answer(context, signal => pages.samples(context.req.param('run'), parseSampleRows(context.req.url), signal)),
  )
  app.get('/view/runs/:run/histograms', context =>
    answer(context, signal => pages.histograms(context.req.param('run'), parseSampleFilter(context.req.url), signal)),
  )
  app.get('/view/runs/:run/samples/:task/:index', context => {
    const { run, ...place } = context.req.param()
    return answer(context, () => pages.sample(run, parsePlace(place)))
  })
  app.get('/view/runs/:run/samples/:task/:index/runs', context => {
    const { run, ...place } = context.req.param()
    return answer(context, () => pages.docRuns(run, parsePlace(place)))
  })
  app.get('/view/runs/:run/position', context => {
    const place = parseAt(context.req.url)
    return answer(context, async signal => ({
      offset: await pages.position(context.req.param('run'), parseSampleFilter(context.req.url), place, signal),
    }))
  })
  app.get('/view/runs/:run/keys/:key', context =>
    answer(context, () => pages.key(context.req.param('run'), context.req.param('key'))),
  )
  app.get('/view/docs', context => answer(context, signal => pages.docs(parseDocsQuery(context.req.url), signal)))
  app.get('/view/leaderboard', context =>
    answer(context, () => pages.leaderboard(parseLeaderboardQuery(context.req.url))),
  )
  app.get('/view/runs/:run/calibration', context => answer(context, () => pages.calibration(context.req.param('run'))))
  app.get('/view/work', context => answer(context, () => pages.work()))
  app.get('/view/power', context => answer(context, () => pages.power(parsePowerQuery(context.req.url))))
  app.get('/view/compare', context => {
    const { a, b } = parsePair(context.req.url)
    return answer(context, () => pages.compare(a, b))
  })
}

/**
 * Answers with JSON and an ETag, so that unchanged data is not sent again. The work is aborted when the client disconnects.
 *
 * @throws RefusedError (404) if the address names an unknown run or sample
 */
export async function answer(
  context: Context,
  work: (signal: AbortSignal) => Promise<object>,
  scope: TokenScope = 'read',
): Promise<Response> {
  requireScope(context, scope)
  let body: string
  try {
    body = JSON.stringify(await work(context.req.raw.signal))
  } catch (error) {
    if (context.req.raw.signal.aborted) throw new RefusedError(503, 'the client has left')
    if (error instanceof PipelineError && error.code === 'usage') throw new RefusedError(404, error.problems)
    throw error
  }
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  context.header('cache-control', 'private, no-cache')
  context.header('etag', etag)
  if (context.req.header('if-none-match') === etag) return context.body(null, 304)
  context.header('content-type', 'application/json; charset=utf-8')
  return context.body(body)
}
