import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { present } from '../../../../base/values/present.js'
import type { Store } from '../../../../cache/store.js'
import { leaderboardJson } from '../../../present/json/leaderboard-json.js'
import { listedModel } from '../../../present/text/results/run-header.js'
import { readLeaderboard } from '../../../reading/leaderboard/read-leaderboard.js'
import { requireScope } from '../guards/access.js'
import { anyObject, answers, asObject } from '../json.js'

const name = z.string().max(300).optional()

const leaderboard = createRoute({
  method: 'get',
  path: '/leaderboard',
  summary: 'Models and tasks with their scores, and the best by the paired comparison',
  request: {
    query: z.object({
      tag: name.openapi({ description: 'only runs with this tag' }),
      task: name.openapi({ description: 'a pattern, or a part of the name of a task or group' }),
      model: name.openapi({ description: 'a pattern, or a part of the name of a model' }),
    }),
  },
  responses: answers(anyObject, 'As `pipeline report --matrix --json`.'),
})

/** Adds the address of the leaderboard of all judged runs. */
export function addLeaderboardRoute(app: OpenAPIHono, store: Store): void {
  app.openapi(leaderboard, async context => {
    requireScope(context, 'read')
    const board = await readLeaderboard(store, present(context.req.valid('query')), listedModel)
    return context.json(asObject(leaderboardJson(board)), 200)
  })
}
