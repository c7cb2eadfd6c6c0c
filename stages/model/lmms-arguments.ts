import { emptyTable, ownValue } from '../../base/values/named-values.js'
import { z } from 'zod'
import type { Json } from '../../base/values/canonical-json.js'
import type { JsonObject } from '../../cache/records.js'
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { coerceArgument } from './model-args.js'
import type { AnyBackend } from './define-backend.js'

type RawArguments = Readonly<Record<string, unknown>>

/** Arguments translated to a backend's own names, and those that have no effect here. */
export interface Translated {
  readonly args: RawArguments
  /** Names the arguments that were left out. */
  readonly note?: string
  /** A text, or the path of one, that is put before each conversation. */
  readonly systemPrompt?: string
  /** Set if requests must not be grouped by their prefixes. */
  readonly order?: 'none'
  /** Sampling parameters, which are generation kwargs here. */
  readonly generation?: JsonObject
}

/** Sampling parameters that models of lmms-eval and lm-evaluation-harness take as their arguments. */
const sampling: ReadonlySet<string> = new Set([
  ...['max_new_tokens', 'max_gen_toks', 'temperature', 'top_p', 'top_k', 'min_p', 'do_sample'],
  ...['repetition_penalty', 'presence_penalty', 'frequency_penalty'],
])

/** Translates an argument. Result names that the backend does not know are dropped. */
type Translate = (value: unknown, others: RawArguments, id: string) => RawArguments

const as =
  (name: string): Translate =>
  value => ({ [name]: value })

const isTrue = (value: unknown): boolean => value === true || /^(1|true|yes|on)$/i.test(String(value))

/** Tells whether lmms-eval's `openai` would choose frames by their rate. */
const isByRate = (lmmsArgs: RawArguments): boolean => 'fps' in lmmsArgs || 'video_fps' in lmmsArgs

/**
 * The frame sizes of lmms-eval's models without such an argument: qwen-vl-utils' 128 to 768 patches of 28 by 28 pixels.
 * Its `claude` sends frames unchanged, which cannot be expressed here.
 */
const frameSizes = (lmmsArgs: RawArguments, id: string): RawArguments =>
  id === 'anthropic' ? {} : { min_pixels: 128 * 28 * 28, max_pixels: 768 * 28 * 28, ...sizesIn(lmmsArgs) }

const sizesIn = (lmmsArgs: RawArguments): RawArguments =>
  Object.fromEntries(Object.entries(lmmsArgs).filter(([name]) => name === 'min_pixels' || name === 'max_pixels'))

/** Computes the number of frames that qwen-vl-utils uses, which is even. An odd number becomes an even number of pairs. */
function inPairs(value: unknown, id: string): unknown {
  const wanted = Number(value)
  if (id === 'anthropic' || !Number.isInteger(wanted) || wanted % 2 === 0) return value
  const pairs = Math.floor(wanted / 2)
  return String(Math.max(2, 2 * (pairs + (pairs % 2))))
}

/** Arguments of lmms-eval's models that have another name here. */
const otherwise: Readonly<Record<string, Translate>> = {
  model_version: as('model'),
  pretrained: as('model'),
  num_cpus: as('num_concurrent'),
  video_fps: (value, lmmsArgs, id) => ({ fps: value, ...frameSizes(lmmsArgs, id) }),
  max_frames_num: (value, lmmsArgs, id) =>
    isByRate(lmmsArgs) ? { max_frames: value } : { nframes: inPairs(value, id), ...frameSizes(lmmsArgs, id) },
  max_frame_num: as('max_frames'),
  is_qwen3_vl: value => (isTrue(value) ? { message_format: 'qwen3_vl' } : {}),
  httpx_trust_env: value => (isTrue(value) ? {} : { proxy: 'none' }),
  enable_thinking_kwarg: (value, { extra_body: body }) =>
    String(value) === 'None' ? {} : { extra_body: withThinking(body, isTrue(value)) },
}

function withThinking(body: unknown, thinks: boolean): unknown {
  const parsed = z
    .record(z.string(), z.unknown())
    .safeParse(coerceArgument(z.record(z.string(), z.unknown()), body ?? {}))
  // An invalid value is rejected under its own name.
  return parsed.success ? { ...parsed.data, chat_template_kwargs: { enable_thinking: thinks } } : body
}

const byAnswers = 'how many requests are in flight follows the answers a second and the rate limits, and no such figure'
const whatTasksShow = 'what is shown is what a task shows'
const wholeVideos = 'videos are sent whole'
const elsewhere = 'the model is loaded by its server'
const ofServer = 'texts are sent, and the server makes tokens of them'
const sentWhole = 'prompts are sent whole'

