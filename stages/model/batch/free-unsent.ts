import type { BatchStore } from '../../../cache/batches.js'
import type { Run } from '../../../cache/records.js'

/** Frees the requests of batches that nothing was sent of, so that they can be asked one by one. */
export async function freeUnsent(batches: BatchStore, run: Run): Promise<void> {
  for (const batch of await batches.open(run)) {
    const isSent = batch.state === 'creating' || batch.state === 'submitted'
    if (!isSent && (await batches.adopt(batch)) !== undefined) await batches.close(batch)
  }
}
