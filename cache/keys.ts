/**
 * Computes the content addresses of records. All keys are in this file, so that a reader sees which fields each key contains.
 *
 * A field is in a key if and only if it can change the content that the key addresses. These are in no key: doc id, task name, run, API key,
 * concurrency, retries, time. A new optional field must be left out while it has the value that applied before it existed (see {@link
 * generationPreimage}). That default is then frozen for ever.
 */
import { canonicalJson, type Json } from '../base/values/canonical-json.js'
import {
  sha256,
  type AnswerDigest,
  type AnswersKey,
  type CodeKey,
  type ConfigKey,
  type InputKey,
  type JudgeConfigKey,
  type RecordKey,
  type ResponseKey,
  type RunKey,
  type ScoreKey,
} from './digest.js'
import type {
  RunSpec,
  CodeManifest,
  GenerationKwargs,
  Input,
  JsonObject,
  JudgeRecord,
  ModelIdentity,
  ResponseBody,
} from './records.js'

/** A key with its preimage, which is stored beside it so that the key can be explained. */
export interface Keyed<K> {
  readonly key: K
  readonly preimage: string
}

function computeKey<K extends `sha256:${string}`>(value: object): Keyed<K> {
  // The cast is safe because records.ts holds only JSON: interfaces lack the index signature that `Json` needs.
  const preimage = canonicalJson(value as Json)
  return { key: sha256(preimage) as string as K, preimage }
}

/** Computes the key of a request's content. Media enter the key by digest and derivation, never by name or path. */
export const inputKey = (input: Input): Keyed<InputKey> => computeKey({ ...input, v: 1 })

/** Computes the key of a model with its generation kwargs. Log-likelihoods do not depend on generation kwargs. */
export function configKey(model: ModelIdentity, generation: GenerationKwargs): Keyed<ConfigKey> {
  return computeKey({ v: 1, model, generation: generationPreimage(generation) })
}

/** Leaves out generation kwargs that equal the default at their introduction. These defaults are frozen for ever. */
function generationPreimage(generation: GenerationKwargs): JsonObject {
  const kwargs: Record<string, Json | undefined> = { ...generation }
  const frozen: JsonObject = { temperature: 0, do_sample: false, top_p: 1, num_beams: 1, repetition_penalty: 1 }
  for (const [name, value] of Object.entries(frozen)) if (kwargs[name] === value) kwargs[name] = undefined
  if (generation.until?.length === 0) kwargs['until'] = undefined
  return kwargs
}

const codeKeys = new WeakMap<CodeManifest, Keyed<CodeKey>>()

/** Computes the key of the code that can change the output. The result is remembered for each manifest, because many tasks share one. */
export function codeKey(manifest: CodeManifest): Keyed<CodeKey> {
  const remembered = codeKeys.get(manifest)
  if (remembered !== undefined) return remembered
  const computed = computeKey<CodeKey>({ ...manifest, v: 1 })
  codeKeys.set(manifest, computed)
  return computed
}

/** Computes the key of one response of a model to an input. `sample` distinguishes repeats. */
export const responseKey = (parts: {
  readonly input: InputKey
  readonly config: ConfigKey
  readonly code: CodeKey
  readonly sample: number
}): ResponseKey => sha256(responsePreimage(parts))

/** Writes the preimage of a response key. It does not call `canonicalJson`, which is too slow for every request of a run. A test compares both. */
export const responsePreimage = (parts: {
  readonly input: InputKey
  readonly config: ConfigKey
  readonly code: CodeKey
  readonly sample: number
}): string =>
  `{"code":"${parts.code}","config":"${parts.config}","input":"${parts.input}","sample":${parts.sample},"v":1}`

/** Computes the digest of a response's body. */
export const answerDigest = (body: ResponseBody): Keyed<AnswerDigest> => computeKey(body)

/** Computes the key of a judge record. */
export const judgeRecordKey = (record: JudgeRecord): Keyed<RecordKey> => computeKey({ ...record, v: 1 })

/** Computes the key of a judgement's settings. */
export const judgeConfigKey = (config: JsonObject): Keyed<JudgeConfigKey> => computeKey({ ...config, v: 1 })

/** Computes the key of a doc's answers, in the order of choice, then sample. Human labels are stored under this key. */
export const answersKey = (answers: readonly AnswerDigest[]): AnswersKey => sha256(canonicalJson({ answers, v: 1 }))

/** Computes the key of a score. The key contains the answers' content, so a different answer gets a new score. */
export const scoreKey = (parts: {
  readonly answers: readonly AnswerDigest[]
  readonly record: RecordKey
  readonly config: JudgeConfigKey
  readonly scorer: CodeKey
}): ScoreKey => sha256(scorePreimage(parts))

export const scorePreimage = (parts: {
  readonly answers: readonly AnswerDigest[]
  readonly record: RecordKey
  readonly config: JudgeConfigKey
  readonly scorer: CodeKey
}): string =>
  `{"answers":[${parts.answers.map(answer => `"${answer}"`).join(',')}],"config":"${parts.config}","record":"${parts.record}","scorer":"${parts.scorer}","v":1}`

/** Computes the key of a run, which is the digest of its spec. */
export const runKey = (spec: RunSpec): Keyed<RunKey> => computeKey({ ...spec, v: 1 })
