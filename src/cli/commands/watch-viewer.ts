import { messageOf } from '../../../base/errors/errors.js'
import type { Tools } from '../command.js'
import { browserOpener } from '../open-browser.js'
import { withServedStore } from '../open-run.js'
import type { ViewerPage } from './watch-keys.js'

/** Shows pages of the viewer. The server of a store starts with its first page, and ends with the view. */
export interface WatchViewer {
  readonly show: (page: ViewerPage) => void
  readonly close: () => Promise<void>
}

/** Makes a link to a page. One for a browser works once, and one that is printed works again. */
type MakeLink = (path: string, isOnce: boolean) => string

/** Opens pages in a browser, or prints their addresses if there is no display. */
export function makeWatchViewer({ terminal, env }: Pick<Tools, 'terminal' | 'env'>): WatchViewer {
  const openBrowser = browserOpener(env)
  const ending = new AbortController()
  const links = new Map<string, Promise<MakeLink>>()
  const servers: Promise<void>[] = []
  const serve = async (dir: string, started: (link: MakeLink) => void): Promise<void> => {
    const { serveUi } = await import('../../service/ui.js')
    const tell = (line: string): void => terminal.tell(line)
    await withServedStore({ dir, terminal }, 'read', store =>
      serveUi(store, { readOnly: true }, { env, stop: ending.signal, tell, announce: () => undefined, started }),
    )
  }
  const start = (dir: string): Promise<MakeLink> =>
    new Promise((resolve, reject) => {
      const refuse = (error: unknown): void => {
        // The next key tries again.
        links.delete(dir)
        reject(error instanceof Error ? error : new Error(messageOf(error)))
      }
      servers.push(serve(dir, resolve).catch(refuse))
    })
  const show = async ({ store, path }: ViewerPage): Promise<void> => {
    const starting = links.get(store) ?? start(store)
    links.set(store, starting)
    const link = await starting
    if (openBrowser === undefined) terminal.tell(`viewer: ${link(path, false)}`)
    else openBrowser(link(path, true))
  }
  return {
    show: page =>
      void show(page).catch((error: unknown) => terminal.tell(`The viewer can't be opened: ${messageOf(error)}`)),
    async close() {
      ending.abort()
      await Promise.all(servers)
    },
  }
}
