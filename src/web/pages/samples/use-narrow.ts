import { useEffect, useState } from 'preact/hooks'

/** Whether the window is as narrow as a phone: rows of tables become cards. */
export function useNarrow(): boolean {
  const [narrow] = useState(() => matchMedia('(max-width: 700px)'))
  const [isNarrow, setIsNarrow] = useState(narrow.matches)
  useEffect(() => {
    const changed = (): void => setIsNarrow(narrow.matches)
    narrow.addEventListener('change', changed)
    return () => narrow.removeEventListener('change', changed)
  }, [])
  return isNarrow
}
