/** Text that the program did not write: safe, with its whitespace, cut when it is long. */
import { useState } from 'preact/hooks'
import { takeBeginning } from '../../../base/text/beginning.js'
import { findSearchSpans } from '../../../base/text/search-spans.js'
import { HitText, useSearch } from './hits.js'
import { usePrinting } from './printing.js'
import { splitText, shownCharacters, visibleText } from './safe-text.js'

/** The maximum number of characters to add at once, because the layout of one long line takes time. */
const mostAtOnce = 200_000

interface SafeTextProps {
  readonly text: string
  /** The number of characters of the whole text, if `text` is only its beginning. */
  readonly length?: number
  /** UTF-16 positions of highlights, with their tooltip. */
  readonly marks?: readonly (readonly [start: number, end: number])[]
  readonly markTitle?: string
  readonly class?: string
}

/** Shows untrusted text with marked ranges, cut after a number of characters. */
export function SafeText({ text, length, marks = [], markTitle, class: name = '' }: SafeTextProps) {
  const search = useSearch()
  // A match behind the cut is shown, too.
  const [characters, setCharacters] = useState(() => Math.max(shownCharacters, findMatchEnd(text, search)))
  const isPrinting = usePrinting()
  const whole = length ?? text.length
  const shownText = takeBeginning(text, isPrinting ? Math.max(characters, mostAtOnce) : characters)
  const rest = text.length - shownText.length
  return (
    <>
      <div class={`safe-text ${name}`} dir="auto">
        {text === '' ? (
          <span class="dim">(empty)</span>
        ) : (
          splitText(shownText, marks).map(({ text: piece, isMarked }, index) =>
            isMarked ? (
              <mark key={index} title={markTitle}>
                <HitText text={visibleText(piece)} />
              </mark>
            ) : (
              <HitText key={index} text={visibleText(piece)} />
            ),
          )
        )}
        {(rest > 0 || whole > text.length) && '…'}
      </div>
      {rest > 0 && (
        <button type="button" class="more" onClick={() => setCharacters(count => count + mostAtOnce)}>
          {rest <= mostAtOnce
            ? `Show all ${text.length.toLocaleString('en')} characters`
            : `Show ${mostAtOnce.toLocaleString('en')} more characters`}
        </button>
      )}
      {(rest === 0 || isPrinting) && whole > shownText.length && (
        <p class="dim">
          These are the first {shownText.length.toLocaleString('en')} of {whole.toLocaleString('en')} characters.
        </p>
      )}
    </>
  )
}

/** Returns how many characters show the first match of a search, with some text behind it. */
function findMatchEnd(text: string, search: string): number {
  const end = search === '' ? undefined : findSearchSpans(text, search)[0]?.[1]
  return end === undefined ? 0 : Math.min(end + 2_000, mostAtOnce)
}

/** A JSON value, pretty, as safe text. */
export function JsonText({ value }: { readonly value: unknown }) {
  return <SafeText class="code" text={JSON.stringify(value, null, 2)} />
}
