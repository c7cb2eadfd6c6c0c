import { useEffect, useState } from 'preact/hooks'

/** Returns whether the window is as narrow as a phone: rows of tables become cards. */
export function useNarrow(): boolean {
  const [narrow] = useState(() => matchMedia('(max-width: 700px)'))
  const [isNarrow, setIsNarrow] = useState(narrow.matches)
  useEffect(() => {
    const updateNarrow = (): void => setIsNarrow(narrow.matches)
    narrow.addEventListener('change', updateNarrow)
    return () => narrow.removeEventListener('change', updateNarrow)
  }, [])
  return isNarrow
}
