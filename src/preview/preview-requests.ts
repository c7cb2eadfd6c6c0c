import type { DigestCounts } from '../../base/collections/digest-counts.js'
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
  /** True if the preview already counted an equal request. */
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
  { repeats, keysOf, seen, isSampled = false }: Counting,
): Generator<readonly CountedSample[]> {
  let page: CountedSample[] = []
  for (const request of requests) {
    const { input, config, code, response } = keysOf(request)
    const before = isSampled ? seen.add(response, repeats) : seen.raise(response, repeats)
    for (let index = 0; index < repeats; index++) {
      const sample = request.sample + index + (isSampled ? before : 0)
      const key =
        sample === request.sample ? response : responseKey({ input: input.key, config: config.key, code, sample })
      page.push({ request, key, isRepeated: !isSampled && index < before })
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
  /** Samples by request, of all tasks. */
  readonly seen: DigestCounts
  /** True if each sample is a draw of its doc, which equal requests do not share. */
  readonly isSampled?: boolean
}
