/** Paper has no scroll bars and no folds: while a page is printed, long lists draw their rows and folded parts are open. */
import { useEffect, useState } from 'preact/hooks'

/** Rows of a long list that are printed: about thirty sheets. */
export const mostPrintedRows = 1000

/** Tells whether the page is being printed. Components render again before the browser lays out the pages. */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const begin = (): void => setPrinting(true)
    const end = (): void => setPrinting(false)
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting
}

/** Opens folded parts while the page is printed. */
export function openFoldsForPrint(): () => void {
  let opened: readonly HTMLDetailsElement[] = []
  const begin = (): void => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>('main details:not([open], .plot-table)')]
    for (const fold of opened) fold.open = true
  }
  const end = (): void => {
    for (const fold of opened) fold.open = false
    opened = []
  }
  addEventListener('beforeprint', begin)
  addEventListener('afterprint', end)
  return () => {
    removeEventListener('beforeprint', begin)
    removeEventListener('afterprint', end)
  }
}

interface PrintedRows {
  readonly count: number
  readonly isLoaded: (index: number) => boolean
  readonly load: (start: number, end: number) => void
}

const lookAgainMs = 50
const longestWaitMs = 15_000

/**
 * Ctrl+P loads the rows of a list before it opens the dialog of the browser, which does not wait. Printing by the menu has the
 * rows that were loaded.
 */
export function usePrintKey({ count, isLoaded, load }: PrintedRows): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const rows = Math.min(count, mostPrintedRows)
    const isReady = (): boolean => Array.from({ length: rows }, (_, index) => index).every(isLoaded)
    const printWhenReady = (since: number): void => {
      if (isReady() || performance.now() - since > longestWaitMs) print()
      else timer = setTimeout(() => printWhenReady(since), lookAgainMs)
    }
    const handleKeydown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'p' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      if (isReady()) return
      event.preventDefault()
      clearTimeout(timer)
      load(0, rows)
      printWhenReady(performance.now())
    }
    addEventListener('keydown', handleKeydown)
    return () => {
      clearTimeout(timer)
      removeEventListener('keydown', handleKeydown)
    }
  }, [count, isLoaded, load])
}
