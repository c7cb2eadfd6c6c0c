import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { MediaDigest } from '../../../cache/digest.js'
import type { CodeRevision } from '../../../cache/records.js'
import { anthropic } from './anthropic-cases.js'
import type { CorpusCase } from './cases.js'
import { gemini } from './gemini-cases.js'
import { corpusMedia } from './inputs.js'
import { dummy, localMedia, onnxVlm } from './local-cases.js'
import { openaiLoglikelihoods } from './loglikelihood-cases.js'
import { ollama } from './ollama-cases.js'
import { openaiChat } from './openai-chat-cases.js'
import { openaiCompletions } from './openai-completions-cases.js'
import { openaiResponses } from './openai-responses-cases.js'
import type { Outcome } from './replay.js'

/** The cases for the code of one revision. */
export interface Family {
  readonly cases: () => readonly CorpusCase[] | Promise<readonly CorpusCase[]>
  /** @default small files of each kind */
  readonly media?: () => Promise<ReadonlyMap<MediaDigest, Uint8Array>>
  /** The backends whose arguments are varied. Presets and engines have the arguments of their protocol. */
  readonly backends: readonly string[]
  /** Arguments without effect on requests of this code, with the reason. */
  readonly idle?: Readonly<Record<string, string>>
}

const converting = { media: 'it is about formats that the API does not take, of which there are none here' }
const silent = { audio_in_video: 'the stand-in for ffmpeg makes no sound, and real videos have tests of their own' }
const named = { model_version: 'it names what answers, in keys alone' }
const scoringOnly = {
  prompt_format: 'it is about log-likelihoods, which have a family of their own',
  prefix_text: 'it is about log-likelihoods, which have a family of their own',
}
const writingOnly = Object.fromEntries(
  [
    ...['detail', 'reasoning_effort', 'max_tokens_field', 'seed_field', 'dialect', 'media_as', 'modalities'],
    ...['message_format', 'nframes', 'fps', 'max_frames', 'min_pixels', 'max_pixels', 'frame_times', 'audio_in_video'],
  ].map(name => [name, 'it is about written answers, which have a family of their own']),
)

/** Families by the name of the revision. */
export const families: Readonly<Record<string, Family>> = {
  anthropic: { cases: anthropic, backends: ['anthropic'], idle: { ...named, ...converting } },
  dummy: { cases: dummy, backends: ['dummy'] },
  gemini: { cases: gemini, backends: ['gemini'], idle: { ...named, ...converting } },
  ollama: {
    cases: ollama,
    backends: ['ollama'],
    idle: { ...named, ...converting },
  },
  onnx_vlm: {
    cases: onnxVlm,
    media: localMedia,
    backends: ['onnx_vlm'],
    idle: { model: 'the digests of its files are part of who answers' },
  },
  openai_chat: {
    cases: openaiChat,
    backends: ['openai', 'azure_openai'],
    idle: { ...named, ...scoringOnly, ...converting, ...silent },
  },
  openai_completions: { cases: openaiCompletions, backends: ['openai_completions'], idle: named },
  openai_loglikelihood: {
    cases: openaiLoglikelihoods,
    backends: ['openai'],
    idle: { ...named, ...writingOnly, ...converting },
  },
  openai_responses: {
    cases: openaiResponses,
    backends: ['openai_responses'],
    idle: { ...named, ...converting },
  },
}

export const mediaOf = async ({ media }: Family): Promise<ReadonlyMap<MediaDigest, Uint8Array>> =>
  media === undefined ? corpusMedia : media()

/** A recorded case with its input and outcome. */
export interface Recorded {
  readonly case: CorpusCase
  readonly outcome: Outcome
}

export interface Corpus {
  readonly revision: CodeRevision
  readonly recorded: readonly Recorded[]
}

export const corpusFile = (name: string): string =>
  fileURLToPath(new URL(`../../golden/backends/${name}.jsonl.gz`, import.meta.url))

/** Reads a family's file: the revision, then one line per case. */
export function readCorpus(name: string): Corpus {
  const [head = '{}', ...lines] = gunzipSync(readFileSync(corpusFile(name)))
    .toString('utf8')
    .trimEnd()
    .split('\n')
  return { revision: JSON.parse(head) as CodeRevision, recorded: lines.map(line => JSON.parse(line) as Recorded) }
}

export function writeCorpus({ revision, recorded }: Corpus): void {
  const lines = [revision, ...recorded].map(value => JSON.stringify(value))
  writeFileSync(corpusFile(revision.name), gzipSync(`${lines.join('\n')}\n`, { level: 9 }))
}

/** Makes a recorded case. Its replies replace the function that computed them. */
export function recordedCase(one: CorpusCase, { replies, ...outcome }: Outcome): Recorded {
  return { case: { ...one, replies: replies ?? (typeof one.replies === 'function' ? [] : one.replies) }, outcome }
}
