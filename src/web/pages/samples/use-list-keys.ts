import type { Mark, SampleFilter } from '../../../present/page/data/index.js'
import { useShortcuts, type Shortcut } from '../../routing/keys.js'
import { kindNames, kindsFor } from './sample-address.js'

interface ListKeys {
  readonly count: number
  readonly selected: number
  readonly select: (index: number) => void
  /** The number of visible rows. */
  readonly perPage: number
  /** Samples side by side: more than one in the grid of pictures. */
  readonly perLine: number
  readonly open: () => void
  readonly filter: SampleFilter
  readonly change: (filter: SampleFilter) => void
  readonly label?: (label: Mark['label']) => void
  readonly note?: () => void
  readonly undo?: () => unknown
}

/** The keys that set labels. */
export const labelKeys = { w: 'wrong', r: 'right', u: 'unclear' } as const

/** Keys of the list. */
export function useListKeys({
  count,
  selected,
  select,
  perPage,
  perLine,
  open,
  filter,
  change,
  ...own
}: ListKeys): void {
  const by = (step: number) => () => select(Math.min(count - 1, Math.max(0, selected + step)))
  const kinds = kindsFor(filter).slice(0, 9)
  const shortcuts: Shortcut[] = [
    { keys: ['j', 'ArrowDown'], does: 'next sample', run: by(perLine) },
    { keys: ['k', 'ArrowUp'], does: 'previous sample', run: by(-perLine) },
    { keys: ['PageDown'], does: 'one page down', run: by(perPage * perLine) },
    { keys: ['PageUp'], does: 'one page up', run: by(-perPage * perLine) },
    { keys: ['Home'], does: 'first sample', run: () => select(0) },
    { keys: ['End'], does: 'last sample', run: () => select(Math.max(0, count - 1)) },
    { keys: ['Enter', 'o'], does: 'open the sample', run: open },
    { keys: ['/'], does: 'search', run: () => document.getElementById('sample-search')?.focus() },
    ...kinds.map((kind, index) => ({
      keys: [String(index + 1)],
      does: `show ${kindNames[kind].toLowerCase()} samples`,
      run: () => change({ ...filter, only: kind }),
    })),
  ]
  if (perLine > 1) {
    shortcuts.push({ keys: ['ArrowRight'], does: 'sample to the right', run: by(1) })
    shortcuts.push({ keys: ['ArrowLeft'], does: 'sample to the left', run: by(-1) })
  }
  useShortcuts([...shortcuts, ...labelShortcuts(own)])
}

/** Keys that label an answer, for the list and for the page of one sample. */
export function labelShortcuts({ label, note, undo }: Pick<ListKeys, 'label' | 'note' | 'undo'>): Shortcut[] {
  if (label === undefined) return []
  return [
    ...Object.entries(labelKeys).map(([key, name]) => ({
      keys: [key],
      does: `label: ${name}`,
      run: () => label(name),
    })),
    { keys: ['n'], does: 'label with a note', run: () => note?.() },
    { keys: ['z'], does: 'undo the last label', run: () => void undo?.() },
  ]
}
