/**
 * The content addresses. One file, so that a reader sees at once what is in a key and what is not.
 *
 * A field is in a key if and only if it can change what the key addresses. Not in any of these: doc id, task name, run,
 * API key, concurrency, retries, time. A new optional field must be left out while it has the value it had before it
 * existed (see {@link generationPreimage}); its default is then frozen for ever.
 */
import { canonicalJson, type Json } from '../base/values/canonical-json.js'
import {
  sha256,
  type AnswerDigest,
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

/** A key and the text that it is the digest of, stored beside it so that the key can be explained. */
export interface Keyed<K> {
  readonly key: K
  readonly preimage: string
}

function keyed<K extends `sha256:${string}`>(value: object): Keyed<K> {
  // Interfaces have no index signature; that they hold JSON alone is said in records.ts.
  const preimage = canonicalJson(value as Json)
  return { key: sha256(preimage) as string as K, preimage }
}

/** What is shown to a model. Media are in it by digest and derivation, never by name or place. */
export const inputKey = (input: Input): Keyed<InputKey> => keyed({ ...input, v: 1 })

/** Which model, and how it generates. Log-likelihoods do not depend on generation kwargs. */
export function configKey(model: ModelIdentity, generation: GenerationKwargs): Keyed<ConfigKey> {
  return keyed({ v: 1, model, generation: generationPreimage(generation) })
}

/** The generation kwargs without those at the default that they had when they were introduced. Frozen for ever. */
function generationPreimage(generation: GenerationKwargs): JsonObject {
  const kept: Record<string, Json | undefined> = { ...generation }
  const frozen: JsonObject = { temperature: 0, do_sample: false, top_p: 1, num_beams: 1, repetition_penalty: 1 }
  for (const [name, value] of Object.entries(frozen)) if (kept[name] === value) kept[name] = undefined
  if (generation.until?.length === 0) kept['until'] = undefined
  return kept
}

/** The code that can change the output. */
export const codeKey = (manifest: CodeManifest): Keyed<CodeKey> => keyed({ ...manifest, v: 1 })

/** One answer to one input by one model: `sample` tells repeats apart. */
export const responseKey = (parts: {
  readonly input: InputKey
  readonly config: ConfigKey
  readonly code: CodeKey
  readonly sample: number
}): ResponseKey => sha256(responsePreimage(parts))

/** Spelled out instead of built by `canonicalJson`, since it is made for every request of a run. A test holds both equal. */
export const responsePreimage = (parts: {
  readonly input: InputKey
  readonly config: ConfigKey
  readonly code: CodeKey
  readonly sample: number
}): string =>
  `{"code":"${parts.code}","config":"${parts.config}","input":"${parts.input}","sample":${parts.sample},"v":1}`

export const answerDigest = (body: ResponseBody): Keyed<AnswerDigest> => keyed(body)

export const judgeRecordKey = (record: JudgeRecord): Keyed<RecordKey> => keyed({ ...record, v: 1 })

export const judgeConfigKey = (config: JsonObject): Keyed<JudgeConfigKey> => keyed({ ...config, v: 1 })

/** Answers by what they say, so that an answer that was computed anew is scored anew if it differs. */
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

/** A run is what was asked. */
export const runKey = (asked: RunSpec): Keyed<RunKey> => keyed({ ...asked, v: 1 })
