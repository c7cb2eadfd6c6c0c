import { useEffect, useState } from 'preact/hooks'
import type { SampleFilter, SampleKind } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { without } from '../../data/without.js'
import { kindsFor } from './sample-address.js'
import { isPrepared, type ShownRows } from './use-row-pages.js'

/** The number of samples of each kind. */
export type KindCounts = Readonly<Partial<Record<SampleKind, number>>>

/**
 * Loads the number of samples of each kind within the rest of the filter, one after another once filters are prepared.
 *
 * @param stored changes whenever a label was stored here. The counts are then reloaded, and the old ones stay meanwhile
 */
export function useCounts(
  source: Source,
  run: string,
  filter: SampleFilter,
  { shown, stored }: { readonly shown: ShownRows; readonly stored: number },
): KindCounts {
  const rest = without(filter, 'only', 'sort', 'descending')
  const key = JSON.stringify([run, rest])
  const [counts, setCounts] = useState<{ readonly key: string; readonly of: KindCounts }>({ key, of: {} })
  const isReady = shown.prepared !== undefined && isPrepared(filter, shown.prepared)
  useEffect(() => {
    if (!isReady) return undefined
    const asking = new AbortController()
    const ask = async (): Promise<void> => {
      for (const kind of kindsFor(filter)) {
        const { total } = await source.samples(run, { ...rest, only: kind, offset: 0, limit: 1 }, asking.signal)
        if (asking.signal.aborted) return
        setCounts(old => ({ key, of: { ...(old.key === key && old.of), [kind]: total } }))
      }
    }
    // The list reports why it could not be read. An unknown count is left out.
    ask().catch(() => undefined)
    return () => asking.abort()
  }, [key, isReady, stored])
  const currentCounts = counts.key === key ? counts.of : {}
  return shown.total === undefined ? currentCounts : { ...currentCounts, [filter.only]: shown.total }
}
