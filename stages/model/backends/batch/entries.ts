import { EntryError, type BatchDraft, type BatchEntry } from '../../batch/batch-client.js'
import type { BackendContext } from '../../define-backend.js'
import { AttemptError, type ModelRequest } from '../../model.js'
import type { Protocol } from '../http/protocol/protocol.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { makeBody, type Body } from '../http/wire/media-body.js'
import { requestWriter } from '../http/wire/request-body.js'

export interface EntryRules {
  readonly endpoint: Endpoint
  readonly protocol: Protocol
  readonly context: BackendContext
  /** Returns the texts before and after the request's body: the provider's envelope for an entry of a batch. */
  readonly envelope: (id: string) => { readonly before: string; readonly after: string }
  /** Replaces a request before it is sent, for example one with video frames. */
  readonly shown?: (request: ModelRequest) => Promise<ModelRequest>
}

/** Writes the entries of a batch. Each contains the same body as a request that is sent singly. */
export interface EntryWriter {
  /** Computes the size of an entry in bytes. @throws AttemptError if it cannot be made */
  measure(entry: BatchEntry): Promise<number>
  /** Writes all entries between `open` and `close`. They are generated twice: for the length, and while they are sent. */
  write(draft: BatchDraft, frame: EntryFrame): Promise<{ readonly length: number; readonly content: Body['content'] }>
}

export interface EntryFrame {
  readonly open: string
  readonly between: string
  readonly close: string
}

export function entryWriter({ endpoint, protocol, context, envelope, shown }: EntryRules): EntryWriter {
  const writeRequest = requestWriter({ endpoint, protocol, context })
  const bodyFor = async ({ id, request }: BatchEntry): Promise<Body> => {
    const { pieces, heads } = await writeRequest(shown === undefined ? request : await shown(request))
    const { before, after } = envelope(id)
    return makeBody([before, ...pieces, after], heads, context)
  }
  const measure = async (entry: BatchEntry): Promise<number> => (await bodyFor(entry)).length
  return {
    measure,
    async write(draft, frame) {
      let length = Buffer.byteLength(frame.open) + Buffer.byteLength(frame.close)
      let count = 0
      for await (const entry of draft.entries()) {
        length += await forEntry(entry, () => measure(entry))
        count += 1
      }
      length += Buffer.byteLength(frame.between) * Math.max(0, count - 1)
      return { length, content: stream(draft, frame, bodyFor) }
    },
  }
}

async function* stream(
  draft: BatchDraft,
  { open, between, close }: EntryFrame,
  bodyFor: (entry: BatchEntry) => Promise<Body>,
): AsyncGenerator<Uint8Array> {
  let before = open
  for await (const entry of draft.entries()) {
    const { content } = await forEntry(entry, () => bodyFor(entry))
    if (before !== '') yield Buffer.from(before)
    before = between
    if (typeof content === 'string') yield Buffer.from(content)
    else yield* readPieces(entry, content)
  }
  yield Buffer.from(close)
}

async function* readPieces(entry: BatchEntry, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = content[Symbol.asyncIterator]()
  for (;;) {
    const piece = await forEntry(entry, () => pieces.next())
    if (piece.done === true) return
    yield piece.value
  }
}

/** Adds the entry's id to an error. */
async function forEntry<T>({ id }: BatchEntry, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof AttemptError ? new EntryError(id, error) : error
  }
}
