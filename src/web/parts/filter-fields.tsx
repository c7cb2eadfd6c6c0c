/** Fields of filters. Their values are in the address. */
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { formatLine } from './safe-text.js'

interface SearchFieldProps {
  /** The meaning of the field, for screen readers. */
  readonly label: string
  readonly placeholder: string
  readonly text: string
  readonly size?: number
  readonly change: (text: string) => void
  /** The id of the element, for shortcuts. */
  readonly id?: string
  readonly field?: RefObject<HTMLInputElement | null>
}

/** A field for a text that is searched. It changes once typing pauses. */
export function SearchField({ label, placeholder, text, size, id, change, field }: SearchFieldProps) {
  const [typed, setTyped] = useState(text)
  useEffect(() => setTyped(text), [text])
  useEffect(() => {
    if (typed === text) return undefined
    const timer = setTimeout(() => change(typed), 200)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <input
      {...(field && { ref: field })}
      {...(size !== undefined && { size })}
      {...(id !== undefined && { id })}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={typed}
      onInput={event => setTyped(event.currentTarget.value)}
    />
  )
}

interface ChoiceProps {
  readonly name: string
  readonly value: string | undefined
  /** The values that are offered. Each is offered once, in order. */
  readonly values: readonly string[]
  readonly change: (value: string) => void
}

/** A choice of one value or all. */
export function Choice({ name, value = '', values, change }: ChoiceProps) {
  const offered = [...new Set([...values, ...(value === '' ? [] : [value])])].sort()
  return (
    <label>
      {name}{' '}
      <select value={value} onChange={event => change(event.currentTarget.value)}>
        <option value="">all</option>
        {offered.map(option => (
          <option key={option} value={option}>
            {formatLine(option, 60)}
          </option>
        ))}
      </select>
    </label>
  )
}
