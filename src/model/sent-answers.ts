import { z } from 'zod'
import { SharedWork } from '../../base/collections/shared-work.js'
import { present } from '../../base/values/present.js'
import { without } from '../../base/values/without.js'
import { parseDigest, type CodeKey, type ResponseKey } from '../../cache/digest.js'
import { configKey, inputKey, responseKey } from '../../cache/keys.js'
import { isSampled } from '../../cache/facts/sampled.js'
import { nameSentAnswer } from '../../cache/facts/sent-answer.js'
import type { ModelIdentity } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { frameArgs } from '../../stages/model/backends/frames/frame-arguments.js'
import type { BatchClient } from '../../stages/model/batch/batch-client.js'
import type { Model, ModelAnswer, ModelRequest } from '../../stages/model/model.js'

/** The arguments that only decide which media are sent. The sent media identify the request. */
const showing: readonly string[] = [...Object.keys(frameArgs), 'audio_in_video', 'media']

interface SentAnswersParts {
  readonly store: {
    readonly requests: Pick<Store['requests'], 'answerOf'>
    readonly values: Pick<Store['values'], 'get' | 'set'>
  }
  readonly identity: ModelIdentity
  readonly code: CodeKey
  /** True if the model samples even at a temperature of 0. */
  readonly isSampling: boolean
  readonly note: (text: string) => void
}

const remembered = z.object({ response: z.string().transform(text => parseDigest<'response'>(text)) })

const sharedNote =
  'requests whose media come out as those of earlier requests take their answers, and are not sent   (docs/models/media.md)'

/** Finds answers by what requests send. */
interface SentRequests {
  /** Computes the key of what a request sends, and its own. */
  name(request: ModelRequest, sentRequest: ModelRequest): Record<'sent' | 'own', ResponseKey>
  findAnswer(keys: Record<'sent' | 'own', ResponseKey>): Promise<ModelAnswer | undefined>
  /** Notes which request sends this, if it is not the one of that key. */
  remember(keys: Record<'sent' | 'own', ResponseKey>): Promise<void>
}

function openSentRequests({ store, identity, code, note }: SentAnswersParts): SentRequests {
  const plain: ModelIdentity = { ...identity, args: without(identity.args, ...showing) }
  const computeKey = ({ input, generation, sample }: ModelRequest, by: ModelIdentity): ResponseKey =>
    responseKey({ input: inputKey(input).key, config: configKey(by, generation).key, code, sample })
  return {
    name: (request, sentRequest) => ({ sent: computeKey(sentRequest, plain), own: computeKey(request, identity) }),
    async findAnswer({ sent, own }) {
      const { response } = remembered.safeParse(await store.values.get(nameSentAnswer(sent))).data ?? {}
      // A request without these arguments has this key itself.
      for (const key of [sent, response]) {
        const storedAnswer = key === undefined || key === own ? undefined : await store.requests.answerOf(key)
        if (storedAnswer === undefined || !('body' in storedAnswer)) continue
        note(sharedNote)
        return { body: storedAnswer.body }
      }
      return undefined
    },
    async remember({ sent, own }) {
      if (sent !== own) await store.values.set(nameSentAnswer(sent), { response: own })
    },
  }
}

/**
 * Takes the answer of an earlier request that sent the same, such as one with other frame arguments and the same frames. The key of a request names the
 * medium and the arguments; this finds answers by the media that are sent. A value of the store leads from there to the request.
 */
export function sharingAnswers(model: Model, parts: SentAnswersParts): Model {
  const { showing: steps } = model
  const { identity, isSampling, note } = parts
  if (steps === undefined || isSampling) return model
  const requests = openSentRequests(parts)
  const inFlight = new Map<ResponseKey, { readonly own: ResponseKey; readonly work: SharedWork<ModelAnswer> }>()
  return {
    ...model,
    async answer(request, signal, ...others) {
      if (!isShared(request, identity)) return model.answer(request, signal, ...others)
      const sentRequest = await steps.show(request, signal)
      const keys = requests.name(request, sentRequest)
      const { sent, own } = keys
      const storedAnswer = await requests.findAnswer(keys)
      if (storedAnswer !== undefined) return storedAnswer
      const flight = inFlight.get(sent)
      // Another attempt at the same request is a hedge, which is meant to be sent.
      if (flight !== undefined && flight.own !== own) {
        note(sharedNote)
        const { body, media } = await flight.work.join(signal)
        return { body, ...present({ media }) }
      }
      const land = (): void => void inFlight.delete(sent)
      const work = new SharedWork(stopped => steps.send(sentRequest, stopped, ...others).finally(land), land)
      if (flight === undefined) inFlight.set(sent, { own, work })
      const answer = await work.join(signal)
      await requests.remember(keys)
      return answer
    },
  }
}

/** Lets requests of batches take the answers of requests that sent the same. */
export function sharingBatches(client: BatchClient, parts: SentAnswersParts): BatchClient {
  const show = client.show?.bind(client)
  if (show === undefined || parts.isSampling) return client
  const requests = openSentRequests(parts)
  return {
    ...client,
    async findAlike(request) {
      if (!isShared(request, parts.identity)) return undefined
      const keys = requests.name(request, await show(request))
      const answer = await requests.findAnswer(keys)
      return { sent: keys.sent, ...present({ answer }), remember: () => requests.remember(keys) }
    },
  }
}

/** Sampled answers of two docs are two draws, even if both docs show the same. */
const isShared = ({ input, generation }: ModelRequest, identity: ModelIdentity): boolean =>
  input.type === 'generate_until' &&
  !isSampled(generation, identity) &&
  input.messages.some(({ content }) => content.some(({ type }) => type !== 'text'))
