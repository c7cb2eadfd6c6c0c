import { makeLastingFile } from '../../cache/media/lasting-file.js'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { sha256, type MediaDigest } from '../../cache/digest.js'
import type { ContentPart, GenerationKwargs } from '../../cache/records.js'
import type { BatchDraft, BatchEntry, BatchClient, BatchResult } from '../../stages/model/batch/batch-client.js'
import type { AnyBackend } from '../../stages/model/define-backend.js'
import { AttemptError, type ModelAnswer, type ModelRequest } from '../../stages/model/model.js'
import { parseModelArgs } from '../../stages/model/model-args.js'
import { contextOf } from './backend-client.js'

export const signal: AbortSignal = new AbortController().signal

export interface OpenedLane {
  readonly lane: BatchClient
  /** Sends the request without a batch. The answer has the model that the server names. */
  readonly alone: (request: ModelRequest) => Promise<ModelAnswer>
  readonly addMedium: (bytes: Uint8Array) => Promise<MediaDigest>
  readonly damage: (digest: MediaDigest) => Promise<void>
}

/** Opens a backend and its batch API with a media folder of their own. They are closed when the test ends. */
export async function openLane(
  backend: AnyBackend,
  args: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>>,
): Promise<OpenedLane> {
  const folder = await mkdtemp(join(tmpdir(), 'batch-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const mediaPath = (digest: MediaDigest) => join(folder, digest.slice(7))
  const context = {
    ...contextOf(env),
    openMediaFile: (digest: MediaDigest) => Promise.resolve(makeLastingFile(mediaPath(digest))),
  }
  const parsed = parseModelArgs(backend, args)
  const lane = await backend.batch!.open(parsed, context)
  const model = await backend.open(parsed, context)
  onTestFinished(async () => {
    await lane.close()
    await model.close?.()
  })
  return {
    lane,
    async alone(request) {
      let served: string | undefined
      const answer = await model.answer(request, signal, progress => {
        if (progress.type === 'served') served = progress.model
      })
      return { ...answer, ...(served !== undefined && { served }) }
    },
    async addMedium(bytes) {
      const digest = sha256<'media'>(bytes)
      await writeFile(mediaPath(digest), bytes)
      return digest
    },
    damage: digest => writeFile(mediaPath(digest), Buffer.from('\x89PNG\r\n\x1a\ndamaged', 'latin1')),
  }
}

export function requestOf(said: string | readonly ContentPart[], generation: GenerationKwargs = {}): ModelRequest {
  const content: readonly ContentPart[] = typeof said === 'string' ? [{ type: 'text', text: said }] : said
  return { input: { type: 'generate_until', messages: [{ role: 'user', content }] }, generation, sample: 0 }
}

export const batchName = '0123456789ab'

/** Makes entries of a batch from requests, with numbered ids. */
export const entriesOf = (requests: readonly ModelRequest[]): readonly BatchEntry[] =>
  requests.map((request, index) => ({ id: `${batchName}-${String(index).padStart(48, '0')}`, request }))

export function draftOf(requests: readonly ModelRequest[]): BatchDraft {
  const entries = entriesOf(requests)
  return {
    name: batchName,
    requests: entries.length,
    async *entries() {
      for (const entry of entries) yield await Promise.resolve(entry)
    },
  }
}

/** Submits requests. @returns the provider's name for the batch */
export const submit = async (lane: BatchClient, requests: readonly ModelRequest[]): Promise<string> =>
  lane.submit(draftOf(requests), await lane.upload?.(draftOf(requests), signal), signal)

/** Returns the outcome of each request, in the order of the requests. */
export async function outcomesOf(
  lane: BatchClient,
  id: string,
  requests: readonly ModelRequest[],
): Promise<readonly (ModelAnswer | AttemptError | undefined)[]> {
  const results = new Map<string, BatchResult>()
  for await (const result of lane.results(id, signal)) results.set(result.id, result)
  return entriesOf(requests).map(({ id: entry, request }) => {
    try {
      return results.get(entry)?.read(request)
    } catch (error) {
      expect(error).toBeInstanceOf(AttemptError)
      return error as AttemptError
    }
  })
}

export const failure = async (work: Promise<unknown>): Promise<unknown> => work.catch((reason: unknown) => reason)
