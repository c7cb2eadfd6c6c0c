/** Builds the HTTP interface: guards first, then the operations. The OpenAPI document is generated from the schemas that check requests. */
import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context, MiddlewareHandler } from 'hono'
import { mistakeLines } from '../../../base/errors/schema-mistakes.js'
import { buildInfo } from '../../../cache/code/build-info.js'
import { addMcpRoute } from '../mcp/mcp-route.js'
import type { Service, ServiceSettings } from '../service.js'
import { addViewer } from '../viewer/add-viewer.js'
import { accessGuard, TokenCheck } from './guards/access.js'
import { addEventRoutes } from './routes/event-routes.js'
import { bodyGuard, hostGuard, originGuard, safeHeaders } from './guards/guards.js'
import { addJobRoutes } from './routes/job-routes.js'
import { addLabelRoutes } from './routes/label-routes.js'
import { methodGuard } from './guards/method-guard.js'
import { answerProblem, RefusedError } from './problems.js'
import { addDocsPage } from './docs-page.js'
import { queryGuard } from './guards/query-guard.js'
import { ofClient } from '../client-wording.js'
import { ServerMetrics } from './routes/metrics-route.js'
import { addQueueRoutes } from './routes/queue-routes.js'
import { addRegistryRoutes } from './routes/registry-routes.js'
import { addAnalysisRoutes } from './routes/analysis-routes.js'
import { addAssessmentRoute } from './routes/assessment-route.js'
import { addLeaderboardRoute } from './routes/leaderboard-route.js'
import { addPlanningRoutes } from './routes/planning-routes.js'
import { addRunRoutes } from './routes/run-routes.js'
import { cors } from 'hono/cors'

/** @param now monotonic milliseconds */
export function createApp(service: Service, now: () => number = () => performance.now()): OpenAPIHono {
  const app = new OpenAPIHono({
    async defaultHook(result, context) {
      if (result.success) return
      throw new RefusedError(
        422,
        mistakeLines(result.error.issues, await givenIn(context, result.target), { ...ofClient, whole: result.target }),
      )
    },
  })
  app.onError((error, context) => answerProblem(error, context, service.log))
  app.notFound(() => {
    throw new RefusedError(404, 'there is no such page')
  })
  const metrics = new ServerMetrics()
  app.use(metrics.counting)
  app.use(safeHeaders)
  app.use(hostGuard(service.settings))
  app.use(originGuard(service.settings))
  app.use(allowedOrigins(service.settings))
  const tokens = new TokenCheck(service.store.tokens, now)
  app.use(accessGuard(service, tokens, now))
  app.use(methodGuard(app))
  app.use(queryGuard(app))
  app.use(bodyGuard(service.settings))
  addQueueRoutes(app, service)
  addJobRoutes(app, service)
  addEventRoutes(app, service)
  addRunRoutes(app, service)
  addAssessmentRoute(app, service.store)
  addLeaderboardRoute(app, service.store)
  addPlanningRoutes(app, service.store)
  addAnalysisRoutes(app, service)
  addLabelRoutes(app, service)
  addRegistryRoutes(app, service)
  addMcpRoute(app, service)
  metrics.addRoute(app, service)
  addViewer(app, service, tokens)
  const document = () => app.getOpenAPI31Document(openApiInfo())
  app.get('/openapi.json', context => context.json(document()))
  addDocsPage(app, document)
  return app
}

/** Reads the value of an invalid part of a request. */
async function givenIn({ req }: Context, part: string): Promise<unknown> {
  if (part === 'json') return req.json()
  return part === 'query' ? req.query() : part === 'param' ? req.param() : req.header()
}

const openApiInfo = () => ({
  openapi: '3.1.0',
  info: {
    title: 'pipeline',
    version: buildInfo().version,
    description: 'Evaluations of multimodal models as durable jobs. Client libraries of lmms-eval work unchanged.',
  },
})

/** Lets pages of the sites that are allowed by name (`--allow-origin`) read answers. All other pages were refused before. */
function allowedOrigins({ origins }: Pick<ServiceSettings, 'origins'>): MiddlewareHandler {
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
