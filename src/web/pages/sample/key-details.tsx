/** Shows the response key of a request with its preimage, and why the request was sent or reused. It is loaded on demand. */
import { useState } from 'preact/hooks'
import type { ItemView } from '../../../present/page/data/index.js'
import { useLoaded } from '../../data/use-loaded.js'
import type { Source } from '../../data/source.js'
import { visibleText } from '../../parts/safe-text.js'
import { JsonText } from '../../parts/text.js'

interface KeyDetailsProps {
  readonly source: Source
  readonly run: string
  readonly items: readonly ItemView[]
}

/** Explains the response keys of a sample. */
export function KeyDetails({ source, run, items }: KeyDetailsProps) {
  const [isOpen, setIsOpen] = useState(false)
  const keys = items.flatMap(({ key }) => (key === undefined ? [] : [key]))
  const [chosen, setChosen] = useState(keys[0])
  if (chosen === undefined) return null
  return (
    <details onToggle={event => setIsOpen(event.currentTarget.open)}>
      <summary>Key and why it was asked</summary>
      {keys.length > 1 && (
        <label class="choice">
          Request
          <select value={chosen} onChange={event => setChosen(event.currentTarget.value)}>
            {keys.map((key, index) => (
              <option key={key} value={key}>
                {index + 1}: {key.slice(0, 16)}
              </option>
            ))}
          </select>
        </label>
      )}
      {isOpen && <OneKey {...{ source, run }} of={chosen} />}
    </details>
  )
}

function OneKey({ source, run, of }: { readonly source: Source; readonly run: string; readonly of: string }) {
  const { value, error } = useLoaded(`${run} ${of}`, () => source.key(run, of))
  if (error !== undefined) return <p class="problem">{visibleText(error)}</p>
  if (value === undefined) return <p class="dim">The key is being read…</p>
  return (
    <div class="key">
      {value.why.map(sentence => (
        <p key={sentence}>{visibleText(sentence)}</p>
      ))}
      <code>{visibleText(value.key)}</code>
      {value.parts.map(({ name, key, preimage }) => (
        <details key={name}>
          <summary>
            {visibleText(name)} <code>{key.slice(0, 16)}</code>
          </summary>
          <JsonText value={preimage} />
        </details>
      ))}
    </div>
  )
}
