// Makes folders at the same moments as another thread with the same arguments. Both threads announce each moment in `meeting`.
import { parentPort, workerData } from 'node:worker_threads'
import { register } from 'tsx/esm/api'

register()
const { makeFolder } = await import('../../cache/make-folder.ts')
const { folders, meeting } = workerData
const met = new Int32Array(meeting)
const refused = []
for (const [index, folder] of folders.entries()) {
  Atomics.add(met, 0, 1)
  while (Atomics.load(met, 0) < 2 * (index + 1));
  try {
    makeFolder(folder)
  } catch (error) {
    refused.push(String(error))
  }
}
parentPort.postMessage(refused)
