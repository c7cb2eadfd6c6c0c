/** Loads data for a component and loads it again when runs move. */
import { useEffect, useState } from 'preact/hooks'
import type { Source } from './source.js'

/** Data that is loaded again when its runs change. */
export interface Live<T> {
  /** The newest data. It stays while newer data is loaded. */
  readonly value?: T
  /** The reason why the newest data could not be loaded. */
  readonly error?: string
}

interface LiveQuestion<T> {
  readonly source: Source
  /** Everything that the question depends on. */
  readonly key: string
  readonly load: () => Promise<T>
  /** Another number loads again. The older data stays meanwhile. */
  readonly round?: number
  /** Returns whether the data shows one of the runs that moved. Undefined: the list of runs changed. */
  readonly concerns: (moved: readonly string[] | undefined) => boolean
}

/** At most one question is open at a time: moves meanwhile lead to one more, so that a slow answer is waited for and shown. */
export function useLive<T>({ source, key, load, round = 0, concerns }: LiveQuestion<T>): Live<T> {
  const [state, setState] = useState<Live<T> & { readonly key: string }>({ key: '' })
  useEffect(() => {
    let isOver = false
    let isAsking = false
    let isOutdated = false
    const ask = async (): Promise<void> => {
      isOutdated = isAsking
      if (isAsking) return
      isAsking = true
      try {
        const value = await load()
        if (!isOver) setState({ key, value })
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error)
        if (!isOver) setState(last => ({ ...(last.key === key && last), key, error: words }))
      }
      isAsking = false
      if (isOutdated && !isOver) void ask()
    }
    void ask()
    const stop = source.watch(moved => {
      if (concerns(moved)) void ask()
    })
    return () => {
      isOver = true
      stop()
    }
  }, [key, round])
  return state.key === key ? state : {}
}
