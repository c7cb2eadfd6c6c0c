/** Runs `pipeline serve`: an HTTP server with the workers of its jobs. */
import { messageOf } from '../../base/errors/errors.js'
import type { PortableStore } from '../../cache/bundle/portable.js'
import type { Store } from '../../cache/store.js'
import { listen } from './http/listen.js'
import { defaultPort, loopback, type ServeFlags } from './settings.js'
import { makeViewer } from './viewer/make-viewer.js'
import type { Viewer } from './viewer/viewer.js'
import { awaitAbort, readyService, type ServiceProcess } from './start-service.js'

/** The parts of its process that a server uses. */
export interface ServerProcess extends ServiceProcess {
  /** Prints the addresses of the service. */
  readonly announce: (lines: readonly string[]) => void
}

/** Serves until `stop`. Running jobs then go back into the queue. */
export async function serve(
  store: Store & PortableStore,
  flags: ServeFlags,
  { env, stop, tell, announce }: ServerProcess,
): Promise<void> {
  const ready = await readyService(store, flags, { env, tell })
  const viewer = createViewer(store, tell)
  const server = await listen(
    { ...ready.service, ...(viewer && { viewer }) },
    { host: flags.host ?? loopback, port: flags.port ?? defaultPort },
  )
  ready.start()
  announce([
    `service: http://${server.host}:${server.port}  ·  docs /docs  ·  OpenAPI /openapi.json${viewer === undefined ? '' : '  ·  viewer /ui/'}`,
  ])
  try {
    await awaitAbort(stop)
  } finally {
    await Promise.all([server.close(), ready.close()])
  }
}

/** Creates the viewer. If its files are missing, the service runs without it. */
function createViewer(store: Store, tell: (line: string) => void): Viewer | undefined {
  try {
    return makeViewer(store)
  } catch (error) {
    tell(`there is no viewer: ${messageOf(error)}`)
    return undefined
  }
}
