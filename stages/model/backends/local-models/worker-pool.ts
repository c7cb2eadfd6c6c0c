import type { Model, ModelRequest } from '../../model.js'

/** A model in a separate process. */
export interface Worker {
  /** Rejects if the model cannot be loaded. */
  readonly ready: Promise<void>
  /** True if it can answer nothing any more. */
  readonly hasEnded: boolean
  answer: Model['answer']
  close(): Promise<void>
}

/** The number of requests in flight for each worker: the choices of one question arrive together, and those of the next one wait. */
export const requestsPerWorker = 8
/** The number of different prompts that one worker gets at a time. It decodes the images of one while it computes the other. */
const promptsPerWorker = 2
/** The number of requests with the same prompt that one worker gets at a time. */
const mostChoices = 16

interface Slot {
  worker: Worker
  /** The number of requests in progress. */
  load: number
  /** The first image of the last request, which the worker has cached. */
  picture: string | undefined
  /** The messages of the last request, which the worker has read or is reading, and their text. */
  prompt: string | undefined
  messages: ModelRequest['input']['messages']
}

/**
 * Runs a model in `workers` processes, because computing blocks a thread. A worker that ends unexpectedly fails its
 * requests and is replaced at the next request.
 *
 * @throws the error of the first worker that cannot load the model
 */
export async function openPool(workers: number, start: () => Worker): Promise<Model> {
  const slots: Slot[] = Array.from({ length: workers }, () => ({
    worker: start(),
    load: 0,
    picture: undefined,
    prompt: undefined,
    messages: [],
  }))
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
      const prompt = JSON.stringify(request.input.messages)
      const slot = choose(slots, { picture, prompt })
      if (slot.worker.hasEnded) slot.worker = start()
      const { worker } = slot
      if (slot.prompt !== prompt) slot.messages = request.input.messages
      // The same object is sent once for all options of a question.
      const { messages } = slot
      slot.picture = picture
      slot.prompt = prompt
      slot.load++
      try {
        await worker.ready
        return await worker.answer({ ...request, input: { ...request.input, messages } }, signal)
      } finally {
        slot.load--
      }
    },
    close,
  }
}

/**
 * Selects the worker that reads the same prompt, so that all choices of a question share one pass. Else it is the one that
 * has cached the image if it has room, else the one with the fewest requests.
 */
function choose(slots: readonly Slot[], { picture, prompt }: Pick<Slot, 'picture' | 'prompt'>): Slot {
  const reading = slots.find(slot => slot.load > 0 && slot.prompt === prompt)
  if (reading !== undefined && reading.load < mostChoices) return reading
  const atHand = slots.find(slot => picture !== undefined && slot.picture === picture)
  if (atHand !== undefined && atHand.load < promptsPerWorker) return atHand
  return slots.reduce((best, slot) => (slot.load < best.load ? slot : best))
}

function firstPicture(request: ModelRequest): string | undefined {
  for (const message of request.input.messages) {
    for (const part of message.content) if (part.type !== 'text') return part.media
  }
  return undefined
}
