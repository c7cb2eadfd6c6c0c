import type { Networks, Step } from './networks.js'
import type { Prompt } from './prompt.js'

/** Returns the scores of all tokens at each place of a continuation: one row for each of its tokens. */
type ReadScores = (prompt: Prompt, ids: readonly number[]) => Promise<readonly Float32Array[]>

interface Continuation {
  readonly ids: readonly number[]
  readonly resolve: (rows: readonly Float32Array[]) => void
  readonly reject: (error: unknown) => void
}

/**
 * Returns a function that scores continuations of prompts. Those of one prompt that are asked for while it is read, such as the options of a question, are
 * read together, each number of tokens at once.
 */
export function scoreContinuations(
  networks: Pick<Networks, 'embed' | 'readContinuations'>,
  readPrompt: (prompt: Prompt) => Promise<Step>,
): ReadScores {
  const waiting = new Map<Prompt, Continuation[]>()
  const readAll = async (prompt: Prompt, together: Continuation[]): Promise<void> => {
    try {
      const step = await readPrompt(prompt)
      waiting.delete(prompt)
      for (const length of new Set(together.map(({ ids }) => ids.length)))
        await scoreGroup(networks, step, { length, group: together.filter(({ ids }) => ids.length === length) })
    } catch (error) {
      waiting.delete(prompt)
      for (const { reject } of together) reject(error)
    }
  }
  return (prompt, ids) =>
    new Promise((resolve, reject) => {
      const others = waiting.get(prompt)
      const together = others ?? []
      together.push({ ids, resolve, reject })
      if (others !== undefined) return
      waiting.set(prompt, together)
      void readAll(prompt, together)
    })
}

async function scoreGroup(
  networks: Pick<Networks, 'embed' | 'readContinuations'>,
  { logits, vocabulary, memory }: Step,
  { length, group }: { readonly length: number; readonly group: readonly Continuation[] },
): Promise<void> {
  const first = logits.subarray(logits.length - vocabulary)
  const shownCount = length - 1
  if (shownCount === 0) {
    for (const { resolve } of group) resolve([first])
    return
  }
  // A row of embeddings depends on its own token alone.
  const embeddings = await networks.embed(group.flatMap(({ ids }) => ids.slice(0, -1)))
  const size = embeddings.length / group.length
  const continuations = group.map((_, i) => embeddings.subarray(i * size, (i + 1) * size))
  const read = await networks.readContinuations(continuations, shownCount, memory)
  for (const [i, { resolve }] of group.entries()) {
    const rows = read[i] ?? new Float32Array()
    const width = rows.length / shownCount
    resolve([first, ...Array.from({ length: shownCount }, (_, at) => rows.subarray(at * width, (at + 1) * width))])
  }
}
