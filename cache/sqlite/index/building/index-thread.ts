/** The thread that builds the index, and the one that searches in it. Both would block the server for seconds. */
import { parentPort, workerData } from 'node:worker_threads'
import { IndexWork, type IndexPlace } from './index-work.js'
import { searchTexts } from '../searching/search-texts.js'
import type { ThreadOrder, ThreadReport } from './index-threads.js'

const tell = (report: ThreadReport, moved: readonly ArrayBuffer[] = []): void => parentPort?.postMessage(report, moved)
const work = new IndexWork(workerData as IndexPlace, failure => tell({ type: 'moved', failure }))
const cancelled = new Set<number>()

async function search({ id, search: of }: Extract<ThreadOrder, { type: 'search' }>): Promise<void> {
  try {
    await searchTexts(
      of,
      hits => tell({ type: 'hits', id, hits }, [hits.buffer as ArrayBuffer]),
      () => cancelled.has(id),
    )
    tell({ type: 'searched', id })
  } catch (error) {
    tell({ type: 'searched', id, message: error instanceof Error ? error.message : String(error) })
  }
  cancelled.delete(id)
}

parentPort?.on('message', (order: ThreadOrder) => {
  if (order.type === 'prepare') work.prepare(order.target)
  else if (order.type === 'cancel') cancelled.add(order.id)
  else if (order.type === 'search') void search(order)
  else void work.close().then(() => parentPort?.close())
})
