/** The requests of one doc as a model would get them. */
import { open } from 'node:fs/promises'
import { PipelineError } from '../../base/errors/errors.js'
import { pictureHeadLength, pictureSize, type PictureSize } from '../../base/media/picture-size.js'
import type { Json } from '../../base/values/canonical-json.js'
import type { MediaDigest } from '../../cache/digest.js'
import type { Failure, GenerationKwargs, Input, MediaPart } from '../../cache/records.js'
import type { DraftDoc } from '../../cache/store.js'
import { readDrafts } from '../../stages/input/ingest.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { addRanges, estimateInput, noTokens, type TokenRange } from '../../stages/model/budget/estimate.js'
import { openTrialMedia } from './trial-media.js'

/** A medium of a prompt. */
export interface DocMedium extends Pick<MediaPart, 'type' | 'derive'> {
  readonly digest: MediaDigest
  readonly bytes: number
  /** The size of a picture in pixels, if its format says it. */
  readonly size?: PictureSize
}

/** One doc of a task with its requests. */
export interface DocRequest {
  readonly task: string
  readonly index: number
  readonly id: string
  readonly target: Json
  /** The first request, which differs from the others in its continuation or sample. Absent if none can be built. */
  readonly input?: Input
  readonly generation?: GenerationKwargs
  /** The continuations to compute log-likelihoods of. */
  readonly continuations: readonly string[]
  readonly requests: number
  readonly media: readonly DocMedium[]
  /** The estimated input tokens of all requests. Pictures count as for an unknown model. */
  readonly tokens: TokenRange
  readonly failure?: Failure
}

/**
 * Renders one doc of a task, with examples and media, as an evaluation would. Nothing is stored and nothing is sent.
 *
 * @param name the doc's id, or else its index
 * @throws PipelineError if the data cannot be read, or the task has no such doc
 */
export async function renderDocRequest(task: Task, name: string): Promise<DocRequest> {
  await using trial = await openTrialMedia()
  const { media: store } = trial
  const doc = await findDoc(task, name, store)
  const { index, id, record, requests } = doc
  const inputs = requests.flatMap(request => ('input' in request ? [request] : []))
  const [first] = inputs
  const failed = requests.find(request => 'failure' in request)
  const parts = new Map<string, MediaPart>()
  for (const { content } of first?.input.messages ?? [])
    for (const part of content) if (part.type !== 'text') parts.set(JSON.stringify([part.media, part.derive]), part)
  return {
    task: task.name,
    index,
    id,
    target: record.target,
    ...(first && { input: first.input, generation: first.generation }),
    continuations: inputs.flatMap(({ input }) => (input.continuation === undefined ? [] : [input.continuation])),
    requests: requests.length,
    media: await Promise.all([...parts.values()].map(part => measureMedium(part, store.locate(part.media)))),
    tokens: inputs.map(({ input }) => estimateInput(input)).reduce(addRanges, noTokens),
    ...(failed !== undefined && 'failure' in failed && { failure: failed.failure }),
  }
}

type TrialMedia = Awaited<ReturnType<typeof openTrialMedia>>['media']

async function findDoc(task: Task, name: string, media: TrialMedia): Promise<DraftDoc> {
  try {
    return await readDoc(task, name, media)
  } catch (error) {
    if (!(error instanceof PipelineError) || error.reason !== 'doc-unknown') throw error
    try {
      if (/^\d{1,9}$/.test(name)) return await readDoc(task, Number(name), media)
    } catch (inner) {
      if (!(inner instanceof PipelineError) || inner.reason !== 'doc-unknown') throw inner
    }
    const docs = JSON.stringify(error.data['docs'])
    throw new PipelineError('usage', `task ${task.name} has no doc "${name}"   (it has ${docs} docs)`)
  }
}

async function readDoc(task: Task, name: string | number, media: TrialMedia): Promise<DraftDoc> {
  const drafts = readDrafts({
    store: { media },
    task,
    selection: { samples: { '*': [name] } },
    drain: new AbortController().signal,
  })
  for await (const [doc] of drafts) if (doc !== undefined) return doc
  throw new PipelineError('usage', `task ${task.name} has no doc "${name}"`)
}

async function measureMedium({ type, derive, media: digest }: MediaPart, path: string): Promise<DocMedium> {
  const file = await open(path)
  try {
    const { size: bytes } = await file.stat()
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(pictureHeadLength), position: 0 })
    const size = type === 'image' ? pictureSize(buffer.subarray(0, bytesRead)) : undefined
    return { type, digest, bytes, ...(derive && { derive }), ...(size && { size }) }
  } finally {
    await file.close()
  }
}
