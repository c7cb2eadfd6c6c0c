import { makeLastingFile } from '../../cache/media/lasting-file.js'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../../cache/digest.js'
import type { RequestType } from '../../cache/records.js'
import type { ContentPart } from '../../cache/records/messages.js'
import { python } from '../../stages/model/backends/python.js'
import type { BackendContext } from '../../stages/model/define-backend.js'
import type { Model, ModelRequest } from '../../stages/model/model.js'
import { parseModelArgs } from '../../stages/model/model-args.js'

/** What a model in Python needs, with a folder in which each medium is the file `medium`. */
export const contextIn = (folder: string): BackendContext => ({
  env: process.env,
  readMedia: () => Promise.reject(new Error('media are read by their paths')),
  openMediaFile: () => Promise.resolve(makeLastingFile(join(folder, 'medium'))),
  fileDigest: async path => sha256(await readFile(path)),
})

/** The arguments of a class in a folder's file `mine.py`. */
export const classArgs = (folder: string, given: Readonly<Record<string, unknown>>) =>
  parseModelArgs(python, { file: join(folder, 'mine.py'), ...given }) as Parameters<typeof python.open>[0]

/** Loads a class of a folder's file `mine.py`, uses it, and ends its processes. */
export async function withClass(
  folder: string,
  given: Readonly<Record<string, unknown>>,
  use: (model: Model) => Promise<void>,
  context = contextIn(folder),
): Promise<void> {
  const model = await python.open(classArgs(folder, given), context)
  await use(model).finally(() => model.close?.())
}

/** A request with one message of the user: media, then a text. */
export const pythonRequest = (
  text: string,
  more: { type?: RequestType; media?: ContentPart[]; continuation?: string } = {},
) =>
  ({
    input: {
      type: more.type ?? 'generate_until',
      messages: [{ role: 'user', content: [...(more.media ?? []), { type: 'text', text }] }],
      continuation: more.continuation,
    },
    generation: { until: ['STOP'], max_new_tokens: 4 },
    sample: 0,
  }) satisfies ModelRequest
