import type { OpenAPIHono } from '@hono/zod-openapi'
import type { TokenCheck } from '../http/guards/access.js'
import type { Service } from '../service.js'
import { addCatalogueRoutes } from './catalogue-routes.js'
import { addEventRoute } from './event-route.js'
import { addMediaRoutes } from './media/media-routes.js'
import { addNewRunRoutes } from './new-run-routes.js'
import { addPageRoutes } from './page-routes.js'
import { addSessionRoutes } from './session/session-routes.js'
import { addStabilityRoute } from './stability-route.js'
import { addStaticRoutes } from './static-routes.js'

/** Adds the viewer: its pages below `/ui/`, and their data below `/view/`. These addresses are no part of the public interface. */
export function addViewer(app: OpenAPIHono, service: Service, tokens: TokenCheck): void {
  const { viewer } = service
  if (viewer === undefined) return
  addStaticRoutes(app, viewer)
  addSessionRoutes(app, viewer, tokens)
  addPageRoutes(app, viewer)
  addStabilityRoute(app, service)
  addCatalogueRoutes(app, service)
  addNewRunRoutes(app, service)
  addMediaRoutes(app, viewer)
  addEventRoute(app, service, viewer)
}
