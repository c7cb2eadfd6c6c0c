import { useState } from 'preact/hooks'
import { listTasks } from '../../data/service.js'
import { useLoaded } from '../../data/use-loaded.js'

const mostOffered = 12

interface TaskChoiceProps {
  readonly chosen: readonly string[]
  readonly choose: (names: readonly string[]) => void
}

/** Shows the chosen tasks with buttons to remove them, and a search field for others. A pattern such as `mmmu*` can be entered. */
export function TaskChoice({ chosen, choose }: TaskChoiceProps) {
  const [text, setText] = useState('')
  const tasks = useLoaded('tasks', () => listTasks()).value ?? []
  const wanted = text.trim().toLowerCase()
  const offered =
    wanted === ''
      ? []
      : tasks.filter(({ name }) => name.toLowerCase().includes(wanted) && !chosen.includes(name)).slice(0, mostOffered)
  const add = (name: string): void => {
    if (name !== '' && !chosen.includes(name)) choose([...chosen, name])
    setText('')
  }
  return (
    <>
      <ul class="chips" aria-label="Chosen tasks">
        {chosen.map(name => (
          <li key={name}>
            {name}{' '}
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={() => choose(chosen.filter(other => other !== name))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <label>
        Add a task{' '}
        <input
          type="search"
          value={text}
          autocomplete="off"
          placeholder="a part of the name"
          onInput={event => setText(event.currentTarget.value)}
          onKeyDown={event => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            add(text.includes('*') ? text.trim() : (offered[0]?.name ?? text.trim()))
          }}
        />
      </label>
      <ul class="chips" aria-label="Found tasks">
        {offered.map(({ name, kind }) => (
          <li key={`${kind} ${name}`}>
            <button type="button" onClick={() => add(name)}>
              {name}
              {kind !== 'task' && <span class="kind">{kind}</span>}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
