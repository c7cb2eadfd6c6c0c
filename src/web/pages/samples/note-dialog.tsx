import { useEffect, useRef, useState } from 'preact/hooks'
import type { Mark } from '../../../present/page/data/index.js'
import { labelNames } from '../../data/labels.js'
import { formatLine } from '../../parts/safe-text.js'
import { useShortcuts } from '../../routing/keys.js'

interface NoteDialogProps {
  readonly of: { readonly id: string; readonly marked?: Mark['label'] }
  readonly close: () => void
  readonly save: (label: Mark['label'], note: string) => unknown
}

const longestNote = 10_000

/** Asks for a label with a note, with the focus in the note. Enter stores it, Shift+Enter begins a new line. */
export function NoteDialog({ of, close, save }: NoteDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const [label, setLabel] = useState<Mark['label']>(of.marked ?? 'wrong')
  const [note, setNote] = useState('')
  useShortcuts([{ keys: ['Escape'], does: 'close the note', run: close }])
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    field.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  const store = (): void => {
    save(label, note)
    close()
  }
  return (
    <dialog ref={dialog} class="note" aria-label={`Label of ${formatLine(of.id, 60)}`} onCancel={close}>
      <fieldset>
        <legend>The answer is</legend>
        {(Object.keys(labelNames) as Mark['label'][]).map(name => (
          <label key={name}>
            <input type="radio" name="label" checked={label === name} onChange={() => setLabel(name)} />{' '}
            {labelNames[name].toLowerCase()}
          </label>
        ))}
      </fieldset>
      <label>
        Note <span class="dim">(Enter saves, Shift+Enter begins a new line)</span>
        <textarea
          ref={field}
          rows={5}
          maxLength={longestNote}
          value={note}
          onInput={event => setNote(event.currentTarget.value)}
          onKeyDown={event => {
            // Enter also ends the composition of a character, as in Japanese.
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
            event.preventDefault()
            store()
          }}
        />
      </label>
      <div class="dialog-buttons">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="main" onClick={store}>
          Save the label
        </button>
      </div>
    </dialog>
  )
}
