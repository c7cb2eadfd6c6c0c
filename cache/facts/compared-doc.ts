import type { Input } from '../records.js'
import type { ComparedDoc, Sample } from '../store.js'

/** Leaves of a sample what comparisons of scores read. */
export function makeComparedDoc({ task, index, id, record, items, score }: Sample): ComparedDoc {
  const medium = findFirstMedium(items[0]?.request?.input)
  return {
    ...{ task, index, id, record },
    ...(score !== undefined && { score }),
    ...(medium !== undefined && { medium }),
    requests: items.flatMap(({ request }) => {
      if (request === undefined) return []
      const { key, inputKey, generation, input } = request
      return [{ key, inputKey, generation, isLikelihood: input.type.startsWith('loglikelihood') }]
    }),
  }
}

/** Leaves of samples what comparisons of scores read. */
export async function* makeComparedDocs(samples: AsyncIterable<Sample>): AsyncGenerator<ComparedDoc> {
  for await (const sample of samples) yield makeComparedDoc(sample)
}

/** The first medium of a prompt's user messages. */
export function findFirstMedium(input: Pick<Input, 'messages'> | undefined): string | undefined {
  for (const { role, content } of input?.messages ?? []) {
    const part = role === 'user' ? content.find(one => one.type !== 'text') : undefined
    if (part !== undefined) return part.media
  }
  return undefined
}
