import { makeLastingFile } from '../../cache/media/lasting-file.js'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { sha256, type MediaDigest } from '../../cache/digest.js'
import type { ChatMessage, ContentPart, GenerationKwargs, Input } from '../../cache/records.js'
import type { AnyBackend, BackendContext } from '../../stages/model/define-backend.js'
import { AttemptError, type AttemptWatch, type ModelAnswer, type ModelRequest } from '../../stages/model/model.js'
import { parseModelArgs } from '../../stages/model/model-args.js'

type Said = string | readonly ContentPart[] | readonly ChatMessage[]

export interface AskedBackend {
  readonly ask: (said?: Said, generation?: GenerationKwargs) => Promise<ModelAnswer>
  /** Returns the answer to an input. */
  readonly answer: (input: Input) => Promise<ModelAnswer>
  /** The same, with a watch on the attempt. */
  readonly watched: (said: Said, watch: AttemptWatch) => Promise<ModelAnswer>
  /** Returns the failure of a request. The test fails if the request is answered. */
  readonly failure: (said?: Said, generation?: GenerationKwargs) => Promise<AttemptError>
  readonly addMedium: (bytes: Uint8Array) => Promise<MediaDigest>
  /** Returns the path of a medium's file. */
  readonly pathOf: (media: MediaDigest) => string
}

/** Opens a backend with these arguments and a media folder of its own. It is closed when the test ends. */
export async function askBackend(
  backend: AnyBackend,
  args: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
  context: Partial<BackendContext> = {},
): Promise<AskedBackend> {
  const folder = await mkdtemp(join(tmpdir(), 'backend-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const mediaPath = (digest: MediaDigest) => join(folder, digest.slice(7))
  const model = await backend.open(parseModelArgs(backend, args), {
    ...contextOf(env),
    openMediaFile: digest => Promise.resolve(makeLastingFile(mediaPath(digest))),
    ...context,
  })
  onTestFinished(() => model.close?.())
  const ask: AskedBackend['ask'] = (said = 'Hi', generation = {}) =>
    model.answer(requestOf(said, generation), new AbortController().signal)
  return {
    ask,
    answer: input => model.answer({ input, generation: {}, sample: 0 }, new AbortController().signal),
    watched: (said, watch) => model.answer(requestOf(said, {}), new AbortController().signal, watch),
    async failure(said, generation) {
      const error: unknown = await ask(said, generation).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(AttemptError)
      return error as AttemptError
    },
    pathOf: mediaPath,
    async addMedium(bytes) {
      const digest = sha256<'media'>(bytes)
      await writeFile(mediaPath(digest), bytes)
      return digest
    },
  }
}

/** The context of a backend that is only identified. */
export const contextOf = (env: Readonly<Record<string, string>>): BackendContext => ({
  env,
  readMedia: () => Promise.reject(new Error('streamed instead')),
  openMediaFile: () => Promise.resolve(makeLastingFile('')),
  fileDigest: () => Promise.reject(new Error('not needed')),
})

function requestOf(said: Said, generation: GenerationKwargs): ModelRequest {
  const parts: readonly (ContentPart | ChatMessage)[] = typeof said === 'string' ? [{ type: 'text', text: said }] : said
  const messages = parts.filter((part): part is ChatMessage => 'role' in part)
  const content = parts.filter((part): part is ContentPart => !('role' in part))
  const turns: readonly ChatMessage[] = content.length === 0 ? messages : [{ role: 'user', content }]
  return { input: { type: 'generate_until', messages: turns }, generation, sample: 0 }
}
