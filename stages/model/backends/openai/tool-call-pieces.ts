import { z } from 'zod'
import { malformed } from '../http/protocol/failure.js'

/** A tool's call, or a piece of one, as a chat is streamed. */
export type ToolCallPiece = Readonly<Record<string, unknown>>

const piece = z.looseObject({
  index: z.number().nullish(),
  id: z.string().nullish(),
  type: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.unknown().optional() }).nullish(),
})

/** A call with whatever else a server says of it. */
interface JoinedCall extends Record<string, unknown> {
  id: string | undefined
  readonly function: { name: string; arguments: string }
}

/**
 * Whole calls of the pieces of a stream. Pieces of one call have one `index`; a server that gives none sends whole calls,
 * each with an id of its own.
 *
 * @throws AttemptError where something else came
 */
export function joinToolCalls(pieces: readonly ToolCallPiece[]): readonly JoinedCall[] {
  const calls = new Map<number, JoinedCall>()
  for (const each of pieces) {
    const { data } = piece.safeParse(each)
    if (data === undefined) throw malformed('called a tool in a form that is not known')
    const { index: given, id, function: called, ...others } = data
    const isNew = id != null && id !== ''
    const index = given ?? (isNew ? calls.size : Math.max(0, calls.size - 1))
    const before = calls.get(index) ?? { id: undefined, function: { name: '', arguments: '' } }
    const joined = { ...before, ...others, id: before.id ?? (isNew ? id : undefined) }
    joined.function.name += called?.name ?? ''
    joined.function.arguments += textOf(called?.arguments)
    calls.set(index, joined)
  }
  return [...calls.entries()].sort(([one], [other]) => one - other).map(([, joined]) => joined)
}

/** Some servers send arguments as an object, and then at once. */
function textOf(given: unknown): string {
  if (given == null) return ''
  return typeof given === 'string' ? given : JSON.stringify(given)
}

const detail = z.looseObject({
  type: z.string(),
  index: z.number().nullish(),
  text: z.string().nullish(),
  summary: z.string().nullish(),
})

/**
 * OpenRouter's thoughts of the pieces of a stream: texts and summaries of one type and index follow each other, everything else
 * (a signature, encrypted data) comes whole. What has another form is kept as it is.
 */
export function joinDetails(pieces: readonly unknown[]): readonly unknown[] {
  const joined: unknown[] = []
  let last: z.output<typeof detail> | undefined
  for (const each of pieces) {
    const { data } = detail.safeParse(each)
    if (data !== undefined && last?.type === data.type && last.index === data.index && isText(data)) {
      last = Object.assign(last, data, {
        ...(data.text == null && last.text == null ? {} : { text: (last.text ?? '') + (data.text ?? '') }),
        ...(data.summary == null && last.summary == null
          ? {}
          : { summary: (last.summary ?? '') + (data.summary ?? '') }),
      })
      continue
    }
    last = data === undefined ? undefined : { ...data }
    joined.push(last ?? each)
  }
  return joined
}

const isText = ({ type }: z.output<typeof detail>): boolean => type === 'reasoning.text' || type === 'reasoning.summary'
