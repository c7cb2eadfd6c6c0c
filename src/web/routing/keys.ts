/** Keyboard shortcuts. Each page registers its own while it is shown; `?` lists them all. */
import { useEffect, useRef } from 'preact/hooks'

/** A key with its effect. */
export interface Shortcut {
  /** As `KeyboardEvent.key` names it: `j`, `ArrowDown`, `/`, `Escape`. */
  readonly keys: readonly string[]
  /** The effect of the key, for the list of shortcuts: "next sample". */
  readonly does: string
  readonly run: () => void
}

const active = new Set<{ current: readonly Shortcut[] }>()

/** Lists the shortcuts of the shown page. */
export const activeShortcuts = (): readonly Shortcut[] => [...active].flatMap(({ current }) => current)

/** Registers shortcuts while a component is shown. */
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
  const handleKeydown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return
    if (event.key !== 'Escape' && isTyping(event.target)) return
    const shortcut = activeShortcuts().findLast(({ keys }) => keys.includes(event.key))
    if (shortcut === undefined) return
    event.preventDefault()
    shortcut.run()
  }
  addEventListener('keydown', handleKeydown)
  return () => removeEventListener('keydown', handleKeydown)
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement)
