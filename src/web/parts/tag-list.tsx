/** The tags of a run, which a person can add and remove where the page may change them. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatLine } from './safe-text.js'
import { postJson } from '../data/http-source.js'

interface TagListProps {
  readonly run: string
  readonly tags: readonly string[]
  readonly canChange: boolean
}

/** Shows the tags of a run, with inputs that change them. */
export function TagList({ run, tags, canChange }: TagListProps) {
  const [changed, setChanged] = useState<readonly string[]>()
  const [error, setError] = useState<string>()
  // The server's later reply replaces the optimistic value.
  useEffect(() => setChanged(undefined), [run, tags.join('\n')])
  const shownTags = changed ?? tags
  const change = async (add: readonly string[], remove: readonly string[]): Promise<void> => {
    setChanged([...shownTags.filter(tag => !remove.includes(tag) && !add.includes(tag)), ...add])
    setError(undefined)
    try {
      await changeTags(run, { add, remove })
    } catch (caught) {
      setChanged(undefined)
      setError(caught instanceof Error ? caught.message : String(caught))
    }
  }
  return (
    <span class="tags">
      {canChange && <NewTag run={run} add={tag => void change([tag], [])} />}
      {shownTags.map(tag => (
        <span key={tag} class="tag">
          {formatLine(tag, 60)}
          {canChange && (
            <button
              type="button"
              aria-label={`Remove the tag ${formatLine(tag, 60)}`}
              onClick={() => void change([], [tag])}
            >
              ×
            </button>
          )}
        </span>
      ))}
      {error !== undefined && (
        <span role="alert" class="bad">
          {error}
        </span>
      )}
    </span>
  )
}

function NewTag({ run, add }: { readonly run: string; readonly add: (tag: string) => void }) {
  const [isOpen, setIsOpen] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isOpen) field.current?.focus()
  }, [isOpen])
  if (!isOpen)
    return (
      <button
        type="button"
        class="quiet add"
        aria-label={`Add a tag to ${formatLine(run)}`}
        onClick={() => setIsOpen(true)}
      >
        +
      </button>
    )
  const submit = (event: Event): void => {
    event.preventDefault()
    const tag = field.current?.value.trim() ?? ''
    setIsOpen(false)
    if (tag !== '') add(tag)
  }
  return (
    <form onSubmit={submit}>
      <input ref={field} aria-label={`New tag of ${formatLine(run)}`} maxLength={60} size={10} onBlur={submit} />
    </form>
  )
}

/** Adds tags to a run and removes others. */
async function changeTags(
  run: string,
  change: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
): Promise<void> {
  await postJson(`/runs/${encodeURIComponent(run)}/tags`, change)
}
