import { useEffect, useRef, useState } from 'preact/hooks'

/** The state of a page's data. While newer data is on its way, the older stays. */
export interface Loaded<T> {
  readonly value?: T
  readonly error?: string
  readonly isLoading: boolean
  /** Loads again. */
  readonly reload: () => void
}

/**
 * Loads data for a component, again whenever `key` changes, and forgets the answer to a question that is no longer asked.
 *
 * @param key everything that the question depends on
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ readonly key: string; readonly value?: T; readonly error?: string }>()
  const [round, setRound] = useState(0)
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    const asking = new AbortController()
    latest.current(asking.signal).then(
      value => {
        if (!asking.signal.aborted) setState({ key, value })
      },
      (error: unknown) => {
        if (!asking.signal.aborted) setState({ key, error: error instanceof Error ? error.message : String(error) })
      },
    )
    return () => asking.abort()
  }, [key, round])
  const isOld = state?.key !== key
  return {
    ...(state?.value !== undefined && { value: state.value }),
    ...(state?.error !== undefined && !isOld && { error: state.error }),
    isLoading: isOld,
    reload: () => setRound(count => count + 1),
  }
}
