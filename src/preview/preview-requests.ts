import { responseKey } from '../../cache/keys.js'
import type { ResponseKey } from '../../cache/digest.js'
import type { RequestKeys } from '../../cache/request-keys.js'
import type { DraftRequest } from '../../cache/store.js'

/** A request that can be sent, of which the other samples differ in their number alone. */
export type ReadyRequest = Extract<DraftRequest, { readonly input: unknown }>

/** One sample of a request. */
export interface CountedSample {
  readonly request: ReadyRequest
  readonly key: ResponseKey
  /** Whether an earlier request of the preview asks for the very same. */
  readonly isRepeated: boolean
}

/** Samples that are looked up in the store at once. */
const pageSize = 500

/**
 * Goes through all samples of requests without holding more than a page of them, however many there are.
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
 * How many samples of a request were counted before, by fifty bits of the digest of its first: a million requests are some tens of megabytes,
 * and two that meet by chance a rarity.
 */
export class SeenRequests {
  readonly #samples = new Map<number, number>()

  /** @returns how many samples of it there were before, from the first on. */
  add(first: ResponseKey, repeats: number): number {
    const place = Number.parseInt(first.slice('sha256:'.length, 'sha256:'.length + 12), 16)
    const before = this.#samples.get(place) ?? 0
    if (repeats > before) this.#samples.set(place, repeats)
    return before
  }
}
