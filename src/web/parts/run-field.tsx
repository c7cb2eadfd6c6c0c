import { useEffect, useState } from 'preact/hooks'
import type { Source } from '../data/source.js'
import { useLoaded } from '../data/use-loaded.js'
import { formatLine } from './safe-text.js'

interface RunFieldProps {
  readonly source: Source
  readonly title: string
  readonly name: string
  readonly choose: (name: string) => void
}

/** Shows a field for the name of a run, which suggests the newest matching runs. */
export function RunField({ source, title, name, choose }: RunFieldProps) {
  const [typed, setTyped] = useState(name)
  useEffect(() => setTyped(name), [name])
  const { value } = useLoaded(typed, () =>
    source.runs({ ...(typed !== '' && typed !== name && { q: typed }), offset: 0, limit: 50 }),
  )
  const names = value?.rows.map(row => row.name) ?? []
  const id = `runs-${title.replaceAll(' ', '-')}`
  const input = (text: string): void => {
    setTyped(text)
    // A choice from the list arrives as if it had been typed.
    if (names.includes(text)) choose(text)
  }
  return (
    <label>
      {title}{' '}
      <input
        list={id}
        value={typed}
        size={28}
        placeholder="Name of a run"
        onInput={event => input(event.currentTarget.value)}
        onChange={event => choose(event.currentTarget.value.trim())}
      />
      <datalist id={id}>
        {value?.rows.map(row => (
          <option key={row.id} value={row.name}>
            {formatLine(row.model, 80)}
          </option>
        ))}
      </datalist>
    </label>
  )
}
