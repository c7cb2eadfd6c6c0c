/** The HTTP interface: guards first, then the operations. One OpenAPI document describes what is checked. */
import { OpenAPIHono } from '@hono/zod-openapi'
import { buildInfo } from '../../../cache/code/build-info.js'
import { addMcpRoute } from '../mcp/mcp-route.js'
import type { Service } from '../service.js'
import { addViewer } from '../viewer/add-viewer.js'
import { accessGuard, TokenCheck } from './access.js'
import { allowedOrigins } from './allowed-origins.js'
import { addEventRoutes } from './event-routes.js'
import { bodyGuard, hostGuard, originGuard, safeHeaders } from './guards.js'
import { addJobRoutes } from './job-routes.js'
import { addLabelRoutes } from './label-routes.js'
import { methodGuard } from './method-guard.js'
import { answerProblem, RefusedError } from './problems.js'
import { addDocsPage } from './docs-page.js'
import { ServerMetrics } from './metrics-route.js'
import { addQueueRoutes } from './queue-routes.js'
import { addRegistryRoutes } from './registry-routes.js'
import { addRunRoutes } from './run-routes.js'

/** @param now monotonic milliseconds */
export function createApp(service: Service, now: () => number = () => performance.now()): OpenAPIHono {
  const app = new OpenAPIHono({
    defaultHook(result) {
      if (result.success) return
      throw new RefusedError(
        422,
        result.error.issues.map(({ path, message }) => `${path.join('.') || result.target}: ${message}`),
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
  app.use(bodyGuard(service.settings))
  addQueueRoutes(app, service)
  addJobRoutes(app, service)
  addEventRoutes(app, service)
  addRunRoutes(app, service)
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

const openApiInfo = () => ({
  openapi: '3.1.0',
  info: {
    title: 'pipeline',
    version: buildInfo().version,
    description: 'Evaluations of multimodal models as durable jobs. Client libraries of lmms-eval work unchanged.',
  },
})
