import type { Model, ModelRequest } from '../../define-backend.js'

/** A model in a thread of its own. */
export interface Thread {
  /** Rejects where the model cannot be loaded. */
  readonly ready: Promise<void>
  /** Whether it can answer nothing any more. */
  readonly hasEnded: boolean
  answer: Model['answer']
  close(): Promise<void>
}

/** Requests that one thread has at a time: it decodes the pictures of one while it computes the other. */
export const requestsPerWorker = 2

interface Slot {
  thread: Thread
  /** Requests under way. */
  load: number
  /** First picture of the last request, which the thread has at hand. */
  picture: string | undefined
}

/**
 * A model in `workers` threads, since computing blocks the thread that it is done in. A thread that ends on its own fails
 * the requests that it had and is replaced at the next.
 *
 * @throws what the first thread that cannot load the model throws.
 */
export async function openPool(workers: number, start: () => Thread): Promise<Model> {
  const slots: Slot[] = Array.from({ length: workers }, () => ({ thread: start(), load: 0, picture: undefined }))
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
      const picture = firstPicture(request)
      const slot = choose(slots, picture)
      if (slot.thread.hasEnded) slot.thread = start()
      const { thread } = slot
      slot.picture = picture
      slot.load++
      try {
        await thread.ready
        return await thread.answer(request, signal)
      } finally {
        slot.load--
      }
    },
    close,
  }
}

/** The thread that has the picture at hand if it has room, else the one with the least to do. */
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
