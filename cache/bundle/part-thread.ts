/** The thread that writes one part of a large run. See part-threads.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { messageOf, PipelineError } from '../../base/errors/errors.js'
import { openStore } from '../open.js'
import type { WrittenFile } from '../parquet/write.js'
import { partTables } from './part-files.js'
import type { PartReport, PartTask } from './part-threads.js'

/** Every row is read once: no page is worth keeping but those on the way down to the next row. */
const cacheMb = 2

async function writePart({ dir, run: id, name, file }: PartTask): Promise<WrittenFile | undefined> {
  const store = await openStore(dir, { access: 'read', cacheMb })
  try {
    const run = await store.runs.find(id)
    if (run === undefined) throw new Error('internal error: the run that is sealed is not there')
    const table = partTables(await store.runTables(run)).find(part => part.name === name)
    return await table?.write(file)
  } finally {
    await store.close()
  }
}

const report = (message: PartReport): void => parentPort?.postMessage(message)

// What this thread was started for; part-threads.ts gives nothing else.
void writePart(workerData as PartTask).then(
  written => report({ type: 'written', ...(written === undefined ? {} : { written }) }),
  (error: unknown) =>
    report({
      type: 'failed',
      problems: error instanceof PipelineError ? error.said : [messageOf(error)],
      ...(error instanceof PipelineError ? { code: error.code } : {}),
    }),
)
