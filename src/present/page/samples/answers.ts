import { present } from '../../../../base/values/present.js'
import { knownDuration } from '../../../../cache/facts/known-duration.js'
import type { ResponseMeta, Run } from '../../../../cache/records.js'
import type { StoredAnswer } from '../../../../cache/store.js'
import { isAskedBy } from '../../../../stages/model/stats/stats-collector.js'
import type { ItemWithRounds } from '../../../model/kept-conversations.js'
import type { AnswerView, ItemView, MessageView } from '../data/index.js'
import { mediaView, messageViews } from './messages.js'
import { boundedText, cutText } from './texts.js'
import type { ShownMedia } from './media-refs.js'

/** Makes the view of an answer with its origin. `isFromStore` means that the run reused a stored answer. */
export async function answerView(
  mediaStore: ShownMedia,
  run: Pick<Run, 'id' | 'createdAt'>,
  { body, meta }: StoredAnswer,
): Promise<AnswerView> {
  const media = await Promise.all(
    (body.content ?? []).flatMap(part => (part.type === 'text' ? [] : [mediaView(mediaStore, part)])),
  )
  const { reasoning, logprob, isGreedy, finishReason, rawFinishReason } = body
  const { usage, timing = {}, attempts, answeredAt } = meta
  const durationMs = knownDuration(meta)
  const { firstTokenMs, queueMs } = timing
  return {
    ...boundedText(body.text),
    ...(media.length > 0 && { media }),
    ...(reasoning !== undefined && { reasoning: cutText(reasoning) }),
    finishReason: finishReason === 'unknown' ? (rawFinishReason ?? finishReason) : finishReason,
    ...(logprob !== undefined && { logprob }),
    ...(isGreedy !== undefined && { isGreedy }),
    ...(usage !== undefined && { usage }),
    ...(durationMs !== undefined && { durationMs }),
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(queueMs !== undefined && { queueMs }),
    attempts,
    answeredAt: new Date(answeredAt).toISOString(),
    isFromStore: !isAskedBy(run, meta),
  }
}

function addTimes(message: MessageView, meta: ResponseMeta | undefined): MessageView {
  if (meta === undefined) return message
  return { ...message, ...present({ durationMs: knownDuration(meta), outputTokens: meta.usage?.outputTokens }) }
}

/** One request of a doc with its rounds and its answer. */
export async function itemView(
  media: ShownMedia,
  run: Pick<Run, 'id' | 'createdAt'>,
  { choice, sample, request, response, failure, transcript = [], turnMetas = [] }: ItemWithRounds,
): Promise<ItemView> {
  const input = request?.input
  // The last message of an answer's transcript is the answer itself.
  const rounds = response?.body.transcript?.slice(0, -1) ?? transcript
  return {
    choice,
    sample,
    ...(request && { key: request.key }),
    ...(input && { type: input.type }),
    messages: await messageViews(media, input?.messages ?? []),
    ...(input?.continuation !== undefined && { continuation: cutText(input.continuation) }),
    ...(input?.tools && { tools: input.tools.map(tool => ({ ...tool })) }),
    generation: request?.generation ?? {},
    ...(response && { answer: await answerView(media, run, response) }),
    ...(failure && { failure }),
    transcript: (await messageViews(media, rounds)).map((message, at) => addTimes(message, turnMetas[at])),
  }
}
