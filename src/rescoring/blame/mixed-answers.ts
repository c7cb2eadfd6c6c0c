/** Answers to requests that mix the prompt, the parameters and the model of two runs, where the store has them. */
import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import { answerDigest } from '../../../cache/keys.js'
import type { Answer, Run } from '../../../cache/records.js'
import { requestKeys } from '../../../cache/request-keys.js'
import type { Sample, Store } from '../../../cache/store.js'

/** The parts of a request in which two runs may differ. */
export const requestParts = ['model', 'prompt', 'parameters'] as const
export type RequestPart = (typeof requestParts)[number]

/** A doc with a score in both runs. */
export interface SampledPair {
  readonly id: string
  readonly a: Sample
  readonly b: Sample
}

/** Lists the parts in which the requests of two runs differ. */
export function listDifferingParts(a: Run, b: Run, docs: readonly SampledPair[]): readonly RequestPart[] {
  const identify = ({ asked: { model, code, codes } }: Run): string =>
    canonicalJson([model, code, codes ?? null] as unknown as Json)
  const differs = (read: (sample: Sample) => Json): boolean =>
    docs.some(doc => canonicalJson(read(doc.a)) !== canonicalJson(read(doc.b)))
  return requestParts.filter(part => {
    if (part === 'model') return identify(a) !== identify(b)
    return part === 'prompt' ? differs(listInputs) : differs(listGenerations)
  })
}

const listInputs = ({ items }: Sample): Json => items.map(({ request }) => request?.inputKey ?? null)
const listGenerations = ({ items }: Sample): Json => items.map(({ request }) => (request?.generation ?? null) as Json)

/** Tells whether the runs have different answers to equal requests, such as new samples. */
export const haveOtherSamples = (docs: readonly SampledPair[]): boolean =>
  docs.some(({ a, b }) => a.items.some(({ request }, index) => request?.key !== b.items[index]?.request?.key))

/** Reads the answers of a doc. Undefined if one of its requests has no answer. */
export function readAnswers({ items }: Sample): readonly Answer[] | undefined {
  const answers = items.flatMap(({ choice, sample, request, response }) =>
    request === undefined || response === undefined
      ? []
      : [{ choice, sample, key: request.key, digest: answerDigest(response.body).key, body: response.body }],
  )
  return answers.length === items.length ? answers : undefined
}

/**
 * Returns a function that finds the answers to a doc's mixed requests. It gives undefined if the store lacks one.
 *
 * @param model the run whose model is asked
 */
export function findMixedAnswers(
  store: Store,
  model: Run,
): (prompt: Sample, parameters: Sample) => Promise<readonly Answer[] | undefined> {
  const computeKeys = requestKeys(model.asked)
  return async (prompt, parameters) => {
    const answers: Answer[] = []
    for (const [index, { choice, sample, request }] of prompt.items.entries()) {
      const generation = (parameters.items[index] ?? parameters.items[0])?.request?.generation
      if (request === undefined || generation === undefined) return undefined
      const { response: key } = computeKeys({ input: request.input, generation, sample })
      const found = await store.requests.answerOf(key)
      if (found === undefined || !('body' in found)) return undefined
      answers.push({ choice, sample, key, digest: answerDigest(found.body).key, body: found.body })
    }
    return answers
  }
}
