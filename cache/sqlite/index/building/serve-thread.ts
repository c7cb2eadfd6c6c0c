import { parentPort } from 'node:worker_threads'
import { searchTexts } from '../searching/search-texts.js'
import type { ThreadOrder, ThreadReport } from './index-threads.js'
import { IndexWork, type IndexLocation } from './index-work.js'

const tell = (report: ThreadReport, moved: readonly ArrayBuffer[] = []): void => parentPort?.postMessage(report, moved)

/** Answers the messages of the thread that started this one: builds the index, or searches in it. Both would block the server for seconds. */
export function serveThread(location: IndexLocation): void {
  const work = new IndexWork(location, failure => tell({ type: 'moved', failure }))
  const cancelled = new Set<number>()
  parentPort?.on('message', (order: ThreadOrder) => {
    if (order.type === 'prepare') work.prepare(order.target)
    else if (order.type === 'cancel') cancelled.add(order.id)
    else if (order.type === 'search') void search(order, cancelled)
    else void work.close().then(() => parentPort?.close())
  })
}

async function search(
  { id, search: of }: Extract<ThreadOrder, { type: 'search' }>,
  cancelled: Set<number>,
): Promise<void> {
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
