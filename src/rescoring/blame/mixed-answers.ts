/** Answers to requests that mix the prompt, the parameters and the model of two runs, where the store has them. */
import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import { answerDigest } from '../../../cache/keys.js'
import type { Answer, ResponseMeta, Run } from '../../../cache/records.js'
import { requestKeys } from '../../../cache/request-keys.js'
import type { OpenedRun, Sample, Store } from '../../../cache/store.js'
import { chooseSide, isEnd, listMixtures } from './mixtures.js'

/** The parts of a request in which two runs may differ. */
const requestParts = ['model', 'prompt', 'parameters'] as const
type RequestPart = (typeof requestParts)[number]

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
const haveOtherSamples = (docs: readonly SampledPair[]): boolean =>
  docs.some(({ a, b }) => a.items.some(({ request }, index) => request?.key !== b.items[index]?.request?.key))

/** An answer with what is stored of the attempt that gave it, which some rules score. */
export interface MixedAnswer extends Omit<Answer, 'attempt'> {
  readonly meta: ResponseMeta
}

/** Reads the answers of a doc. Undefined if one of its requests has no answer. */
export function readAnswers({ items }: Sample): readonly MixedAnswer[] | undefined {
  const answers = items.flatMap(({ choice, sample, request, response }) =>
    request === undefined || response === undefined
      ? []
      : [{ choice, sample, key: request.key, digest: answerDigest(response.body).key, ...response }],
  )
  return answers.length === items.length ? answers : undefined
}

/**
 * Returns a function that finds the answers to a doc's mixed requests. It gives undefined if the store lacks one.
 *
 * @param model the run whose model is asked
 */
function findMixedAnswers(
  store: Store,
  model: Run,
): (prompt: Sample, parameters: Sample) => Promise<readonly MixedAnswer[] | undefined> {
  const computeKeys = requestKeys(model.asked)
  return async (prompt, parameters) => {
    const answers: MixedAnswer[] = []
    for (const [index, { choice, sample, request }] of prompt.items.entries()) {
      const generation = (parameters.items[index] ?? parameters.items[0])?.request?.generation
      if (request === undefined || generation === undefined) return undefined
      const { response: key } = computeKeys({ input: request.input, generation, sample })
      const answer = await store.requests.answerOf(key)
      if (answer === undefined || !('body' in answer)) return undefined
      answers.push({ choice, sample, key, digest: answerDigest(answer.body).key, ...answer })
    }
    return answers
  }
}

/** Gives the answers of a doc in a mixture. Undefined if there are none. */
export type FindAnswers = (doc: SampledPair, mixture: string) => readonly MixedAnswer[] | undefined

/** The factors of the answers, which come first among all factors. */
export interface MixedAnswers {
  readonly factors: readonly string[]
  readonly find: FindAnswers
  /** Docs for which the store lacks an answer to a mixed request. */
  readonly missing: number
}

/** Looks up the answers to all mixed requests. Parts for which one is missing are one factor. */
export async function mixAnswers(
  store: Store,
  { a, b, docs }: { readonly a: OpenedRun; readonly b: OpenedRun; readonly docs: readonly SampledPair[] },
  parts: readonly string[],
): Promise<MixedAnswers> {
  const ends: FindAnswers = (doc, mixture) => readAnswers(mixture.startsWith('B') ? doc.b : doc.a)
  if (parts.length === 0) return { factors: haveOtherSamples(docs) ? ['samples'] : [], find: ends, missing: 0 }
  if (parts.length === 1) return { factors: parts, find: ends, missing: 0 }
  const mixed = new Map<string, ReadonlyMap<string, readonly MixedAnswer[]>>()
  const finders = { A: findMixedAnswers(store, a.run), B: findMixedAnswers(store, b.run) }
  let missing = 0
  for (const doc of docs) {
    const own = new Map<string, readonly MixedAnswer[]>()
    for (const mixture of listMixtures(parts.length)) {
      const [model, prompt, parameters] = requestParts.map(part => chooseSide(part, parts, mixture))
      const find = finders[model === 'B' ? 'B' : 'A']
      const answers = isEnd(mixture)
        ? ends(doc, mixture)
        : await find(prompt === 'B' ? doc.b : doc.a, parameters === 'B' ? doc.b : doc.a)
      if (answers !== undefined) own.set(mixture, answers)
    }
    if (own.size < 2 ** parts.length) missing += 1
    mixed.set(doc.id, own)
  }
  if (missing > 0) return { factors: [parts.join(' + ')], find: ends, missing }
  return { factors: parts, find: (doc, mixture) => mixed.get(doc.id)?.get(mixture.slice(0, parts.length)), missing }
}
