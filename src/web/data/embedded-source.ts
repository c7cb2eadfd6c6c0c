/** A report's data, from the elements of its own file. */
import { SourceError, type Source } from './source.js'

export function embeddedSource(page: Document): Source {
  const missing = (): Promise<never> => Promise.reject(new SourceError(`${page.title} holds no data.`, 404))
  return {
    can: { label: false, start: false },
    runs: missing,
    run: missing,
    samples: missing,
    position: missing,
    sample: missing,
    compare: missing,
    key: missing,
    mediaUrl: () => undefined,
    thumbnailUrl: () => undefined,
    watch: () => () => undefined,
  }
}
