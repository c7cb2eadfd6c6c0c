import { z } from 'zod'

/** A tool's call, or a piece of one, as a chat is streamed. */
export type ToolCallPiece = Readonly<Record<string, unknown>>

const call = z.looseObject({
  index: z.number().nullish(),
  id: z.string().nullish(),
  type: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
})

/** Fields that are put together; others are the server's own, and kept. */
const ownFields: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function'])

interface JoinedCall {
  [other: string]: unknown
  id: string | undefined
  readonly type: string
  readonly function: { name: string; arguments: string }
}

/**
 * Whole calls of the pieces of a stream. Pieces of one call have one `index`; a server that gives none sends whole calls,
 * each with an id of its own.
 */
export function joinToolCalls(pieces: readonly ToolCallPiece[]): readonly JoinedCall[] {
  const calls = new Map<number, JoinedCall>()
  for (const piece of pieces) {
    const { data } = call.safeParse(piece)
    if (data === undefined) continue
    const isNew = data.id != null && data.id !== ''
    const index = data.index ?? (isNew ? calls.size : Math.max(0, calls.size - 1))
    const joined = calls.get(index) ?? { id: undefined, type: 'function', function: { name: '', arguments: '' } }
    calls.set(index, joined)
    joined.id ??= isNew ? (data.id ?? undefined) : undefined
    for (const [name, value] of Object.entries(data)) if (!ownFields.has(name)) joined[name] = value
    joined.function.name += data.function?.name ?? ''
    joined.function.arguments += data.function?.arguments ?? ''
  }
  return [...calls.entries()].sort(([one], [other]) => one - other).map(([, joined]) => joined)
}