/** Arguments of lmms-eval's and lm-evaluation-harness's models that have no effect, with the reason. */
const unused: Readonly<Record<string, string>> = {
  adaptive_target_latency_s: byAnswers,
  adaptive_increase_step: byAnswers,
  adaptive_decrease_factor: byAnswers,
  adaptive_failure_threshold: byAnswers,
  prefix_hash_chars: 'requests go together by the whole of what they begin with',
  batch_size: 'requests are sent one by one',
  max_size_in_mb: 'pictures are sent as their original bytes',
  pass_video_url: 'videos are sent as video_url anyway; media_as=url gives their address instead of their bytes',
  max_frames_num: wholeVideos,
  video_fps: wholeVideos,
  work_dir: 'media for tools are files of the store',
  tmp_folder: 'media are files of the store',
  modality: whatTasksShow,
  image_token: whatTasksShow,
  interleave: 'media stand where the task puts them',
  image_first: 'media stand where the task puts them',
  disable_log_stats: 'figures are of requests as they are sent here',
  device: elsewhere,
  device_map: elsewhere,
  attn_implementation: elsewhere,
  use_flash_attention_2: elsewhere,
  tokenizer: ofServer,
  tokenizer_backend: ofServer,
  tokenized_requests: ofServer,
  trust_remote_code: ofServer,
  add_bos_token: ofServer,
  eos_string: 'the server ends answers at its own token',
  max_length: sentWhole,
  truncate: sentWhole,
  seed: `${option('genKwargs', { seed: '…' })} sends one`,
}

/**
 * Translates arguments with lmms-eval's names that the backend does not know. They become arguments of the backend, or are dropped with a note.
 * Unknown names stay, to be rejected.
 *
 * Sources: the constructors in lmms-eval 0.7.2, models/simple and models/chat (openai, async_openai, gemini, claude, vllm, sglang), and of
 * `TemplateAPI` in lm-evaluation-harness 0.4.9 (lm_eval/models/api_models.py).
 *
 * @param takesSampling whether sampling parameters become generation kwargs. For a judge model they stay, to be rejected
 * @throws PipelineError for arguments that must be written in another way
 */
export function fromLmms(
  { id, args: declaredArgs, gathers }: Pick<AnyBackend, 'id' | 'args' | 'gathers'>,
  lmmsArgs: RawArguments,
  { takesSampling = true }: { readonly takesSampling?: boolean } = {},
): Translated {
  // Such a backend passes arguments of lmms-eval to its models.
  if (gathers !== undefined) return { args: lmmsArgs }
  const own = Object.fromEntries(Object.entries(lmmsArgs).filter(([name]) => isOwn(name, lmmsArgs, declaredArgs)))
  const { azure_openai: azure, prefix_aware_queue: isGrouped, system_prompt: system, ...otherArgs } = lmmsArgs
  if (!('azure_openai' in declaredArgs)) refuseAzure(id, azure)
  const args = Object.assign(emptyTable<unknown>(), own)
  const idle = new Map<string, string[]>()
  const leaveOut = (name: string, why: string): unknown => idle.set(why, [...(idle.get(why) ?? []), name])
  const generation = emptyTable<Json>()
  for (const [name, value] of Object.entries(otherArgs).filter(([other]) => !Object.hasOwn(own, other))) {
    if (takesSampling && sampling.has(name)) {
      generation[name] = typedValue(value)
      continue
    }
    const said = ownValue(otherwise, name)?.(value, lmmsArgs, id)
    const why = ownValue(unused, name)
    const words = Object.keys(said ?? {})
    const twice = words.find(word => word in own && !mayBeBoth.has(word))
    if (said !== undefined && words.every(word => word in declaredArgs)) {
      if (twice === undefined) Object.assign(args, said)
      else leaveOut(name, `${twice} is given, too`)
    } else if (why === undefined) args[name] = value
    else leaveOut(name, why)
  }
  const isUngrouped = isGrouped !== undefined && !('prefix_aware_queue' in declaredArgs) && !isTrue(isGrouped)
  const sampled = Object.keys(generation)
  const notes = [
    ...(idle.size === 0 ? [] : [formatIdleNote(id, idle)]),
    ...(sampled.length === 0
      ? []
      : [`model ${id}: ${sampled.join(', ')}: used as ${option('genKwargs')}, before what tasks set`]),
  ]
  return {
    args,
    ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
    ...(sampled.length === 0 ? {} : { generation }),
    ...(typeof system === 'string' && system !== '' && !('system_prompt' in declaredArgs)
      ? { systemPrompt: system }
      : {}),
    ...(isUngrouped ? { order: 'none' } : {}),
  }
}

/** A number or a truth value that the command line has as text. */
function typedValue(value: unknown): Json {
  if (typeof value !== 'string') return value as Json
  if (/^(true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value
}

/** Arguments that may be given together with a translation to them, because the two are merged. */
const mayBeBoth: ReadonlySet<string> = new Set(['extra_body', 'min_pixels', 'max_pixels'])

/** Tells whether an argument has the backend's own meaning. In lmms-eval, `model_version` without `model` names the model. */
const isOwn = (name: string, lmmsArgs: RawArguments, declaredArgs: RawArguments): boolean =>
  name in declaredArgs && !(name === 'model_version' && !('model' in lmmsArgs) && 'model' in declaredArgs)

const formatIdleNote = (id: string, idle: ReadonlyMap<string, readonly string[]>): string =>
  `model ${id}: no effect here: ${[...idle].map(([why, names]) => `${names.join(', ')} (${why})`).join(', ')}`

function refuseAzure(id: string, value: unknown): void {
  if (!isTrue(value)) return
  throw new PipelineError(
    'config',
    `model ${id}, argument "azure_openai": give ${option('model', 'azure_openai')} instead`,
    { reason: 'argument-replaced', data: { model: id, argument: 'azure_openai' } },
  )
}
