import type { MediaDigest } from '../../cache/digest.js'
import type { MediumFile } from '../../cache/store.js'
import type { BackendContext } from './define-backend.js'
import type { Model, ModelRequest } from './model.js'

/** Files of media that another program reads while it answers. Each stays as long as a request that shows it is in flight. */
export class MediaFiles {
  readonly #context: Pick<BackendContext, 'openMediaFile'>
  readonly #open = new Map<MediaDigest, { readonly file: Promise<MediumFile>; path: string; requests: number }>()

  constructor(context: Pick<BackendContext, 'openMediaFile'>) {
    this.#context = context
  }

  /** Returns the path of a medium of a request in flight. */
  find(digest: MediaDigest): string {
    const openFile = this.#open.get(digest)
    if (openFile === undefined) throw new Error('internal error: the file of a medium was not opened')
    return openFile.path
  }

  /** Makes a model whose requests have their files from before they are written until they are answered. */
  keepDuring(model: Model): Model {
    return {
      ...model,
      answer: async (request, ...others) => {
        const digests = listDigests(request)
        try {
          await Promise.all(digests.map(digest => this.#take(digest)))
          return await model.answer(request, ...others)
        } finally {
          await Promise.all(digests.map(digest => this.#giveBack(digest)))
        }
      },
    }
  }

  async #take(digest: MediaDigest): Promise<void> {
    const entry = this.#open.get(digest) ?? { file: this.#context.openMediaFile(digest), path: '', requests: 0 }
    this.#open.set(digest, entry)
    entry.requests += 1
    entry.path = (await entry.file).path
  }

  async #giveBack(digest: MediaDigest): Promise<void> {
    const entry = this.#open.get(digest)
    if (entry === undefined) return
    entry.requests -= 1
    if (entry.requests > 0) return
    this.#open.delete(digest)
    // A file that could not be opened failed its request already.
    const file = await entry.file.catch(() => undefined)
    await file?.[Symbol.asyncDispose]()
  }
}

/** Lists the media of a request, each once. */
const listDigests = ({ input }: ModelRequest): readonly MediaDigest[] => [
  ...new Set(
    input.messages.flatMap(({ content }) => content.flatMap(part => (part.type === 'text' ? [] : part.media))),
  ),
]
