import type { ChatMessage, ContentPart, Input, MediaPart } from '../records.js'
import type { ComparedDoc, Sample } from '../store.js'

/** Leaves of a sample what comparisons of scores read. */
export function makeComparedDoc({ task, index, id, record, items, score }: Sample): ComparedDoc {
  const media = listQuestionMedia(items[0]?.request?.input.messages ?? [])
  return {
    ...{ task, index, id, record },
    ...(score !== undefined && { score }),
    ...(media.length > 0 && { media }),
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
 * Lists the digests of the media that a doc's own question shows, each once: those that stand together last in its prompt. Media of few-shot examples
 * are before them, and the text of the example is between.
 */
export function listQuestionMedia(messages: readonly ChatMessage[]): readonly string[] {
  const content = messages.findLast(message => message.content.some(isMedium))?.content ?? []
  const last = content.findLastIndex(isMedium)
  const before = content.slice(0, last).findLastIndex(part => !isMedium(part))
  return [...new Set(content.slice(before + 1, last + 1).flatMap(part => (isMedium(part) ? [part.media] : [])))]
}

const isMedium = (part: ContentPart): part is MediaPart => part.type !== 'text'

/** Lists the media of a question by the canonical text of its prompt. */
export const readQuestionMedia = (preimage: string): readonly string[] =>
  listQuestionMedia((JSON.parse(preimage) as Input).messages)
