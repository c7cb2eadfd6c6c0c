/** Entry of a worker thread: one engine that answers what the thread that started it asks. */
import { parentPort, workerData } from 'node:worker_threads'
import type { MediaDigest } from '../../../../cache/digest.js'
import type { ModelRequest } from '../../define-backend.js'
import { openEngine, type Engine, type EngineSettings } from './engine.js'
import { thrownData, thrownError, type FromWorker, type ToWorker } from './messages.js'

interface Waiting {
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: Error) => void
}

const port = parentPort
if (port === null) throw new Error('internal error: worker.ts is the entry of a worker thread')
const tell = (message: FromWorker): void => port.postMessage(message)

const waiting = new Map<number, Waiting>()
let nextRead = 0
const underWay = new Map<number, AbortController>()

const readMedia = (digest: MediaDigest): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const id = nextRead++
    waiting.set(id, { resolve, reject })
    tell({ type: 'read-media', id, digest })
  })

async function answer(engine: Engine, id: number, request: ModelRequest): Promise<void> {
  const abort = new AbortController()
  underWay.set(id, abort)
  try {
    tell({ type: 'answered', id, answer: await engine.answer(request, abort.signal) })
  } catch (error) {
    tell({ type: 'failed', id, error: thrownData(error) })
  } finally {
    underWay.delete(id)
  }
}

function listen(engine: Engine, message: ToWorker): void {
  switch (message.type) {
    case 'ask':
      void answer(engine, message.id, message.request)
      return
    case 'abort':
      underWay.get(message.id)?.abort()
      return
    case 'media':
      waiting.get(message.id)?.resolve(message.bytes)
      waiting.delete(message.id)
      return
    case 'no-media':
      waiting.get(message.id)?.reject(thrownError(message.error))
      waiting.delete(message.id)
      return
  }
}

try {
  // The one that opened the backend gave these settings: see worker-thread.ts.
  const engine = await openEngine(workerData as EngineSettings, readMedia)
  port.on('message', (message: ToWorker) => listen(engine, message))
  tell({ type: 'ready' })
} catch (error) {
  tell({ type: 'refused', error: thrownData(error) })
}
