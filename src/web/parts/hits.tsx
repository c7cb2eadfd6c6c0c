/** Marks the words that a person searched for, wherever a page shows texts of samples. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { findSearchSpans } from '../../../base/text/search-spans.js'
import { formatLine, splitText } from './safe-text.js'

const Search = createContext('')

/** Gives the search to all texts below it. */
export const SearchProvider = Search.Provider

/** Returns the search of the page. An empty text means that there is none. */
export const useSearch = (): string => useContext(Search)

/** Shows a text that is safe already, with the searched words marked. */
export function HitText({ text }: { readonly text: string }) {
  const search = useSearch()
  if (search === '') return <>{text}</>
  return (
    <>
      {splitText(text, findSearchSpans(text, search)).map(({ text: piece, isMarked }, index) =>
        isMarked ? (
          <mark key={index} class="hit">
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </>
  )
}

/** Scrolls the first marked word below an element into view, and opens what is folded around it. */
export function showFirstHit(selector: string): void {
  const hit = document.querySelector(`${selector} mark.hit`)
  for (let fold = hit?.closest('details:not([open])'); fold != null; fold = fold.closest('details:not([open])'))
    fold.setAttribute('open', '')
  hit?.scrollIntoView({ block: 'center' })
}

/** Shows the text of a cell on one line, with the searched words marked. */
export const HitLine = ({ text, characters }: { readonly text: string; readonly characters?: number }) => (
  <HitText text={formatLine(text, characters)} />
)
