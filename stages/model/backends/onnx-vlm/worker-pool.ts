import type { Model, ModelRequest } from '../../define-backend.js'
import type { EngineSettings, ReadMedia } from './engine.js'
import { WorkerThread } from './worker-thread.js'

/** Requests that one thread has at a time: it decodes the pictures of one while it computes the other. */
export const requestsPerWorker = 2

interface Slot {
  thread: WorkerThread
  /** First picture of the last request, which the thread has at hand. */
  picture: string | undefined
}

/**
 * A model in `workers` threads, since computing blocks the thread that it is done in. A thread that ends on its own fails
 * the requests that it had and is replaced at the next.
 *
 * @throws PipelineError `config` as `openEngine` does.
 */
export async function openPool(settings: EngineSettings, workers: number, readMedia: ReadMedia): Promise<Model> {
  const start = () => new WorkerThread(settings, readMedia)
  const slots: Slot[] = Array.from({ length: workers }, () => ({ thread: start(), picture: undefined }))
  const close = async () => {
    await Promise.all(slots.map(slot => slot.thread.close()))
  }
  try {
    await Promise.all(slots.map(slot => slot.thread.ready))
  } catch (error) {
    await close()
    throw error
  }
  return {
    async answer(request, signal) {
      const slot = choose(slots, firstPicture(request))
      if (slot.thread.hasEnded) slot.thread = start()
      slot.picture = firstPicture(request)
      await slot.thread.ready
      return slot.thread.answer(request, signal)
    },
    close,
  }
}

/** The thread that has the picture at hand if it has room, else the one with the least to do. */
function choose(slots: readonly Slot[], picture: string | undefined): Slot {
  const atHand = slots.find(slot => picture !== undefined && slot.picture === picture)
  if (atHand !== undefined && atHand.thread.load < requestsPerWorker) return atHand
  return slots.reduce((best, slot) => (slot.thread.load < best.thread.load ? slot : best))
}

function firstPicture(request: ModelRequest): string | undefined {
  for (const message of request.input.messages) {
    for (const part of message.content) if (part.type !== 'text') return part.media
  }
  return undefined
}
