/** Keyboard shortcuts. Each page registers its own while it is shown; `?` lists them all. */
import { useEffect, useRef } from 'preact/hooks'

export interface Shortcut {
  /** As `KeyboardEvent.key` names it: `j`, `ArrowDown`, `/`, `Escape`. */
  readonly keys: readonly string[]
  /** What it does, for the list of shortcuts: "next sample". */
  readonly does: string
  readonly run: () => void
}

const active = new Set<{ current: readonly Shortcut[] }>()

export const activeShortcuts = (): readonly Shortcut[] => [...active].flatMap(({ current }) => current)

export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  useEffect(() => {
    active.add(latest)
    return () => void active.delete(latest)
  }, [])
}

/** Handles keys of the whole page. Keys belong to the field while a person types, and to the browser with Ctrl, Alt or Meta. */
export function listenForShortcuts(): () => void {
  const pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return
    if (event.key !== 'Escape' && isTyping(event.target)) return
    const found = activeShortcuts().findLast(({ keys }) => keys.includes(event.key))
    if (found === undefined) return
    event.preventDefault()
    found.run()
  }
  addEventListener('keydown', pressed)
  return () => removeEventListener('keydown', pressed)
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement)
