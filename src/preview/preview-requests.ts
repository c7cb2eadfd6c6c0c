import { responseKey } from '../../cache/keys.js'
import type { ResponseKey } from '../../cache/digest.js'
import type { RequestKeys } from '../../cache/request-keys.js'
import type { DraftRequest } from '../../cache/store.js'

/** A request that can be sent. Its samples differ only in their number. */
export type ReadyRequest = Extract<DraftRequest, { readonly input: unknown }>

/** One sample of a request. */
export interface CountedSample {
  readonly request: ReadyRequest
  readonly key: ResponseKey
  /** Whether the preview already counted an equal request. */
  readonly isRepeated: boolean
}

/** The number of samples looked up in the store at once. */
const pageSize = 500

/**
 * Iterates over all samples of requests and holds at most one page of them.
 *
 * @param requests the first sample of each
 */
export function* samplePages(
  requests: readonly ReadyRequest[],
  { repeats, keysOf, seen }: Counting,
): Generator<readonly CountedSample[]> {
  let page: CountedSample[] = []
  for (const request of requests) {
    const { input, config, code, response } = keysOf(request)
    const before = seen.add(response, repeats)
    for (let place = 0; place < repeats; place++) {
      const sample = request.sample + place
      const key = place === 0 ? response : responseKey({ input: input.key, config: config.key, code, sample })
      page.push({ request, key, isRepeated: place < before })
      if (page.length < pageSize) continue
      yield page
      page = []
    }
  }
  if (page.length > 0) yield page
}

export interface Counting {
  readonly repeats: number
  readonly keysOf: (request: ReadyRequest) => RequestKeys
  readonly seen: SeenRequests
}

/**
 * Counts samples by request, keyed by fifty bits of the digest of the first sample. A million requests take some tens of megabytes, and collisions are
 * rare.
 */
export class SeenRequests {
  readonly #samples = new Map<number, number>()

  /** @returns the number of samples counted before */
  add(first: ResponseKey, repeats: number): number {
    const place = Number.parseInt(first.slice('sha256:'.length, 'sha256:'.length + 12), 16)
    const before = this.#samples.get(place) ?? 0
    if (repeats > before) this.#samples.set(place, repeats)
    return before
  }
}
