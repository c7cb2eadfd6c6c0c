import { useState } from 'preact/hooks'
import type { FormField } from '../../../present/page/data/index.js'

/** The values of the form, by option. */
export type Config = Readonly<Record<string, unknown>>

interface FieldInputProps {
  readonly field: FormField
  readonly value: unknown
  readonly problems: readonly string[]
  /** Undefined takes the option's default. */
  readonly set: (value: unknown) => void
}

/** One option of the form, by its kind. */
export function FieldInput({ field, value, problems, set }: FieldInputProps) {
  const { name, help, kind, fallback } = field
  const id = `field-${name}`
  const about = fallback === undefined ? help : `${help} (${JSON.stringify(fallback)})`
  return (
    <div class="field">
      <label for={id}>{name}</label>
      <div>
        {kind === 'switch' || kind === 'choice' ? (
          <Choice field={field} id={id} value={value} set={set} />
        ) : (
          <TextValue field={field} id={id} value={value} set={set} />
        )}
        <p class="dim" id={`${id}-help`}>
          {about}
        </p>
        {problems.map(problem => (
          <p key={problem} class="problem-text" role="alert">
            {problem}
          </p>
        ))}
      </div>
    </div>
  )
}

type InputProps = Omit<FieldInputProps, 'problems'> & { readonly id: string }

function Choice({ field: { kind, choices = [] }, id, value, set }: InputProps) {
  const options = kind === 'switch' ? ['true', 'false'] : choices
  return (
    <select
      id={id}
      aria-describedby={`${id}-help`}
      value={typeof value === 'string' || typeof value === 'boolean' ? String(value) : ''}
      onChange={event => {
        const text = event.currentTarget.value
        set(text === '' ? undefined : kind === 'switch' ? text === 'true' : text)
      }}
    >
      <option value="">default</option>
      {options.map(option => (
        <option key={option} value={option}>
          {kind === 'switch' ? (option === 'true' ? 'yes' : 'no') : option}
        </option>
      ))}
    </select>
  )
}

/** Shows a text input, which keeps the typed text while it is no valid value. */
function TextValue({ field: { kind }, id, value, set }: InputProps) {
  const [text, setText] = useState(() => formatValue(value, kind))
  return (
    <input
      id={id}
      aria-describedby={`${id}-help`}
      type="text"
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      autocomplete="off"
      spellcheck={false}
      value={text}
      onInput={event => {
        const typed = event.currentTarget.value
        setText(typed)
        set(parseValue(typed, kind))
      }}
    />
  )
}

function formatValue(value: unknown, kind: FormField['kind']): string {
  if (value === undefined || value === null) return ''
  if (kind === 'list' && Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Parses the typed text. An invalid text is kept, and the server reports the mistake. */
function parseValue(text: string, kind: FormField['kind']): unknown {
  if (text.trim() === '') return undefined
  if (kind === 'list')
    return text
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== '')
  if (kind === 'number') return Number.isNaN(Number(text)) ? text : Number(text)
  if (kind !== 'json') return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
