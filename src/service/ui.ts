/** `pipeline ui`: the viewer of a store for the person who starts it, in a browser. */
import { systemCode } from '../../base/errors/errors.js'
import type { PortableStore } from '../../cache/bundle/portable.js'
import type { Store } from '../../cache/store.js'
import type { UiFlags } from '../config/service-options.js'
import { openRun } from '../reading/runs/run-reference.js'
import { listen, type Listening } from './http/listen.js'
import type { Service } from './service.js'
import type { ServerProcess } from './serve.js'
import { defaultViewerPort, loopback } from './settings.js'
import { awaitAbort, readyService } from './start-service.js'
import { makeViewer } from './viewer/make-viewer.js'

/** The process of the viewer's command, and a way to open a browser. */
export interface UiProcess extends ServerProcess {
  /** Shows an address in a browser. Absent where none shall be opened. */
  readonly openBrowser?: (url: string) => void
  /** Gets what makes links to pages, such as `/runs/NAME`, once the viewer can be reached. */
  readonly started?: (link: (path: string, isOnce: boolean) => string) => void
}

/** The number of ports to try if the first one is in use. */
const mostPorts = 20

/**
 * Serves the viewer until `stop`. Any user of the machine can connect to the port. Pages therefore need a session, which only the printed link
 * starts.
 *
 * @param reference the run to open
 */
export async function serveUi(
  store: Store & PortableStore,
  { reference, ...flags }: UiFlags & { readonly reference?: string },
  { env, stop, tell, announce, openBrowser, started }: UiProcess,
): Promise<void> {
  const isReadOnly = store.readOnly || flags.readOnly === true
  const runToOpen = reference === undefined ? undefined : (await openRun(store, reference)).run
  // The user may evaluate tasks and plugins in the working directory, as on the command line.
  const policy = { ...flags, allowDir: flags.allowDir ?? [process.cwd()] }
  const ready = await readyService(store, policy, { env, tell, hasSessions: true })
  const viewer = makeViewer(store)
  const server = await listenNear({ ...ready.service, viewer }, flags)
  if (!isReadOnly) ready.start()
  const session = { scope: isReadOnly ? 'read' : 'admin' } as const
  const link = (path: string, isOnce: boolean): string =>
    `http://${shownHost(server.host)}:${server.port}/ui/?t=${viewer.sessions.link(session, { isOnce })}${path === '' ? '' : `#${path}`}`
  const page = runToOpen === undefined ? '' : `/runs/${encodeURIComponent(runToOpen.name)}`
  const ends = isReadOnly ? 'read-only; Ctrl-C ends it' : 'Ctrl-C ends it; runs continue'
  announce([`viewer: ${link(page, false)}   (${server.host === loopback ? 'this machine only; ' : ''}${ends})`])
  // Other users can read the command line of the browser. A link that works once is worth nothing after the browser used it.
  openBrowser?.(link(page, true))
  started?.(link)
  try {
    await awaitAbort(stop)
  } finally {
    await Promise.all([server.close(), ready.close()])
  }
}

/** Listens on the requested port, or by default on the next free one. */
async function listenNear(service: Service, { host = loopback, port }: UiFlags): Promise<Listening> {
  if (port !== undefined) return listen(service, { host, port })
  for (let tried = 0; ; tried += 1) {
    try {
      return await listen(service, { host, port: defaultViewerPort + tried })
    } catch (error) {
      const isTaken = error instanceof Error && systemCode(error.cause) === 'EADDRINUSE'
      if (!isTaken || tried + 1 >= mostPorts) throw error
    }
  }
}

/** Returns the host for a link. A browser cannot open a wildcard address such as `0.0.0.0`. */
const shownHost = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
