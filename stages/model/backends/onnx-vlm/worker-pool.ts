import type { Model, ModelRequest } from '../../model.js'

/** A model in a process of its own. */
export interface Worker {
  /** Rejects where the model cannot be loaded. */
  readonly ready: Promise<void>
  /** Whether it can answer nothing any more. */
  readonly hasEnded: boolean
  answer: Model['answer']
  close(): Promise<void>
}

/** Requests that one worker has at a time: it decodes the pictures of one while it computes the other. */
export const requestsPerWorker = 2

interface Slot {
  worker: Worker
  /** Requests under way. */
  load: number
  /** First picture of the last request, which the worker has at hand. */
  picture: string | undefined
}

/**
 * A model in `workers` processes, since computing blocks the thread that it is done in. A worker that ends on its own
 * fails the requests that it had and is replaced at the next.
 *
 * @throws what the first worker that cannot load the model throws.
 */
export async function openPool(workers: number, start: () => Worker): Promise<Model> {
  const slots: Slot[] = Array.from({ length: workers }, () => ({ worker: start(), load: 0, picture: undefined }))
  let isClosed = false
  const close = async () => {
    isClosed = true
    await Promise.all(slots.map(slot => slot.worker.close()))
  }
  try {
    await Promise.all(slots.map(slot => slot.worker.ready))
  } catch (error) {
    await close()
    throw error
  }
  return {
    async answer(request, signal) {
      if (isClosed) throw new Error('internal error: asked of a model that is closed')
      const picture = firstPicture(request)
      const slot = choose(slots, picture)
      if (slot.worker.hasEnded) slot.worker = start()
      const { worker } = slot
      slot.picture = picture
      slot.load++
      try {
        await worker.ready
        return await worker.answer(request, signal)
      } finally {
        slot.load--
      }
    },
    close,
  }
}

/** The worker that has the picture at hand if it has room, else the one with the least to do. */
function choose(slots: readonly Slot[], picture: string | undefined): Slot {
  const atHand = slots.find(slot => picture !== undefined && slot.picture === picture)
  if (atHand !== undefined && atHand.load < requestsPerWorker) return atHand
  return slots.reduce((best, slot) => (slot.load < best.load ? slot : best))
}

function firstPicture(request: ModelRequest): string | undefined {
  for (const message of request.input.messages) {
    for (const part of message.content) if (part.type !== 'text') return part.media
  }
  return undefined
}
