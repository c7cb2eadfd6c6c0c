import type { ChatMessage, ContentPart, Input, JudgeRecord, MediaPart } from '../records.js'
import type { ComparedDoc, Sample } from '../store.js'

/** Reduces a sample to the fields that comparisons of scores read. */
export function makeComparedDoc({ task, index, id, record, items, score }: Sample): ComparedDoc {
  const media = listQuestionMedia(items[0]?.request?.input.messages ?? [], record)
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

/** Reduces samples to the fields that comparisons of scores read. */
export async function* makeComparedDocs(samples: AsyncIterable<Sample>): AsyncGenerator<ComparedDoc> {
  for await (const sample of samples) yield makeComparedDoc(sample)
}

/** The part of a judge record that separates media of examples from media of the question. */
type ExampleCount = Pick<JudgeRecord, 'exampleMedia'>

/** Lists the parts of a prompt in which the doc's own question shows media. The media of few-shot examples come before them. */
export const listQuestionParts = (
  messages: readonly ChatMessage[],
  { exampleMedia = 0 }: ExampleCount,
): readonly MediaPart[] =>
  messages
    .filter(({ role }) => role !== 'system')
    .flatMap(({ content }) => content.filter(isMedium))
    .slice(exampleMedia)

/** Lists the digests of the media that a doc's own question shows, each once. */
const listQuestionMedia = (messages: readonly ChatMessage[], record: ExampleCount): readonly string[] => [
  ...new Set(listQuestionParts(messages, record).map(({ media }) => media)),
]

const isMedium = (part: ContentPart): part is MediaPart => part.type !== 'text'

/**
 * Lists the media of a question by the canonical text of its prompt.
 *
 * @param record the canonical text of the judge record, which is only parsed if it has media of examples
 */
export function readQuestionMedia(preimage: string, record: string | null): readonly string[] {
  const examples = record?.includes('"exampleMedia":') === true ? (JSON.parse(record) as ExampleCount) : {}
  return listQuestionMedia((JSON.parse(preimage) as Input).messages, examples)
}
