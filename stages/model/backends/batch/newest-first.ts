import { z } from 'zod'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { malformed, shownText } from '../http/protocol/failure.js'
import type { BatchCalls } from './batch-calls.js'

export interface Listing<T> {
  readonly calls: BatchCalls
  readonly path: string
  /** The parameter that says after which entry the next page begins. */
  readonly cursor: 'after' | 'after_id'
  /** Undefined for an entry that is of another kind. */
  readonly parse: (value: unknown) => T | undefined
  readonly endpoint: Endpoint
  readonly signal: AbortSignal
}

const listShape = z.object({
  data: z.array(z.unknown()),
  has_more: z.boolean().nullish(),
  last_id: z.string().nullish(),
})

/** The entries of a list, page by page as far as they are wanted. */
export async function* newestFirst<T extends { readonly id: string }>(listing: Listing<T>): AsyncGenerator<T> {
  const { calls, path, cursor, parse, endpoint, signal } = listing
  for (let after = ''; ;) {
    const answer: unknown = await calls.get(`${path}?limit=100${after}`, signal)
    const { data: page } = listShape.safeParse(answer)
    if (page === undefined)
      throw malformed(`answered with something else than a list: ${shownText(JSON.stringify(answer), endpoint)}`)
    const entries = page.data.flatMap(value => parse(value) ?? [])
    yield* entries
    const last = page.last_id ?? entries.at(-1)?.id
    if (page.has_more !== true || last === undefined) return
    after = `&${cursor}=${encodeURIComponent(last)}`
  }
}
