/** The entry of the thread that writes one part of a large run. It is started by part-threads.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { errorData, messageOf, PipelineError } from '../../../base/errors/errors.js'
import { openStore } from '../../open.js'
import type { WrittenFile } from '../../parquet/write.js'
import { partTables } from './part-files.js'
import type { PartReport, PartTask } from './part-threads.js'

/** A small page cache is enough, because every row is read only once. */
const cacheMb = 2

async function writePart({ location, run: id, name, file }: PartTask): Promise<WrittenFile | undefined> {
  const store = await openStore(location, { access: 'read', cacheMb })
  try {
    const run = await store.runs.find(id)
    if (run === undefined) throw new Error('internal error: the run that is sealed is not there')
    const table = partTables({ ...(await store.runTables(run)), asked: run.asked }).find(part => part.name === name)
    return await table?.write(file)
  } finally {
    await store.close()
  }
}

const report = (message: PartReport): void => parentPort?.postMessage(message)

// The cast is safe because only part-threads.ts starts this thread.
void writePart(workerData as PartTask).then(
  file => report({ type: 'written', ...(file === undefined ? {} : { written: file }) }),
  (error: unknown) =>
    report(
      error instanceof PipelineError
        ? { type: 'refused', error: errorData(error) }
        : { type: 'failed', message: messageOf(error) },
    ),
)
