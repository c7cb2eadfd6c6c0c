import { useEffect, useRef, useState } from 'preact/hooks'
import type { Source } from '../../data/source.js'
import { RunRows, type RunFilter } from './run-rows.js'

/** The rows of the list of runs under a filter, kept up to date. `reopen` shows runs that came since. */
export function useRunRows(source: Source, filter: RunFilter): { readonly rows: RunRows; readonly reopen: () => void } {
  const [, redraw] = useState(0)
  const [round, setRound] = useState(0)
  const key = `${JSON.stringify(filter)} ${round}`
  const current = useRef<{ readonly key: string; readonly rows: RunRows } | undefined>(undefined)
  if (current.current?.key !== key) {
    current.current?.rows.close()
    current.current = { key, rows: new RunRows(source, filter, () => redraw(count => count + 1)) }
  }
  const { rows } = current.current
  useEffect(() => {
    void rows.show(0, 1)
    return () => rows.close()
  }, [rows])
  useEffect(() => source.watch(() => void current.current?.rows.refresh()), [source])
  return { rows, reopen: () => setRound(count => count + 1) }
}
