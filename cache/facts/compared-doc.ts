import type { ComparedDoc, Sample } from '../store.js'

/** Leaves of a sample what comparisons of scores read. */
export function makeComparedDoc({ task, index, id, record, items, score }: Sample): ComparedDoc {
  const content = items[0]?.request?.input.messages.flatMap(message => message.content) ?? []
  const shown = content.findLast(part => part.type !== 'text')
  const medium = shown?.media
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

/**
 * Finds the last medium of a prompt in its canonical text, in which no quoted text can hold the mark of a medium. Media of
 * few-shot examples come before those of the doc.
 */
export function findLastMedium(text: string): string | undefined {
  const mark = '"media":"'
  const at = text.lastIndexOf(mark)
  if (at < 0) return undefined
  const start = at + mark.length
  return text.slice(start, text.indexOf('"', start))
}
