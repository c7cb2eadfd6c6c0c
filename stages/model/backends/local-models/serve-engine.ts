import type { MediaDigest } from '../../../../cache/digest.js'
import type { MediumFile } from '../../../../cache/store.js'
import type { ModelRequest } from '../../model.js'
import type { Engine, OpenEngine } from './engine.js'
import { thrownData, thrownError, type FromWorker, type ToWorker } from './messages.js'
import { sendTogether } from './send-together.js'

interface PendingReply {
  readonly resolve: (media: Uint8Array | string) => void
  readonly reject: (error: Error) => void
}

const waiting = new Map<number, PendingReply>()
const underWay = new Map<number, AbortController>()
let nextRead = 0
let engine: Engine | undefined

const tell = sendTogether((messages: readonly FromWorker[]) => {
  // A failure to send is ignored, because the disconnection that follows ends this process.
  process.send?.(messages, undefined, undefined, () => undefined)
})

function requestMedia(id: number, digest: MediaDigest, as: 'bytes' | 'file'): Promise<Uint8Array | string> {
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    tell({ type: 'read-media', id, digest, as })
  })
}

async function readMedia(digest: MediaDigest): Promise<Uint8Array> {
  const bytes = await requestMedia(nextRead++, digest, 'bytes')
  if (typeof bytes === 'string') throw new Error('internal error: a path in place of bytes')
  return bytes
}

async function openMediaFile(digest: MediaDigest): Promise<MediumFile> {
  const id = nextRead++
  const path = await requestMedia(id, digest, 'file')
  if (typeof path !== 'string') throw new Error('internal error: bytes in place of a path')
  return {
    path,
    [Symbol.asyncDispose]() {
      tell({ type: 'close-media', id })
      return Promise.resolve()
    },
  }
}

async function open<Settings>(openEngine: OpenEngine<Settings>, settings: Settings): Promise<void> {
  try {
    engine = await openEngine(settings, readMedia, openMediaFile)
    tell({ type: 'ready' })
  } catch (error) {
    tell({ type: 'refused', error: thrownData(error) })
  }
}

async function answer(id: number, request: ModelRequest): Promise<void> {
  const abort = new AbortController()
  underWay.set(id, abort)
  try {
    if (engine === undefined) throw new Error('internal error: asked before the model was ready')
    tell({ type: 'answered', id, answer: await engine.answer(request, abort.signal) })
  } catch (error) {
    tell({ type: 'failed', id, error: thrownData(error) })
  } finally {
    underWay.delete(id)
  }
}

function listen(message: Exclude<ToWorker, { type: 'open' }>): void {
  switch (message.type) {
    case 'ask':
      void answer(message.id, message.request)
      return
    case 'abort':
      underWay.get(message.id)?.abort()
      return
    case 'media':
      waiting.get(message.id)?.resolve(message.media)
      waiting.delete(message.id)
      return
    case 'no-media':
      waiting.get(message.id)?.reject(thrownError(message.error))
      waiting.delete(message.id)
      return
  }
}

/** Makes this process a worker, which answers the requests of its parent with one engine. */
export function serveEngine<Settings>(openEngine: OpenEngine<Settings>): void {
  // The parent is of the same backend, so it sends this engine's settings.
  process.on('message', (messages: readonly ToWorker<Settings>[]) => {
    for (const message of messages)
      if (message.type === 'open') void open(openEngine, message.settings)
      else listen(message)
  })
  // The process must not outlive its parent, however that ended.
  process.on('disconnect', () => process.exit())
}
